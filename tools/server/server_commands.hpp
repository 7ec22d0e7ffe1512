#pragma once
/// The command groups of the servers.

#include "tools/command/commands.hpp"

namespace mneme::server {

void add_serve_command(CLI::App& app, command::command_result& outcome);
void add_mcp_command(CLI::App& app, command::command_result& outcome);
void add_key_command(CLI::App& app, command::command_result& outcome); // key add list revoke

} // namespace mneme::server
