#pragma once
/// The coordinator of reads: gives each job at a seq to a reader, effect by effect, reinforces what
/// it touched, and answers; single reads and shares of ticks it gives to readers whole. It reads
/// nothing itself and keeps nothing between queries.

#include <caf/all.hpp>

#include "actors/pending_answer.hpp"
#include "actors/reader_pool.hpp"
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
    readers_.clear();
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
  [[nodiscard]] tick_addition similar_topics_of(const running_tick& tick);
  /// A reader runs the next effect; one that compiles the job first, if there is `context`.
  void run_next(const job_pointer& job, seq_no at, std::shared_ptr<const query_context> context);
  void finish(const job_pointer& job, seq_no at);

  std::shared_ptr<world> world_;
  reader_pool readers_;
  caf::actor committer_;
  actor_options options_;
};

} // namespace mneme
