#pragma once
/// The shell on a terminal: history, completion of ops, answers as tables.

#include "tools/protocol/session.hpp"

namespace mneme::command {

/// Until `quit` or the end of input. A line is a request as JSON, or the name of an op with the
/// rest of the request behind it: `find {"types":["Note"],"limit":5}`.
void run_prompt(protocol::session& session);

} // namespace mneme::command
