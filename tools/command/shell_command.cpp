// shell: the line protocol in a pipe, a prompt on a terminal.

#include <fmt/format.h>

#include "tools/command/commands.hpp"
#include "tools/command/prompt.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/import/ingest_source.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/line_reader.hpp"

#include <nlohmann/json.hpp>

namespace mneme::command {

namespace {

struct shell_options {
  common_options common;
  std::string clock = "system";
  std::optional<std::uint64_t> seed;
  bool in_memory = false;
  std::optional<std::string> embedder;
  std::optional<std::string> search;
  std::optional<std::string> language;
  std::optional<std::string> audience;
  std::string world;
  std::string commit;
  std::string queries = "caller";
  std::optional<std::string> keys;
};

constexpr timestamp manual_start{946'684'800'000'000'000}; // 2000-01-01T00:00:00Z

engine_options options_of(const shell_options& o, const std::shared_ptr<manual_clock>& clock) {
  engine_options options;
  if (!o.in_memory) options.directory = o.common.directory;
  options.world_name = o.world;
  options.embedder_spec = o.embedder;
  options.search_spec = o.search;
  options.language = o.language;
  if (o.audience) options.audience = parse_enum<lifecycle_audience>(*o.audience);
  options.seed = o.seed;
  options.clock = clock;
  // Runs that must repeat give the same journal bytes and never ask an approximate index.
  options.exact_near = o.seed.has_value();
  const bool per_request = o.commit.empty() ? o.seed.has_value() : o.commit == "per_request";
  options.commit = per_request ? commit_mode::per_request : commit_mode::grouped;
  options.queries = o.queries == "coordinator" ? query_driver::coordinator : query_driver::caller;
  return options;
}

/// Answers line by line until the input ends or nobody reads the output any more.
void run_protocol(protocol::session& session) {
  using protocol::line_reader;
  line_reader lines(stdin, protocol::max_line_bytes);
  const std::string too_long = protocol::print(
      protocol::error_json({errc::line_too_long,
                            fmt::format("a line has at most {} bytes", protocol::max_line_bytes),
                            {}}));
  std::string line;
  for (;;) {
    const auto outcome = lines.next(line);
    if (outcome == line_reader::outcome::end) return;
    const bool is_whole = outcome == line_reader::outcome::line;
    if (!put_line(is_whole ? session.answer(line) : too_long)) return;
    if (!lines.has_buffered_line() && !flush_output()) return;
  }
}

status run_shell(const shell_options& o) {
  if (!o.in_memory && o.common.directory.empty())
    return report(o.common, error{errc::missing_key, "give a directory, or --in-memory", {}});
  std::shared_ptr<manual_clock> clock;
  if (o.clock == "manual") clock = std::make_shared<manual_clock>(manual_start);
  auto options = options_of(o, clock);
  if (o.keys) {
    auto keys = read_agent_keys(*o.keys);
    if (!keys) return report(o.common, keys.error());
    options.keys = std::move(*keys);
  }
  auto target = open_or_create(std::move(options));
  if (!target) return report(o.common, target.error());
  tell_of_opening(*target);
  if (clock != nullptr && target->published().value > 0) clock->set(target->last_entry_at());
  protocol::session session(*target, clock.get(), importing::ingest_source);
  if (is_terminal(stdin) && !o.common.json)
    run_prompt(session);
  else
    run_protocol(session);
  if (auto closed = target->close(); !closed) {
    print_error(closed.error(), o.common.directory);
    return status_of(closed.error().code);
  }
  return status::done;
}

} // namespace

void add_shell_command(CLI::App& app, command_result& outcome) {
  CLI::App* c = app.add_subcommand("shell", "Requests line by line (mneme help ops)");
  auto o = std::make_shared<shell_options>();
  auto* directory =
      c->add_option("DIR", o->common.directory, "directory of the world; made where there is none")
          ->check(not_empty());
  c->add_flag("--json", o->common.json, "the line protocol, also on a terminal");
  c->add_option("--clock", o->clock, "system (default) or manual: set with the op clock")
      ->check(CLI::IsMember({"system", "manual"}));
  c->add_option("--keys", o->keys,
                "file of {\"agent\": base64 of its Ed25519 public key}: scopes are then taken");
  c->add_option("--seed", o->seed,
                "fixes ids and a new world's id: the same lines, the same bytes");
  c->add_flag("--in-memory", o->in_memory, "nothing on disk")->excludes(directory);
  c->add_option("--embedder", o->embedder,
                "of a new world: hash:384 (default), hash:N, none or http:URL");
  c->add_option("--search", o->search, "of a new world: search weights (mneme help search)");
  c->add_option("--language", o->language, "of a new world: what its texts are written in");
  c->add_option("--audience", o->audience, "of searches that name none")
      ->check(CLI::IsMember({"personal", "work"}));
  c->add_option("--world", o->world, "name of a new world");
  c->add_option("--commit", o->commit, "grouped (default), or per_request (default with --seed)")
      ->check(CLI::IsMember({"grouped", "per_request"}));
  c->add_option("--queries", o->queries,
                "who runs them: caller (default) or coordinator (actors); same answers")
      ->check(CLI::IsMember({"caller", "coordinator"}));
  c->callback([o, &outcome] { outcome.exit = run_shell(*o); });
}

} // namespace mneme::command
