#pragma once
/// A calling thread that works while it waits: where the committer rests when the thread's command
/// reaches it, the thread runs the committer's turns itself until it has its answer. So a write
/// wakes nobody, and waits for nobody but the disk. Where the committer is at work already, or has
/// a thread of its own, the command waits in its mailbox like any other.

#include <caf/all.hpp>

#include "state/commit/commands.hpp"

namespace mneme {

/// Of one thread, which lends itself to the committer of one engine.
class lent_thread : public caf::execution_unit {
public:
  explicit lent_thread(caf::actor committer);
  /// What is left to do is the scheduler's.
  ~lent_thread() override;
  lent_thread(const lent_thread&) = delete;
  lent_thread& operator=(const lent_thread&) = delete;

  void hand_over(commit_command command);
  /// Works until `answer` is there, or somebody else will bring it; then waits for it.
  template <class Waiting>
  auto wait_for(Waiting& answer) {
    while (!answer.is_there() && run_turn()) {
    }
    return answer.get();
  }

  /// CAF: who has got a message while he rested, from this thread.
  void exec_later(caf::resumable* who) override;

private:
  /// False: there is nothing to do here.
  bool run_turn();

  caf::actor committer_;
  bool hands_over_ = false;         ///< whoever wakes up now is the committer
  caf::resumable* turns_ = nullptr; ///< the committer's, which are this thread's to run
};

} // namespace mneme
