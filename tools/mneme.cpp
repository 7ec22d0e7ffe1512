// The mneme command: parses the command line and runs one command group.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "tools/command/commands.hpp"
#include "tools/protocol/near_name.hpp"
#include "tools/server/server_commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace {

using namespace mneme;
using namespace mneme::command;

/// What is wrong when no command was found; `arguments` as main has them.
std::string no_command(const CLI::App& app, std::span<char* const> arguments) {
  const auto first =
      std::ranges::find_if(arguments.subspan(std::min<std::size_t>(1, arguments.size())),
                           [](std::string_view a) { return !a.starts_with('-'); });
  if (first == arguments.end()) return "no command is given";
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fmt::format("there is no command \"{}\"{}", *first, protocol::suggestion(*first, known));
}

/// The parser of arguments cuts whole numbers to what fits; here they are refused.
template <class Number>
std::string refuse_if_cut(const std::string& text) {
  const auto digits = text.starts_with('-') ? std::string_view(text).substr(1) : text;
  if (digits.empty() || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return {}; // no whole number: what the parser says
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool fits = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return fits ? std::string() : text + " is out of range";
}

void refuse_cut_numbers(CLI::App& app) {
  for (auto* option : app.get_options()) {
    if (option->get_type_name() == "INT")
      option->check(refuse_if_cut<std::int64_t>);
    else if (option->get_type_name() == "UINT")
      option->check(refuse_if_cut<std::uint64_t>);
  }
  for (auto* command : app.get_subcommands({})) refuse_cut_numbers(*command);
}

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
  add_weights_command(app, outcome);
  add_erase_command(app, outcome);
  add_trim_command(app, outcome);
  add_reembed_command(app, outcome);
  add_topic_commands(app, outcome);
  add_absent_command(app, outcome);
  add_list_commands(app, outcome);
  add_changes_command(app, outcome);
  add_selection_commands(app, outcome);
  add_proof_commands(app, outcome);
  add_branch_commands(app, outcome);
  add_diff_command(app, outcome);
  add_receipt_command(app, outcome);
  add_shell_command(app, outcome);
  server::add_serve_command(app, outcome);
  server::add_mcp_command(app, outcome);
  server::add_key_command(app, outcome);
  add_sim_command(app, outcome);
  add_bench_command(app, outcome);
  add_help_command(app, outcome);
  refuse_cut_numbers(app);
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
    const bool is_unknown = called.empty() && e.get_name() == "RequiredError";
    tell("mneme: {}\n       see: mneme {}--help\n",
         is_unknown ? no_command(app, {argv, static_cast<std::size_t>(argc)}) : e.what(),
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
    tell("mneme: {}\n", e.what());
    return static_cast<int>(status::store);
  }
}
