#pragma once
/// A trim of a world that is not open: planned from its journal, said in an entry, and done by
/// opening the world behind that.

#include "mneme/retention.hpp"
#include "state/open_world.hpp"

namespace mneme {

/// `options` open the world, with locks of their own.
result<trim_report> trim_files(const world_options& options, const trim_options& trim);

/// Before the world is opened by `options`: trims it by the rule of retention_rule.hpp. What keeps
/// it from being trimmed keeps nobody from opening it.
void trim_if_worth_it(const world_options& options, const kept_history& kept);

} // namespace mneme
