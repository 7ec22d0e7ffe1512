// The mneme command: parses the command line and runs one command group.

#include <fmt/format.h>

#include "tools/command/commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace {

int run(int argc, char** argv) {
  using namespace mneme::command;
  CLI::App app("mneme: a memory engine for agents", "mneme");
  app.require_subcommand(1);
  app.set_version_flag("--version", "mneme " MNEME_VERSION);
  command_result outcome;
  add_world_commands(app, outcome);
  add_import_commands(app, outcome);
  add_write_commands(app, outcome);
  add_read_commands(app, outcome);
  add_find_command(app, outcome);
  add_proof_commands(app, outcome);
  add_shell_command(app, outcome);
  add_sim_command(app, outcome);
  add_help_command(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
    const auto called = app.get_subcommands();
    fmt::print(stderr, "mneme: {}\n       see: mneme {}--help\n", e.what(),
               called.empty() ? "" : called.front()->get_name() + " ");
    return static_cast<int>(status::bad_input);
  }
  if (std::fflush(stdout) != 0) return static_cast<int>(status::store);
  return static_cast<int>(outcome.exit);
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    // Only what no wrapping file could foresee, such as memory running out.
    fmt::print(stderr, "mneme: {}\n", e.what());
    return static_cast<int>(mneme::command::status::store);
  }
}
