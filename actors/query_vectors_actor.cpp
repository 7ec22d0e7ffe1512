#include "actors/spawn.hpp"
#include "query/text_vectors.hpp"

namespace mneme {

// Has the texts of queries and ticks embedded where the embedder is remote, before they reach the
// coordinator, which never waits for a network. An actor of its own thread.
caf::behavior query_vectors_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                     const caf::actor& coordinator, const query_seams& seams) {
  return {
      [=](const ask_query& m) {
        text_vectors(w->views(), seams).embed(*m.job, m.pinned);
        self->send(coordinator, m);
      },
      [=](const ask_tick& m) {
        if (seams.stopwatch) m.job->taken_ns = seams.stopwatch();
        m.job->texts = text_vectors(w->views(), seams).embed(*m.job->request);
        self->send(coordinator, m);
      },
  };
}

} // namespace mneme
