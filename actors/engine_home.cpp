#include "actors/engine_home.hpp"

#include <utility>

#include "messages/ensure.hpp"
#include "mneme/caf.hpp"

namespace mneme {

engine_home::own_config::own_config(std::size_t readers) {
  configure(*this);
  // For each reader one, and one for the committer and its owners.
  set("scheduler.max-threads", readers + 1);
}

std::shared_ptr<running_engine> engine_home::start(opened_engine opened) {
  return start(std::shared_ptr<world>(std::move(opened.state)), std::move(opened.actors));
}

std::shared_ptr<running_engine> engine_home::start(std::shared_ptr<world> state,
                                                   actor_options options) {
  ensure(state != nullptr, "an engine is of a world");
  auto started = std::make_shared<running_engine>();
  started->state = std::move(state);
  started->options = std::move(options);
  started->actors = spawn_actors(system, started->state, started->options);
  // This thread would keep a reference to the system's logger, for which the system's end waits:
  // for ever in another thread, and in freed memory where the engine is a static of the program.
  caf::logger::set_current_actor_system(nullptr);
  started->member = join_log(started->options, started->actors);
  started->state->lease.reset(); // it is the member's from now on
  return started;
}

} // namespace mneme
