// ingest, retrieve, revise, unarchive.

#include <nlohmann/json.hpp>

#include "tools/command/data_arguments.hpp"
#include "tools/command/receipt_command.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct topic_options {
  common_options common;
  std::vector<std::string> arguments;
  std::optional<std::string> placement;
  std::optional<std::string> topic;
  std::optional<std::string> id;
  std::optional<std::string> title;
  std::optional<std::string> summary;
  std::optional<std::string> kind;
  std::optional<double> salience;
  std::optional<std::string> actor;
  std::optional<std::string> visibility;
  std::vector<std::string> links;
  std::optional<std::string> valid_from;
  std::optional<std::string> valid_until;
  std::optional<std::string> why;
  std::optional<double> trust;
  std::optional<std::string> source_class;
};

/// A day stands for its beginning.
std::optional<std::string> whole_time(const std::optional<std::string>& text) {
  constexpr std::size_t day_length = 10; // YYYY-MM-DD
  if (!text || text->size() != day_length) return text;
  return *text + "T00:00:00Z";
}

/// NAME=VALUE; a value that is JSON is taken as such, anything else is text.
result<void> add_field(json& request, const std::string& argument, const topic_options& o) {
  const auto equals = argument.find('=');
  if (equals == std::string::npos || equals == 0)
    return fail(errc::bad_value, "expected FIELD=VALUE, not \"" + argument + "\"", "fields");
  const std::string text = argument.substr(equals + 1);
  auto parsed = protocol::parse_json(text);
  json field{{"value", parsed && !parsed->is_null() ? std::move(*parsed) : json(text)}};
  set_if(field, "valid_from", whole_time(o.valid_from));
  set_if(field, "valid_until", whole_time(o.valid_until));
  set_if(field, "why_changed", o.why);
  request["fields"][argument.substr(0, equals)] = std::move(field);
  return {};
}

/// ID, ID:TYPE or ID:TYPE:KIND.
json link_of(const std::string& text) {
  const auto first = text.find(':');
  json link{{"topic_id", text.substr(0, first)}};
  if (first == std::string::npos) return link;
  const auto second = text.find(':', first + 1);
  link["type"] = text.substr(first + 1, second == std::string::npos ? second : second - first - 1);
  if (second != std::string::npos) link["kind"] = text.substr(second + 1);
  return link;
}

result<json> ingest_request_of(const topic_options& o) {
  json request = json::object();
  if (o.arguments.size() == 1 && is_request_argument(o.arguments.front())) {
    auto read = read_request_argument(o.arguments.front());
    if (!read) return read;
    request = std::move(*read);
  } else {
    for (const auto& argument : o.arguments)
      if (auto ok = add_field(request, argument, o); !ok) return propagate(ok);
    request["placement"] = o.placement.value_or(o.topic ? "extend_topic" : "new_topic");
  }
  set_if(request, "topic_id", o.topic ? o.topic : o.id);
  set_if(request, "title", o.title);
  set_if(request, "summary", o.summary);
  set_if(request, "topic_kind", o.kind);
  set_if(request, "salience", o.salience);
  set_if(request, "actor", o.actor);
  set_if(request, "visibility", o.visibility);
  set_if(request, "trust", o.trust);
  set_if(request, "source_class", o.source_class);
  for (const auto& link : o.links) request["links"].push_back(link_of(link));
  return request;
}

struct retrieve_options {
  common_options common;
  std::optional<std::string> receipt;
  std::string question;
  std::vector<std::string> stages;
  std::vector<std::string> topics;
  std::vector<std::string> fields;
  std::optional<std::int64_t> top_k;
  std::optional<std::string> as_of;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  std::optional<std::string> now;
  std::optional<std::string> actor;
  std::optional<double> min_trust;
  bool history = false;
  bool include_ended = false;
  bool refs = false;
  bool no_touch = false;
};

status run_retrieve(const retrieve_options& o) {
  json request = json::object();
  if (is_request_argument(o.question)) {
    auto read = read_request_argument(o.question);
    if (!read) return report(o.common, read.error());
    request = std::move(*read);
  } else {
    request["q"] = o.question;
  }
  if (!o.stages.empty()) request["stages"] = o.stages;
  if (!o.topics.empty()) request["topic_ids"] = o.topics;
  if (!o.fields.empty()) request["field_names"] = o.fields;
  set_if(request, "top_k", o.top_k);
  set_if(request, "as_of", whole_time(o.as_of));
  set_if(request, "min_trust", o.min_trust);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  set_if(request, "now", whole_time(o.now));
  set_if(request, "actor", o.actor);
  if (o.history) request["explain"] = true;
  if (o.include_ended) request["include_ended"] = true;
  if (o.refs) request["expand_refs"] = true;
  // A world opened for reading cannot be touched.
  if (o.no_touch || (o.common.read_only && !request.contains("touch"))) request["touch"] = false;
  return run_read(o.common, "retrieve", std::move(request), o.receipt);
}

struct acting_options {
  common_options common;
  std::string target;
  std::optional<std::string> actor;
};

status run_acting(const acting_options& o, std::string_view op) {
  json request = json::object();
  if (!o.target.empty()) request["id"] = o.target;
  set_if(request, "actor", o.actor);
  return run_request(o.common, op, std::move(request));
}

} // namespace

void add_topic_commands(CLI::App& app, command_result& outcome) {
  add_command<topic_options>(
      app, "ingest", "Write a topic, or give one more fields, values and links", false, outcome,
      [](CLI::App& c, topic_options& o) {
        c.add_option("REQUEST", o.arguments, "JSON, - for standard input, or FIELD=VALUE…");
        c.add_option("--topic", o.topic, "the topic to change");
        c.add_option("--id", o.id, "of a new topic: an id of your own")->excludes("--topic");
        c.add_option("--placement", o.placement, "new_topic, extend_topic or version_field");
        c.add_option("--title", o.title, "of a new topic: required");
        c.add_option("--summary", o.summary, "embedded together with the title");
        c.add_option("--kind", o.kind, "topic_kind");
        c.add_option("--salience", o.salience, "sets topic_salience");
        c.add_option("--actor", o.actor, "who acts; of a new topic also its actor_scope");
        c.add_option("--visibility", o.visibility, "private (default), scoped or actor_public");
        declare_repeated(c, "--link", o.links, "ID, ID:TYPE or ID:TYPE:KIND; may be repeated");
        c.add_option("--valid-from", o.valid_from, "of the values: RFC 3339, or a day");
        c.add_option("--valid-until", o.valid_until, "of the values");
        c.add_option("--why", o.why, "why_changed of the values");
        c.add_option("--trust", o.trust, "0 to 1: how far all this is to be trusted");
        c.add_option("--source-class", o.source_class,
                     "whose word it is: user, tool, model or web");
      },
      [](const topic_options& o) {
        auto request = ingest_request_of(o);
        if (!request) return report(o.common, request.error());
        return run_request(o.common, "ingest", std::move(*request));
      });
  add_command<retrieve_options>(
      app, "retrieve", "Ask for topics, with neighbours, fields and their history", true, outcome,
      [](CLI::App& c, retrieve_options& o) {
        c.add_option("QUESTION,--query", o.question, "text, or a request as JSON, or -")
            ->required();
        declare_repeated(c, "--stage", o.stages,
                         "semantic, structural, temporal (default: all); may be repeated");
        c.add_option("--top-k", o.top_k, "at most so many (8)");
        declare_repeated(c, "--topic", o.topics, "only these; may be repeated");
        declare_repeated(c, "--field", o.fields, "only these fields; may be repeated");
        c.add_flag("--history", o.history, "all values that a field had");
        c.add_flag("--refs", o.refs, "topics that fields refer to are neighbours too");
        c.add_option("--as-of", o.as_of, "values valid at that time: RFC 3339, or a day");
        c.add_flag("--include-ended", o.include_ended, "what no longer holds, too");
        c.add_option("--min-trust", o.min_trust, "0 to 1: nothing that is trusted less");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.add_option("--now", o.now, "what has ended by (clock)");
        c.add_flag("--no-touch", o.no_touch, "reinforce nothing");
        c.add_option("--actor", o.actor, "who is asking");
        add_receipt_option(c, o.receipt);
      },
      run_retrieve);
  const auto declare_actor = [](CLI::App& c, acting_options& o) {
    c.add_option("--actor", o.actor, "who acts");
  };
  add_command<acting_options>(app, "revise", "Merge topics with equal titles", false, outcome,
                              declare_actor,
                              [](const acting_options& o) { return run_acting(o, "revise"); });
  add_command<acting_options>(
      app, "unarchive", "Bring an archived topic back", false, outcome,
      [&](CLI::App& c, acting_options& o) {
        c.add_option("ID", o.target, "id or uri")->required();
        declare_actor(c, o);
      },
      [](const acting_options& o) { return run_acting(o, "unarchive"); });
}

} // namespace mneme::command
