#pragma once
/// The typed public handle: takes a host's messages and delegates to the other actors.

#include "actors/engine_life.hpp"

namespace mneme {

internal_engine_actor::behavior_type engine_behavior(internal_engine_actor::pointer self,
                                                     std::shared_ptr<running_engine> engine);

} // namespace mneme
