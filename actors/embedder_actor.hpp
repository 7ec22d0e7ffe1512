#pragma once
/// Asks the remote embedder for the vectors of contents that have none, batch by batch, and hands
/// them to the committer. Blocks on the network, hence a thread of its own.

#include <caf/all.hpp>

#include "actors/spawn.hpp"
#include "state/embedding/embed_queue.hpp"
#include "state/embedding/waiting_texts.hpp"

namespace mneme {

class embedder_actor : public caf::event_based_actor {
public:
  /// Of a world whose embedder is remote.
  embedder_actor(caf::actor_config& config, std::shared_ptr<world> w, caf::actor committer,
                 std::shared_ptr<random_source> random);
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  void scan();
  void begin();
  void ask_embedder(waiting_texts b);
  void hand_over(std::vector<late_vector> items);
  void stored(const outcome& o);
  void go_on(std::string problem);
  void refused(std::string why);

  std::shared_ptr<world> world_;
  caf::actor committer_;
  std::shared_ptr<random_source> random_;
  embed_queue queue_;
  std::string refusal_; ///< why the last texts were refused
  bool busy_ = false;   ///< a batch is under way, or its delay is
};

} // namespace mneme
