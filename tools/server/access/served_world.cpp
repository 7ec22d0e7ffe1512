#include "tools/server/access/served_world.hpp"

#include <algorithm>

#include <CLI/App.hpp>

#include "tools/command/world_arguments.hpp"
#include "tools/server/access/log_address.hpp"
#include "tools/server/access/vacant_directory.hpp"

namespace mneme::server {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

bool served_options::has_compat(std::string_view name) const {
  return std::ranges::find(compat, name) != compat.end();
}

bool served_options::reads_beside() const {
  return only_reads && !follows && !log;
}

void add_served_options(CLI::App& command, served_options& options,
                        const std::vector<std::string>& compat) {
  command
      .add_option("DIR", options.common.directory,
                  "directory of the world; made where there is none, unless --must-exist")
      ->required()
      ->check(command::not_empty())
      ->transform(command::in_home_directory);
  command.add_flag("--must-exist", options.must_exist, "refuse where there is no world");
  command
      .add_option_function<std::string>(
          "--tools", [&options](const std::string& which) { options.all_tools = which == "all"; },
          "of MCP: basic (default: context, search, remember, update, forget, "
          "restore) or all")
      ->check(CLI::IsMember({"basic", "all"}));
  command.add_option("--embedder", options.embedder,
                     "of a new world: hash:384 (default), hash:N, none or http:URL");
  command.add_option("--audience", options.audience, "of searches that name none")
      ->check(CLI::IsMember({"personal", "work"}));
  command.add_option("--keep-days", options.keep_days,
                     "trim, when it is worth it, how the world was used before so many days");
  command.add_option("--keep-entries", options.keep_entries,
                     "and before so many entries: what either keeps stays");
  command.add_flag("--trim-versions", options.trims_versions,
                   "where it trims: also what memories said before and have said otherwise since");
  command.add_option(
      "--scope-keys", options.scope_keys,
      "file of {\"agent\": base64 of its Ed25519 public key}: scopes are then taken");
  command.add_option("--log", options.log,
                     "postgresql://…#NAME: where the world is kept, if DIR has none yet "
                     "(docs/SCALE.md)");
  auto* follow = command.add_flag("--follow", options.follows,
                                  "of a world on a log: answer reads, as of what its leader wrote");
  command.add_flag("--may-lead", options.may_lead, "take the lead when nobody has it")
      ->needs(follow);
  command.add_option("--advertise", options.advertised,
                     "URL where this server is asked while it leads: others name it to who writes");
  command
      .add_option("--compat", options.compat,
                  "also for clients of others (docs/CLIENTS.md), with commas between: "
                      + listed(compat))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(compat));
  command.add_flag("--offer-erase", options.offers_erase,
                   "MCP clients with the host's rights also get the tool erase, which is for good");
}

result<void> check_made_with(const served_options& options) {
  engine_options asked;
  asked.directory = options.common.directory;
  asked.embedder_spec = options.embedder;
  return engine::check_made_with(asked);
}

result<engine> open_served(const served_options& options, bool may_make) {
  engine_options opening;
  opening.directory = options.common.directory;
  opening.embedder_spec = options.embedder;
  if (options.log)
    if (auto ok = check_log_address(*options.log); !ok) return propagate(ok);
  opening.log = options.log;
  opening.follow = options.follows;
  opening.read_only = options.reads_beside();
  opening.may_lead = options.may_lead;
  opening.advertised = options.advertised;
  constexpr std::int64_t ns_of_a_day = 86'400LL * 1'000'000'000;
  opening.retention = {.entries = options.keep_entries.value_or(0),
                       .ns = std::int64_t{options.keep_days.value_or(0)} * ns_of_a_day,
                       .trims_versions = options.trims_versions};
  if (options.audience) opening.audience = parse_enum<lifecycle_audience>(*options.audience);
  if (options.scope_keys) {
    auto keys = command::read_agent_keys(*options.scope_keys);
    if (!keys) return propagate(keys);
    opening.keys = std::move(*keys);
  }
  const bool opens_only = options.only_reads || options.must_exist || !may_make;
  const bool makes = !opens_only && is_vacant(opening.directory);
  auto target = opens_only ? command::open_existing(std::move(opening))
                           : command::open_or_create(std::move(opening));
  if (target && makes && options.log)
    command::tell("mneme: there was no world in {}; it is a copy of the log now\n",
                  options.common.directory);
  else if (target && makes)
    command::tell("mneme: there was no world in {}; a new one was made\n",
                  options.common.directory);
  if (target) command::tell_of_opening(*target);
  return target;
}

command::status close_served(const served_options& options, engine& target) {
  if (auto closed = target.close(); !closed) return command::report(options.common, closed.error());
  return command::status::done;
}

} // namespace mneme::server
