#pragma once
/// The seeded order of messages: CAF's testing scheduler runs one message of one runnable actor per
/// step, and which actor that is, the seed decides. Order between a sender and a receiver stays
/// first in, first out, as CAF promises; nothing else does.

#include <cstdint>
#include <map>

#include <caf/actor_system.hpp>

#include "sim/random_stream.hpp"
#include "sim/step_log.hpp"

namespace caf::scheduler {
class test_coordinator;
}

namespace mneme::sim {

class seeded_scheduler {
public:
  /// Makes `config` one whose system a seeded_scheduler can drive.
  static void configure(caf::actor_system_config& config);

  /// Draws from `choices`; all three must outlive the scheduler.
  seeded_scheduler(caf::actor_system& system, random_stream& choices, step_log& log);

  [[nodiscard]] bool has_job() const;
  /// Runs one message. Precondition: has_job().
  void run_one(std::uint64_t step);
  /// Delivers every message that was sent for later.
  void fire_timers();
  /// Runs messages in their own order until none is left; false if `most` were not enough.
  bool drain(std::uint64_t most);

private:
  std::uint64_t eagerness_of(std::size_t job);

  caf::scheduler::test_coordinator& jobs_;
  random_stream& choices_;
  step_log& log_;
  std::map<std::uint64_t, std::uint64_t> eagerness_; ///< by actor id: some are slow, some quick
};

} // namespace mneme::sim
