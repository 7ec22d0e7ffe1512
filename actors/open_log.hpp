#pragma once
/// The log that a world is kept in, before the world is opened.

#include <optional>

#include "actors/log_member.hpp"
#include "mneme/engine.hpp"
#include "state/open_world.hpp"

namespace mneme {

/// Where the options or the directory name a log: founds it with `w.fresh` if the options do and it
/// has no world yet, else makes `w.fresh` what it was founded with; says in `w.log` how to lead it.
/// Without any: nothing. bad_value if directory and log are of two worlds. Of a follower: how it
/// takes part when the world is open.
result<std::optional<log_membership>> place_on_log(world_options& w, const engine_options& options);

} // namespace mneme
