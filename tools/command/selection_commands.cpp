// forget and supersede: by words, for who knows no ids; restore, which undoes them.

#include <nlohmann/json.hpp>

#include "tools/command/data_arguments.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/session.hpp"

namespace mneme::command {

namespace {

struct selection_options {
  common_options common;
  std::optional<std::string> words;
  std::vector<std::string> arguments; ///< of the new memory
  std::optional<std::string> type;
  std::vector<std::string> types;
  std::vector<std::string> tags;
  std::optional<std::int64_t> limit;
  std::optional<std::string> actor;
  std::optional<std::string> reason;
  std::optional<std::string> cause;
  std::optional<std::string> by;
  bool dry_run = false;
};

void add_selection(json& request, const selection_options& o) {
  if (!o.types.empty()) request["types"] = o.types;
  if (!o.tags.empty()) request["tags"] = o.tags;
  set_if(request, "limit", o.limit);
  set_if(request, "actor", o.actor);
  set_if(request, "by", o.by);
  if (o.dry_run) request["dry_run"] = true;
}

/// Does anything say that words were meant? Topics take none of it.
bool is_of_words(const selection_options& o) {
  return o.dry_run || !o.types.empty() || !o.tags.empty() || o.limit || o.by || o.reason || o.cause;
}

struct restore_options {
  common_options common;
  std::vector<std::string> targets;
  std::optional<std::string> actor;
  std::optional<std::string> by;
  std::optional<std::int64_t> expect_version;
};

/// One request, or a batch of several, which come back together or not at all.
status run_restore(const restore_options& o) {
  json items = json::array();
  for (const std::string& target : o.targets) {
    json request{{"id", target}};
    if (is_request_argument(target)) {
      auto read = read_request_argument(target);
      if (!read) return report(o.common, read.error());
      request = std::move(*read);
    }
    set_if(request, "actor", o.actor);
    set_if(request, "by", o.by);
    set_if(request, "expect_version", o.expect_version);
    items.push_back(std::move(request));
  }
  if (items.size() == 1) return run_request(o.common, "restore", std::move(items.front()));
  for (json& item : items) item["op"] = "restore";
  return with_world(o.common, [&](engine& target) -> result<status> {
    protocol::session session(target);
    auto answer = session.run("batch", {{"items", std::move(items)}});
    if (!answer) return propagate(answer);
    print_answer(o.common, "restore", *answer);
    return status::done;
  });
}

status run_forget(const selection_options& o) {
  json request = json::object();
  if (!o.words && is_of_words(o))
    return report(o.common, {errc::missing_key, "say in WORDS what to forget", "words"});
  if (!o.words) { // topics that nobody asks for
    set_if(request, "actor", o.actor);
    return run_request(o.common, "forget", std::move(request));
  }
  if (is_request_argument(*o.words)) {
    auto read = read_request_argument(*o.words);
    if (!read) return report(o.common, read.error());
    request = std::move(*read);
  } else {
    request["words"] = *o.words;
  }
  add_selection(request, o);
  set_if(request, "reason", o.reason);
  set_if(request, "cause", o.cause);
  return run_request(o.common, "forget_matching", std::move(request));
}

result<json> supersede_request_of(const selection_options& o) {
  json request = json::object();
  if (o.arguments.size() == 1 && is_request_argument(o.arguments.front())) {
    auto read = read_request_argument(o.arguments.front());
    if (!read) return read;
    request = std::move(*read);
  } else {
    if (!o.type)
      return fail(errc::missing_key, "give a request as JSON, or --type and FIELD=VALUE", "type");
    auto data = read_data_arguments(*o.type, o.arguments);
    if (!data) return data;
    request["write"] = {{"type", *o.type}, {"data", std::move(*data)}};
  }
  set_if(request, "words", o.words);
  add_selection(request, o);
  return request;
}

void declare_selection(CLI::App& c, selection_options& o) {
  declare_repeated(c, "--only-type", o.types, "only these types (all but Chunk); may be repeated");
  declare_repeated(c, "--tag", o.tags, "only what has all of these; may be repeated");
  c.add_option("--limit", o.limit, "refuse if more match (1000)");
  c.add_option("--actor", o.actor, "who acts, among his own memories");
  c.add_option("--by", o.by, "who is noted (default: the actor)");
  c.add_flag("--dry-run", o.dry_run, "only show what is selected, and why");
}

} // namespace

void add_selection_commands(CLI::App& app, command_result& outcome) {
  add_command<restore_options>(
      app, "restore",
      "Bring back what was tombstoned or forgotten, or an archived topic, as it was", false,
      outcome,
      [](CLI::App& c, restore_options& o) {
        c.add_option("ID", o.targets, "ids or uris: all or none; or a request as JSON, or -")
            ->required();
        c.add_option("--actor", o.actor, "who acts");
        c.add_option("--by", o.by, "who is noted (default: the actor)");
        c.add_option("--expect-version", o.expect_version, "refuse if another one is current");
      },
      run_restore);
  add_command<selection_options>(
      app, "forget",
      "Forget what words mean; without words: archive topics whose salience is below 0.05", false,
      outcome,
      [](CLI::App& c, selection_options& o) {
        c.add_option("WORDS", o.words, "what to forget, in words; or a request as JSON, or -");
        declare_selection(c, o);
        c.add_option("--reason", o.reason, "why");
        c.add_option("--cause", o.cause, "superseded, wrong, deleted (default) or expired");
      },
      run_forget);
  add_command<selection_options>(
      app, "supersede", "Write a memory in place of what said the old", false, outcome,
      [](CLI::App& c, selection_options& o) {
        c.add_option("REQUEST", o.arguments, "JSON, - for standard input, or FIELD=VALUE…");
        c.add_option("--type", o.type, "Fact, Note, Event, …");
        c.add_option("--words", o.words, "what it replaces (default: what says the old of it)");
        declare_selection(c, o);
      },
      [](const selection_options& o) {
        auto request = supersede_request_of(o);
        if (!request) return report(o.common, request.error());
        return run_request(o.common, "supersede_matching", std::move(*request));
      });
}

} // namespace mneme::command
