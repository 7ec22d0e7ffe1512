// The mneme command: parses the command line and runs one command group.

#include <sstream>

#include <fmt/format.h>

#include "tools/command/commands.hpp"
#include "tools/server/server_commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace {

using namespace mneme;
using namespace mneme::command;

status run(int argc, char** argv) {
  CLI::App app("mneme: a memory engine for agents", "mneme");
  app.require_subcommand(1);
  app.set_version_flag("--version", "mneme " MNEME_VERSION);
  command_result outcome;
  add_world_commands(app, outcome);
  add_import_commands(app, outcome);
  add_write_commands(app, outcome);
  add_read_commands(app, outcome);
  add_find_command(app, outcome);
  add_chroma_commands(app, outcome);
  add_agent_commands(app, outcome);
  add_scope_command(app, outcome);
  add_search_commands(app, outcome);
  add_topic_commands(app, outcome);
  add_proof_commands(app, outcome);
  add_shell_command(app, outcome);
  server::add_serve_command(app, outcome);
  server::add_mcp_command(app, outcome);
  server::add_key_command(app, outcome);
  add_sim_command(app, outcome);
  add_help_command(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) { // --help, --version
      std::ostringstream text;
      app.exit(e, text, text);
      put(text.str());
      return status::done;
    }
    const auto called = app.get_subcommands();
    fmt::print(stderr, "mneme: {}\n       see: mneme {}--help\n", e.what(),
               called.empty() ? "" : called.front()->get_name() + " ");
    return status::bad_input;
  }
  return outcome.exit;
}

} // namespace

int main(int argc, char** argv) {
  prepare_streams();
  try {
    const status ended = run(argc, argv);
    return static_cast<int>(finish_output() ? ended : status::store);
  } catch (const std::exception& e) {
    // Only what no wrapping file could foresee, such as memory running out.
    fmt::print(stderr, "mneme: {}\n", e.what());
    return static_cast<int>(status::store);
  }
}
