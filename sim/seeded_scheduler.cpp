#include "sim/seeded_scheduler.hpp"

#include <array>

#include <caf/actor_system_config.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "messages/ensure.hpp"

namespace mneme::sim {

void seeded_scheduler::configure(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("testing"));
}

seeded_scheduler::seeded_scheduler(caf::actor_system& system, random_stream& choices, step_log& log)
    : jobs_(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
      choices_(choices),
      log_(log) {
}

bool seeded_scheduler::has_job() const {
  return !jobs_.jobs.empty();
}

std::uint64_t seeded_scheduler::eagerness_of(std::size_t job) {
  const auto* actor = dynamic_cast<caf::scheduled_actor*>(jobs_.jobs[job]);
  if (actor == nullptr) return 8;
  const auto [known, is_new] = eagerness_.try_emplace(actor->id(), 0);
  if (is_new) known->second = choices_.pick(std::array<std::uint64_t, 5>{1, 8, 8, 8, 40});
  return known->second;
}

void seeded_scheduler::run_one(std::uint64_t step) {
  ensure(has_job(), "there is a message to run");
  std::uint64_t whole = 0;
  for (std::size_t i = 0; i < jobs_.jobs.size(); ++i) whole += eagerness_of(i);
  std::uint64_t point = choices_.below(whole);
  std::size_t chosen = 0;
  while (point >= eagerness_of(chosen)) point -= eagerness_of(chosen++);
  log_.add(step, "run", chosen, jobs_.jobs.size());
  const auto from = jobs_.jobs.begin() + static_cast<std::ptrdiff_t>(chosen);
  std::rotate(jobs_.jobs.begin(), from, from + 1);
  jobs_.run_once();
}

void seeded_scheduler::fire_timers() {
  jobs_.trigger_timeouts();
}

bool seeded_scheduler::drain(std::uint64_t most) {
  for (; has_job(); --most) {
    if (most == 0) return false;
    jobs_.run_once();
  }
  return true;
}

} // namespace mneme::sim
