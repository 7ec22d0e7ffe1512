#pragma once
/// A tick whose vectors come, and whose ids and distances go, in arrays of the caller.

#include "mneme/engine.hpp"
#include "mneme/mneme.h"
#include "tools/protocol/json_text.hpp"

namespace mneme::library {

/// Runs the round, fills its arrays, and answers what mneme_tick_arrays() says besides. bad_value
/// for another struct_size; missing_key for an array that is asked for and not there; what parsing
/// `find` and `write` refuses with, under these keys.
result<protocol::json> run_array_tick(engine& target, const mneme_round& round);

} // namespace mneme::library
