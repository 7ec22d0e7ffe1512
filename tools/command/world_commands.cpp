// init, root, snapshot, journal, checkpoint, stats.

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "mneme/join.hpp"
#include "mneme/postgres_log.hpp"
#include "tools/command/render.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/server/access/log_address.hpp"
#include "tools/server/access/vacant_directory.hpp"

namespace mneme::command {

namespace {

struct init_options {
  common_options common;
  std::string world;
  std::optional<std::string> embedder;
  std::optional<std::string> search;
  std::optional<std::string> language;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> log;
  std::optional<std::string> from;
};

/// Nothing is claimed, and of the log only its end is read.
result<json> join_log(const init_options& o) {
  if (!o.log) return fail(errc::bad_value, "a copy joins a log: --log says which", "log");
  if (!o.world.empty() || o.embedder || o.search || o.language || o.seed)
    return fail(errc::bad_value,
                "who joins has what the log's world has, and asks for nothing else", "from");
  auto joined = join_world(*o.from, o.common.directory, *o.log, make_postgres_log);
  if (!joined) return propagate(joined);
  return json{{"seq", joined->at.value}};
}

bool is_file(const std::string& path) {
  std::error_code problem;
  return std::filesystem::exists(path, problem) && !std::filesystem::is_directory(path, problem);
}

result<json> init_world(const init_options& o) {
  const auto broken_off = broken_off_in(o.common.directory);
  if (broken_off && !o.from) return std::unexpected(*broken_off);
  if (!broken_off && !server::is_vacant(o.common.directory)) {
    if (is_copy_of_log(o.common.directory))
      return fail(errc::already_exists,
                  o.common.directory
                      + " is the copy of a log already, whole or begun: any command that opens it "
                        "fetches what it lacks, and so does `mneme serve --follow`");
    return fail(errc::already_exists,
                o.common.directory + (is_file(o.common.directory) ? " is a file" : " is not empty")
                    + "; a new world needs a directory of its own");
  }
  if (o.log)
    if (auto ok = server::check_log_address(*o.log); !ok) return propagate(ok);
  if (o.from) return join_log(o);
  engine_options options;
  options.log = o.log;
  options.directory = o.common.directory;
  options.world_name = o.world;
  options.embedder_spec = o.embedder;
  options.search_spec = o.search;
  options.language = o.language;
  options.seed = o.seed;
  auto made = open_or_create(std::move(options));
  if (!made && made.error().code == errc::busy && o.log)
    made.error().message += ". To follow: mneme serve " + o.common.directory
                            + " --log LOG --follow, and --may-lead if it may";
  if (!made) return propagate(made);
  auto roots = made->root();
  auto stats = made->stats();
  if (auto closed = made->close(); !closed) return propagate(closed);
  if (!roots) return propagate(roots);
  if (!stats) return propagate(stats);
  return json{{"world", stats->world_name},     {"world_id", to_hex(stats->world)},
              {"embedder", stats->embedder},    {"language", stats->language},
              {"root", to_hex(roots->overall)}, {"seq", roots->seq.value}};
}

struct plain_options {
  common_options common;
};

struct snapshot_options {
  common_options common;
  std::string reason;
  std::optional<std::string> actor;
};

struct root_options {
  common_options common;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
};

struct journal_options {
  common_options common;
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> limit;
};

/// Which memory an entry is of, and its first words, as far as a change of the feed says so.
void add_memories(json& answer, const world_question& ask) {
  json& entries = answer["entries"];
  if (entries.empty()) return;
  const auto first = entries.front()["seq"].get<std::int64_t>();
  const auto last = entries.back()["seq"].get<std::int64_t>();
  json memories = json::object();
  for (std::int64_t since = first - 1; since < last;) {
    auto page = ask("changes", {{"since", since},
                                {"limit", std::min<std::int64_t>(last - since, 1000)},
                                {"with_record", true}});
    if (!page) break;
    for (const auto& change : (*page)["changes"]) {
      if (!change.contains("uri")) continue;
      const json record = change.value("record", json::object());
      const json forms =
          record.is_object() ? record.value("forms", json::object()) : json::object();
      memories.emplace(std::to_string(change["seq"].get<std::int64_t>()),
                       json{{"uri", change["uri"]}, {"text", forms.value("short", "")}});
    }
    const auto next = (*page)["next"].get<std::int64_t>();
    if (next <= since) break;
    since = next;
  }
  for (auto& e : entries)
    if (const auto m = memories.find(std::to_string(e["seq"].get<std::int64_t>()));
        m != memories.end())
      e["memory"] = *m;
}

} // namespace

void add_world_commands(CLI::App& app, command_result& outcome) {
  add_command<init_options>(
      app, "init", "Make a world in a missing or empty directory", false, outcome,
      [](CLI::App& c, init_options& o) {
        c.add_option("--world", o.world, "name of the world");
        c.add_option("--embedder", o.embedder,
                     "hash:384 (default), hash:N, none, or http:URL (mneme help embedder)");
        c.add_option("--search", o.search, "search weights, as name=number,…");
        c.add_option("--language", o.language,
                     "what its texts are written in: german, french, … or none (english)");
        c.add_option("--seed", o.seed, "fixes the world's id");
        c.add_option(
            "--log", o.log,
            "postgresql://…#NAME: keep the journal there; a world that is there is joined");
        c.add_option("--from", o.from,
                     "with --log: join it from this backup, or directory, of a copy of it")
            ->check(not_empty());
      },
      [](const init_options& o) {
        auto answer = init_world(o);
        if (!answer) return report(o.common, answer.error());
        print_answer(o.common, "init", *answer);
        return status::done;
      });
  add_command<root_options>(
      app, "root", "Print the root over all state (hex)", true, outcome,
      [](CLI::App& c, root_options& o) {
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
      },
      [](const root_options& o) {
        json request = json::object();
        set_if(request, "at_seq", o.at_seq);
        set_if(request, "at", o.at);
        return run_request(o.common, "root", std::move(request));
      });
  add_command<snapshot_options>(
      app, "snapshot", "Pin the present roots in the journal", false, outcome,
      [](CLI::App& c, snapshot_options& o) {
        c.add_option("--reason", o.reason, "why");
        c.add_option("--actor", o.actor, "who");
      },
      [](const snapshot_options& o) {
        json request{{"reason", o.reason}};
        set_if(request, "actor", o.actor);
        return run_request(o.common, "snapshot", std::move(request));
      });
  add_command<journal_options>(
      app, "journal", "List entries of the journal", true, outcome,
      [](CLI::App& c, journal_options& o) {
        c.add_option("--from", o.from, "first seq (1)");
        c.add_option("--limit", o.limit, "how many (100)");
      },
      [](const journal_options& o) {
        json request = json::object();
        set_if(request, "from", o.from);
        set_if(request, "limit", o.limit);
        return run_request(o.common, "journal", std::move(request), add_memories);
      });
  add_command<plain_options>(
      app, "checkpoint", "Make the next open fast", false, outcome,
      [](CLI::App&, plain_options&) {},
      [](const plain_options& o) { return run_request(o.common, "checkpoint", json::object()); });
  add_command<plain_options>(
      app, "stats", "Counts and sizes", true, outcome, [](CLI::App&, plain_options&) {},
      [](const plain_options& o) { return run_request(o.common, "stats", json::object()); });
}

} // namespace mneme::command
