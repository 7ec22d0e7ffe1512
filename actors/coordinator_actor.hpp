#pragma once
/// The query coordinator: compiles a job to a query_run, sends it from effect to effect through
/// the reader pool, reinforces what it touched, and answers. Keeps nothing between queries.

#include <caf/all.hpp>

#include "actors/pending_answer.hpp"
#include "actors/spawn.hpp"

namespace mneme {

class coordinator_actor : public caf::event_based_actor {
public:
  coordinator_actor(caf::actor_config& config, std::shared_ptr<world> w,
                    std::vector<caf::actor> readers, caf::actor committer,
                    const actor_options& options);
  caf::behavior make_behavior() override;
  /// Lets go of the queries under way, which answers them.
  void on_exit() override {
    multiplexed_responses_.clear();
    world_ = nullptr; // this actor may be freed after the world was opened again
  }

private:
  using job_pointer = std::shared_ptr<query_job>;

  struct running_tick;
  /// What is still added to the answer of a tick that is committed.
  using tick_addition = std::function<void(std::shared_ptr<pending_answer<tick_result>>)>;

  void start(const ask_query& asked);
  void start_tick(const ask_tick& asked);
  void commit_tick(const std::shared_ptr<running_tick>& tick);
  /// A reader looks for the topics that its ingests' are like.
  [[nodiscard]] tick_addition similar_topics_of(const running_tick& tick) const;
  void advance(const job_pointer& job, seq_no at);
  void finish(const job_pointer& job, seq_no at);

  std::shared_ptr<world> world_;
  std::vector<caf::actor> readers_;
  caf::actor committer_;
  actor_options options_;
  std::size_t next_reader_ = 0;
};

} // namespace mneme
