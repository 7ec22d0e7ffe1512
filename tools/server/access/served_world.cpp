#include "tools/server/access/served_world.hpp"

#include <CLI/App.hpp>

#include "tools/command/log_address.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::server {

void add_served_options(CLI::App& command, served_options& options) {
  command
      .add_option("DIR", options.common.directory,
                  "directory of the world; made where there is none")
      ->required()
      ->check(command::not_empty());
  command.add_option("--embedder", options.embedder,
                     "of a new world: hash:384 (default), hash:N, none or http:URL");
  command.add_option("--audience", options.audience, "of searches that name none")
      ->check(CLI::IsMember({"personal", "work"}));
  command.add_option("--keep-days", options.keep_days,
                     "trim, when it opens, how the world was used before so many days");
  command.add_option("--keep-entries", options.keep_entries,
                     "and before so many entries: what either keeps stays");
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
      .add_option_function<std::string>(
          "--compat", [&options](const std::string&) { options.reference_memory = true; },
          "reference-memory: also the nine tools of the reference memory server")
      ->check(CLI::IsMember({"reference-memory"}));
  command.add_flag("--offer-erase", options.offers_erase,
                   "MCP clients with the host's rights also get the tool erase, which is for good");
}

result<engine> open_served(const served_options& options) {
  engine_options opening;
  opening.directory = options.common.directory;
  opening.embedder_spec = options.embedder;
  if (options.log)
    if (auto ok = command::check_log_address(*options.log); !ok) return propagate(ok);
  opening.log = options.log;
  opening.follow = options.follows;
  opening.may_lead = options.may_lead;
  opening.advertised = options.advertised;
  constexpr std::int64_t ns_of_a_day = 86'400LL * 1'000'000'000;
  opening.retention = {.entries = options.keep_entries.value_or(0),
                       .ns = std::int64_t{options.keep_days.value_or(0)} * ns_of_a_day};
  if (options.audience) opening.audience = parse_enum<lifecycle_audience>(*options.audience);
  if (options.scope_keys) {
    auto keys = command::read_agent_keys(*options.scope_keys);
    if (!keys) return propagate(keys);
    opening.keys = std::move(*keys);
  }
  auto target = options.only_reads ? command::open_existing(std::move(opening))
                                   : command::open_or_create(std::move(opening));
  if (target) command::tell_of_opening(*target);
  return target;
}

command::status close_served(const served_options& options, engine& target) {
  if (auto closed = target.close(); !closed) return command::report(options.common, closed.error());
  return command::status::done;
}

} // namespace mneme::server
