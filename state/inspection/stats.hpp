#pragma once
/// What a world holds, in numbers.

#include "mneme/engine.hpp"
#include "state/world.hpp"

namespace mneme {

result<world_stats> read_stats(world& w);

} // namespace mneme
