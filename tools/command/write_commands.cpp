// write, update, update-head, tombstone, edge add, edge rm.

#include <nlohmann/json.hpp>

#include "messages/validate/schema.hpp"
#include "tools/command/data_arguments.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

/// What write and update take: a request, or flags and FIELD=VALUE.
struct content_options {
  common_options common;
  std::vector<std::string> arguments;
  std::optional<std::string> type;
  std::optional<std::string> actor;
  std::optional<std::string> id;
  std::vector<std::string> tags;
  std::optional<std::int64_t> importance;
  std::optional<std::string> visibility;
  std::optional<std::string> metadata;
  std::optional<std::string> hashtags;
  std::optional<std::string> mode;
  std::optional<std::string> valid_from;
  std::optional<std::string> valid_until;
  std::optional<double> confidence;
  std::optional<double> trust;
  std::optional<std::string> source_class;
  std::optional<std::int64_t> expect_version;
  std::vector<std::string> replace; ///< old and new
  std::vector<std::string> supersedes;
  std::optional<std::string> expires_at;
  std::optional<std::string> payload;
};

struct put_options {
  content_options content;
  common_options& common = content.common;
  std::string name_space;
  std::string key;
};

bool is_request(const std::vector<std::string>& arguments) {
  return arguments.size() == 1 && is_request_argument(arguments.front());
}

result<json> write_request_of(const content_options& o) {
  json request = json::object();
  if (is_request(o.arguments)) {
    auto read = read_request_argument(o.arguments.front());
    if (!read) return read;
    request = std::move(*read);
    set_if(request, "type", o.type);
  } else {
    if (!o.type)
      return fail(errc::missing_key, "give a request as JSON, or --type and FIELD=VALUE", "type");
    auto data = read_data_arguments(*o.type, o.arguments);
    if (!data) return data;
    request["type"] = *o.type;
    request["data"] = std::move(*data);
  }
  set_if(request, "actor", o.actor);
  set_if(request, "id", o.id);
  if (!o.tags.empty()) request["tags"] = o.tags;
  if (!o.supersedes.empty()) request["supersedes"] = o.supersedes;
  set_if(request, "importance", o.importance);
  set_if(request, "visibility", o.visibility);
  if (auto ok = set_json(request, "metadata", o.metadata); !ok) return propagate(ok);
  if (o.hashtags) request["hashtags"] = hashtags_argument(*o.hashtags);
  set_if(request, "mode", o.mode);
  set_if(request, "valid_from", o.valid_from);
  set_if(request, "valid_until", o.valid_until);
  set_if(request, "confidence", o.confidence);
  set_if(request, "trust", o.trust);
  set_if(request, "source_class", o.source_class);
  set_if(request, "expires_at", o.expires_at);
  set_if(request, "payload", o.payload);
  return request;
}

/// An id stands for the current version of its memory.
result<std::string> uri_of(const common_options& common, const std::string& text) {
  if (text.starts_with("mneme:")) return text;
  auto m = ask_world(common, "get", {{"id", text}});
  if (!m) return propagate(m);
  return (*m)["memory"]["uri"].get<std::string>();
}

/// Runs a request about one memory, which the first argument names by id or uri unless it is a
/// whole request.
template <class Fill>
status run_on_memory(const common_options& common, std::string_view op,
                     const std::vector<std::string>& arguments, Fill fill) {
  const auto& name = arguments.front();
  json request{{name.starts_with("mneme:") ? "uri" : "id", name}};
  if (is_request(arguments)) {
    auto read = read_request_argument(arguments.front());
    if (!read) return report(common, read.error());
    request = std::move(*read);
  }
  if (auto ok = fill(request); !ok) return report(common, ok.error());
  return run_request(common, op, std::move(request));
}

status run_update(const content_options& o) {
  return run_on_memory(o.common, "update", o.arguments, [&](json& request) -> result<void> {
    if (!is_request(o.arguments)) {
      auto name = uri_of(o.common, o.arguments.front());
      if (!name) return propagate(name);
      const auto uri = parse_memory_uri(*name);
      if (!uri) return fail(uri.error().code, uri.error().message, "uri");
      request = {{"uri", std::move(*name)}};
      if (o.replace.empty() || o.arguments.size() > 1) {
        auto data = read_data_arguments(std::string(to_string(uri->type)),
                                        {o.arguments.begin() + 1, o.arguments.end()});
        if (!data) return propagate(data);
        request["data"] = std::move(*data);
      }
    }
    if (!o.replace.empty()) request["replace"] = {{"old", o.replace[0]}, {"new", o.replace[1]}};
    set_if(request, "actor", o.actor);
    set_if(request, "valid_from", o.valid_from);
    set_if(request, "valid_until", o.valid_until);
    set_if(request, "confidence", o.confidence);
    set_if(request, "trust", o.trust);
    set_if(request, "source_class", o.source_class);
    set_if(request, "expires_at", o.expires_at);
    set_if(request, "payload", o.payload);
    set_if(request, "expect_version", o.expect_version);
    return {};
  });
}

status run_put(const put_options& o) {
  auto request = write_request_of(o.content);
  if (!request) return report(o.common, request.error());
  (*request)["namespace"] = o.name_space;
  (*request)["key"] = o.key;
  set_if(*request, "expect_version", o.content.expect_version);
  return run_request(o.common, "put", std::move(*request));
}

struct head_options {
  common_options common;
  std::vector<std::string> arguments;
  std::optional<std::string> actor;
  std::optional<std::vector<std::string>> tags;
  bool affirm = false;
  bool no_tags = false;
  std::optional<std::int64_t> importance;
  std::optional<std::string> visibility;
  std::optional<std::string> metadata;
  std::optional<std::string> lifecycle;
  std::optional<std::int64_t> expect_version;
};

status run_update_head(const head_options& o) {
  return run_on_memory(o.common, "update_head", o.arguments, [&](json& request) -> result<void> {
    set_if(request, "actor", o.actor);
    if (o.no_tags) request["tags"] = json::array();
    if (o.affirm) request["affirm"] = true;
    set_if(request, "tags", o.tags);
    set_if(request, "importance", o.importance);
    set_if(request, "visibility", o.visibility);
    set_if(request, "expect_version", o.expect_version);
    if (auto ok = set_json(request, "metadata", o.metadata); !ok) return ok;
    return set_json(request, "lifecycle", o.lifecycle);
  });
}

struct tombstone_options {
  common_options common;
  std::vector<std::string> arguments;
  std::optional<std::string> actor;
  std::optional<std::string> reason;
  std::optional<std::string> by;
  std::optional<std::string> cause;
  std::optional<std::string> superseded_by;
  std::optional<std::int64_t> expect_version;
};

status run_tombstone(const tombstone_options& o) {
  return run_on_memory(o.common, "tombstone", o.arguments, [&](json& request) -> result<void> {
    set_if(request, "actor", o.actor);
    set_if(request, "reason", o.reason);
    set_if(request, "by", o.by);
    set_if(request, "cause", o.cause);
    set_if(request, "superseded_by", o.superseded_by);
    set_if(request, "expect_version", o.expect_version);
    return {};
  });
}

struct edge_options {
  common_options common;
  std::vector<std::string> ends; ///< SRC TYPE DST, or one request
  std::optional<std::string> actor;
  std::optional<std::string> by;
  std::optional<double> weight;
  std::optional<std::string> kind;
  std::optional<std::string> data;
  std::optional<std::string> reason;
};

status run_edge(const edge_options& o, std::string_view op) {
  json request = json::object();
  if (is_request(o.ends)) {
    auto read = read_request_argument(o.ends.front());
    if (!read) return report(o.common, read.error());
    request = std::move(*read);
  } else if (o.ends.size() == 3) {
    request = {{"src", o.ends[0]}, {"type", o.ends[1]}, {"dst", o.ends[2]}};
  } else {
    return report(o.common,
                  error{errc::missing_key, "give SRC TYPE DST, or a request as JSON", {}});
  }
  set_if(request, "actor", o.actor);
  set_if(request, "by", o.by);
  set_if(request, "weight", o.weight);
  set_if(request, "kind", o.kind);
  set_if(request, "data", o.data);
  set_if(request, "reason", o.reason);
  return run_request(o.common, op, std::move(request));
}

void declare_content(CLI::App& c, content_options& o) {
  c.add_option("--actor", o.actor, "who acts; of write also the memory's actor_scope");
  c.add_option("--valid-from", o.valid_from, "RFC 3339");
  c.add_option("--valid-until", o.valid_until, "RFC 3339");
  c.add_option("--expires-at", o.expires_at, "RFC 3339; sweep tombstones what has expired");
  c.add_option("--payload", o.payload, "JSON of your own, given back as it is; not searched");
  c.add_option("--confidence", o.confidence, "0 to 1");
  c.add_option("--trust", o.trust, "0 to 1 (that of the source class, or 1)");
  c.add_option("--source-class", o.source_class, "whose word it is: user, tool, model or web");
}

void add_edge_commands(CLI::App& app, command_result& outcome) {
  CLI::App* edge = app.add_subcommand("edge", "Add or remove an edge");
  edge->require_subcommand(1);
  const auto declare = [](CLI::App& c, edge_options& o) {
    c.add_option("EDGE", o.ends, "SRC TYPE DST, or a request as JSON, or -")
        ->required()
        ->expected(1, 3);
    c.add_option("--actor", o.actor, "who acts");
    c.add_option("--by", o.by, "who is noted (default: the actor)");
  };
  add_command<edge_options>(
      *edge, "add", "Add an edge", false, outcome,
      [&](CLI::App& c, edge_options& o) {
        declare(c, o);
        c.add_option("--weight", o.weight, "1.0");
        c.add_option("--kind", o.kind, "free text");
        c.add_option("--data", o.data, "opaque bytes (base64)");
      },
      [](const edge_options& o) { return run_edge(o, "add_edge"); });
  add_command<edge_options>(
      *edge, "rm", "Remove an edge (it stays readable as tombstoned)", false, outcome,
      [&](CLI::App& c, edge_options& o) {
        declare(c, o);
        c.add_option("--reason", o.reason, "why");
      },
      [](const edge_options& o) { return run_edge(o, "remove_edge"); });
}

void add_put_command(CLI::App& app, command_result& outcome) {
  add_command<put_options>(
      app, "put", "Write the memory that has a key of your own, or make it", false, outcome,
      [](CLI::App& c, put_options& o) {
        c.add_option("NAMESPACE", o.name_space, "of the key")->required();
        c.add_option("KEY", o.key, "what you call the memory by")->required();
        content_options& content = o.content;
        c.add_option("REQUEST", content.arguments, "JSON, - for standard input, or FIELD=VALUE…");
        c.add_option("--type", content.type, "Fact, Note, Event, …");
        declare_repeated(c, "--tag", content.tags, "may be repeated");
        c.add_option("--importance", content.importance, "0 to 10 (5)");
        c.add_option("--visibility", content.visibility,
                     "private (default), scoped or actor_public");
        c.add_option("--metadata", content.metadata, "JSON object");
        c.add_option("--expect-version", content.expect_version,
                     "refuse if another one is current; 0: only a new memory");
        declare_content(c, content);
      },
      run_put);
}

} // namespace

void add_write_commands(CLI::App& app, command_result& outcome) {
  add_command<content_options>(
      app, "write", "Write a memory", false, outcome,
      [](CLI::App& c, content_options& o) {
        c.add_option("REQUEST", o.arguments, "JSON, - for standard input, or FIELD=VALUE…");
        c.add_option("--type", o.type, "Fact, Note, Event, …");
        c.add_option("--id", o.id, "an id of your own");
        declare_repeated(c, "--tag", o.tags, "may be repeated");
        declare_repeated(c, "--supersedes", o.supersedes,
                         "uri of what it replaces; may be repeated");
        c.add_option("--importance", o.importance, "0 to 10 (5)");
        c.add_option("--visibility", o.visibility, "private (default), scoped or actor_public");
        c.add_option("--metadata", o.metadata, "JSON object");
        c.add_option("--hashtags", o.hashtags, "in one argument: the memory's colour, for good");
        c.add_option("--mode", o.mode, "Sparse, Adaptive (default), Spacey or Eidetic");
        declare_content(c, o);
      },
      [](const content_options& o) {
        auto request = write_request_of(o);
        if (!request) return report(o.common, request.error());
        if (!request->contains("similar")) (*request)["similar"] = true;
        return run_request(o.common, "write", std::move(*request));
      });
  add_put_command(app, outcome);
  add_command<content_options>(
      app, "update", "Write the next version of a memory", false, outcome,
      [](CLI::App& c, content_options& o) {
        c.add_option("REQUEST", o.arguments, "JSON, -, or URI (or id) FIELD=VALUE…")->required();
        c.add_option("--replace", o.replace, "OLD NEW: this span of the text; all else stays")
            ->expected(2);
        c.add_option("--expect-version", o.expect_version, "refuse if another one is current");
        declare_content(c, o);
      },
      run_update);
  add_command<head_options>(
      app, "update-head", "Change tags, importance, visibility, lifecycle or metadata, or affirm",
      false, outcome,
      [](CLI::App& c, head_options& o) {
        c.add_option("REQUEST", o.arguments, "JSON, -, or URI (or id)")->required()->expected(1);
        c.add_option("--actor", o.actor, "who acts");
        declare_repeated(c, "--tag", o.tags, "all tags anew; may be repeated");
        c.add_flag("--no-tags", o.no_tags, "take all tags off");
        c.add_option("--importance", o.importance, "0 to 10");
        c.add_option("--visibility", o.visibility, "private, scoped or actor_public");
        c.add_option("--metadata", o.metadata, "JSON object, replaces all");
        c.add_option("--lifecycle", o.lifecycle, "JSON object, replaces all");
        c.add_flag("--affirm", o.affirm, "stand by it: it is stale no more");
        c.add_option("--expect-version", o.expect_version, "refuse if another one is current");
      },
      run_update_head);
  add_command<tombstone_options>(
      app, "tombstone", "Take a memory out of every answer; its versions stay readable", false,
      outcome,
      [](CLI::App& c, tombstone_options& o) {
        c.add_option("REQUEST", o.arguments, "JSON, -, or URI (or id)")->required()->expected(1);
        c.add_option("--actor", o.actor, "who acts");
        c.add_option("--reason", o.reason, "why");
        c.add_option("--by", o.by, "who is noted (default: the actor)");
        c.add_option("--cause", o.cause, "superseded, wrong, deleted (default) or expired");
        c.add_option("--superseded-by", o.superseded_by, "id of what took its place");
        c.add_option("--expect-version", o.expect_version, "refuse if another one is current");
      },
      run_tombstone);
  add_edge_commands(app, outcome);
}

} // namespace mneme::command
