#pragma once
/// What a world holds, in numbers, at the same cost however much it holds.

#include "mneme/engine.hpp"
#include "state/world.hpp"

namespace mneme {

world_stats read_stats(world& w);

} // namespace mneme
