#pragma once
/// A trim of a world that is not open: planned from its journal, said in an entry, and done by
/// opening the world behind that.

#include "mneme/retention.hpp"
#include "state/world.hpp"

namespace mneme {

/// `options` open the world, with locks of their own.
result<trim_report> trim_files(const world_options& options, const trim_options& trim);

} // namespace mneme
