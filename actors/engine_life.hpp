#pragma once
/// How an engine actor lives and ends. It keeps its host's promises to the last, and lets go of the
/// world where no thread of the host's scheduler waits for a disk.
///
///   open ── close() ──► closing ── barrier passed, reads answered ──► stopping
///     │                                                                  │ all but the
///     checkpointer gone │ an owner dies, or the host ends the engine                       ▼
///     └──────────────────────────────► ended ◄── checkpointer gone ── sealing
///
/// Every transition happens in the engine actor's own context.

#include "actors/running_engine.hpp"
#include "mneme/caf.hpp"

namespace mneme {

/// The public handle plus what only the engine's own actors send it.
using internal_engine_actor = engine_actor::extend<caf::reacts_to<run_closure>>;

class engine_life {
public:
  /// Monitors the engine's actors. `self` owns this.
  engine_life(internal_engine_actor::pointer self, std::shared_ptr<running_engine> engine);

  /// After close(), and once an owner has ended, nothing is taken any more.
  [[nodiscard]] bool is_open() const { return stage_ == stage::open; }

  /// A promise to the host was made / was kept: the actor stays until all are.
  void promised() { ++unanswered_; }
  void kept();
  /// A reader has a read of the host / has answered it: readers stay until all have.
  void read_began() { ++reading_; }
  void read_ended();

  /// Commits what was queued before, seals the world and lets go of it. `when_ended` says how that
  /// went, when nobody holds the world any more. Precondition: is_open().
  void close(std::function<void(result<void>)> when_ended);
  /// The host ends the engine without closing it: what waits is answered.
  void abandon();

private:
  enum class stage : std::uint8_t { open, closing, stopping, sealing, ended };

  void owner_ended(const caf::actor_addr& who);
  void barrier_passed(result<seq_no> at);
  void stop_when_read();
  void seal();
  void end();
  void quit_when_idle();

  internal_engine_actor::pointer self_;
  std::shared_ptr<running_engine> engine_;
  caf::actor_addr checkpointer_;
  stage stage_ = stage::open;
  std::size_t alive_ = 0; ///< owned actors that have not ended
  bool checkpointer_alive_ = true;
  bool passed_ = false;        ///< the barrier of close()
  std::size_t unanswered_ = 0; ///< promises to hosts
  std::size_t reading_ = 0;
  result<void> sealed_;
  std::function<void(result<void>)> when_ended_;
};

} // namespace mneme
