#pragma once
/// Arguments that commands share.

#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "tools/command/commands.hpp"
#include "tools/command/world_access.hpp"

namespace mneme::command {

/// Refuses "" where a file or directory is to be named, such as an unset variable of a script.
CLI::Validator not_empty();

/// What a shell makes of ~: configurations of clients are read by none.
std::string in_home_directory(const std::string& directory);

/// DIR and --json; --read-only where the command only reads.
void add_common(CLI::App& command, common_options& options, bool only_reads);

/// A subcommand whose options live as long as the app: `Options` has a common_options `common`.
template <class Options, class Declare, class Run>
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      bool only_reads, command_result& outcome, Declare declare, Run run) {
  CLI::App* command = app.add_subcommand(name, description);
  auto options = std::make_shared<Options>();
  add_common(*command, options->common, only_reads);
  declare(*command, *options);
  command->callback([options, run, &outcome] { outcome.exit = run(*options); });
  return command;
}

/// An option that takes one value and may be given again.
template <class Values>
void declare_repeated(CLI::App& c, const char* name, Values& values, const char* description) {
  c.add_option(name, values, description)->take_all()->expected(1)->allow_extra_args(false);
}

/// Sets `key` where the value was given.
template <class T>
void set_if(json& request, const char* key, const std::optional<T>& value);

} // namespace mneme::command
