#include "actors/arm_group.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

result<std::shared_ptr<arm_group>> arm_group::make(opened_world base, engine_options options,
                                                   std::function<void()> when_gone) {
  auto source =
      arm_source::make(std::move(base.state), std::move(base.options), std::move(when_gone));
  if (!source) return propagate(source);
  auto made = std::make_shared<arm_group>(std::move(options));
  made->source = std::move(*source);
  world& w = made->source->base();
  actor_options reading = actor_options_of(made->options, w);
  reading.threads = thread_use::scheduled; // none of them waits for a disk
  reading.commits.read_only = true;
  ensure(!reading.queries.read_only, "what an arm asks may reinforce, and is told that it would");
  made->readers = made->home.start(std::shared_ptr<world>(made->source, &w), std::move(reading));
  return made;
}

arm_group::~arm_group() {
  if (readers == nullptr) return;
  stop_actors(readers->actors);
  readers->actors = {};
  home.system.await_all_actors_done();
}

} // namespace mneme
