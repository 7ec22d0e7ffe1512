#pragma once
/// The Model Context Protocol over standard input and output: one message a line. Requests run in
/// order, one at a time; pings and cancellations are heard meanwhile.

#include "tools/server/mcp/line_input.hpp"
#include "tools/server/mcp/mcp_server.hpp"

namespace mneme::server {

/// Until the input ends or is stopped; what came before is answered. `write_line` sends a line
/// without its end and is called by one thread at a time; false ends it all.
/// Changes are waited for at `to`, until `stop_waiting`, which is called at the end.
void serve_stdio(mcp_server& server, door& to, const client& who, line_input& input,
                 const std::function<bool(const std::string& line)>& write_line,
                 const std::function<void()>& stop_waiting);

} // namespace mneme::server
