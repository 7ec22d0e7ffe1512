// list, history, namespaces, actors, sweep, delete-by.

#include <nlohmann/json.hpp>

#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

/// Who asks, and as of when.
struct asking {
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;

  void declare(CLI::App& c) {
    c.add_option("--actor", actor, "who is asking");
    c.add_option("--at-seq", at_seq, "as of an earlier entry");
    c.add_option("--at", at, "as of the last entry at or before this time");
  }
  void put_into(json& request) const {
    set_if(request, "actor", actor);
    set_if(request, "at_seq", at_seq);
    set_if(request, "at", at);
  }
};

struct list_options {
  common_options common;
  std::vector<std::string> types;
  std::optional<std::string> name_space;
  std::optional<std::string> owner;
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  bool include_tombstoned = false;
  bool include_archived = false;
  bool include_ended = false;
  asking by;
};

status run_list(const list_options& o) {
  json request = json::object();
  if (!o.types.empty()) request["types"] = o.types;
  set_if(request, "namespace", o.name_space);
  set_if(request, "owner", o.owner);
  set_if(request, "limit", o.limit);
  set_if(request, "cursor", o.cursor);
  if (o.include_tombstoned) request["include_tombstoned"] = true;
  if (o.include_archived) request["include_archived"] = true;
  if (o.include_ended) request["include_ended"] = true;
  o.by.put_into(request);
  return run_request(o.common, "list", std::move(request));
}

struct history_options {
  common_options common;
  std::string target;
  std::optional<std::string> name_space;
  std::optional<std::string> key;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> before;
  asking by;
};

status run_history(const history_options& o) {
  json request = json::object();
  if (o.target.starts_with("mneme:")) {
    auto uri = parse_memory_uri(o.target);
    if (!uri) return report(o.common, uri.error());
    request["id"] = to_string(uri->id);
  } else if (!o.target.empty()) {
    request["id"] = o.target;
  }
  set_if(request, "namespace", o.name_space);
  set_if(request, "key", o.key);
  set_if(request, "limit", o.limit);
  set_if(request, "before", o.before);
  o.by.put_into(request);
  return run_request(o.common, "history", std::move(request));
}

struct count_options {
  common_options common;
  asking by;
};

void add_counts(CLI::App& app, command_result& outcome, const char* op, const char* about) {
  add_command<count_options>(
      app, op, about, true, outcome, [](CLI::App& c, count_options& o) { o.by.declare(c); },
      [op](const count_options& o) {
        json request = json::object();
        o.by.put_into(request);
        return run_request(o.common, op, std::move(request));
      });
}

struct sweep_options {
  common_options common;
  std::optional<std::int64_t> limit;
  std::optional<std::string> reason;
  std::optional<std::string> by;
};

status run_sweep(const sweep_options& o) {
  json request = json::object();
  set_if(request, "limit", o.limit);
  set_if(request, "reason", o.reason);
  set_if(request, "by", o.by);
  return run_request(o.common, "sweep", std::move(request));
}

struct delete_options {
  common_options common;
  std::string name_space;
  std::string key;
  std::optional<std::string> actor;
  std::optional<std::string> reason;
  std::optional<std::int64_t> expect_version;
};

status run_delete(const delete_options& o) {
  json request{{"namespace", o.name_space}, {"key", o.key}};
  set_if(request, "actor", o.actor);
  set_if(request, "reason", o.reason);
  set_if(request, "expect_version", o.expect_version);
  return run_request(o.common, "delete_by", std::move(request));
}

} // namespace

void add_list_commands(CLI::App& app, command_result& outcome) {
  add_command<list_options>(
      app, "list", "What there is, newest first", true, outcome,
      [](CLI::App& c, list_options& o) {
        declare_repeated(c, "--type", o.types, "may be repeated");
        c.add_option("--namespace", o.name_space, "only what was put into it");
        c.add_option("--owner", o.owner, "only what is this actor's");
        c.add_option("--limit", o.limit, "at most so many (20)");
        c.add_option("--cursor", o.cursor, "the page behind one that ended so");
        c.add_flag("--include-tombstoned", o.include_tombstoned, "also what is tombstoned");
        c.add_flag("--include-archived", o.include_archived, "also what is archived or superseded");
        c.add_flag("--include-ended", o.include_ended,
                   "also what has ended, expired or was superseded");
        o.by.declare(c);
      },
      run_list);
  add_command<history_options>(
      app, "history", "All versions of a memory, newest first, and what each changed", true,
      outcome,
      [](CLI::App& c, history_options& o) {
        c.add_option("ID", o.target, "id or uri");
        c.add_option("--namespace", o.name_space, "instead of an ID: of the key");
        c.add_option("--key", o.key, "what the memory was put by");
        c.add_option("--limit", o.limit, "at most so many (50)");
        c.add_option("--before", o.before, "only versions below this one");
        o.by.declare(c);
      },
      run_history);
  add_counts(app, outcome, "namespaces", "Namespaces of keys, and how many memories each has");
  add_counts(app, outcome, "actors", "Actors, and how many memories each has");
  add_command<delete_options>(
      app, "delete-by", "Tombstone the memory that has a key of your own", false, outcome,
      [](CLI::App& c, delete_options& o) {
        c.add_option("NAMESPACE", o.name_space, "of the key")->required();
        c.add_option("KEY", o.key, "what the memory was put by")->required();
        c.add_option("--actor", o.actor, "who acts");
        c.add_option("--reason", o.reason, "why");
        c.add_option("--expect-version", o.expect_version, "refuse if another one is current");
      },
      run_delete);
  add_command<sweep_options>(
      app, "sweep", "Tombstone what has expired", false, outcome,
      [](CLI::App& c, sweep_options& o) {
        c.add_option("--limit", o.limit, "at most so many, the earliest first (10,000)");
        c.add_option("--reason", o.reason, "why (expired)");
        c.add_option("--by", o.by, "who is noted");
      },
      run_sweep);
}

} // namespace mneme::command
