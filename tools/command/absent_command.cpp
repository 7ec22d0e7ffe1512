// absent.

#include <nlohmann/json.hpp>

#include "tools/command/data_arguments.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct absent_options {
  common_options common;
  std::optional<std::string> query;
  std::vector<std::string> ids;
  std::vector<std::string> fields;
  std::optional<double> least_match;
  std::optional<double> min_trust;
  std::optional<std::string> memory_type;
  std::optional<std::string> project;
  std::optional<std::string> tag;
  std::optional<std::string> as_of;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  std::optional<std::string> actor;
  bool include_ended = false;
};

result<json> absent_request_of(const absent_options& o) {
  json request = json::object();
  if (o.query && is_request_argument(*o.query)) {
    auto read = read_request_argument(*o.query);
    if (!read) return read;
    request = std::move(*read);
  } else {
    set_if(request, "query", o.query);
  }
  for (const auto& id : o.ids) request["ids"].push_back(id);
  for (const auto& field : o.fields) {
    auto named = topic_field_argument(field);
    if (!named) return named;
    request["fields"].push_back(std::move(*named));
  }
  set_if(request, "least_match", o.least_match);
  set_if(request, "min_trust", o.min_trust);
  set_if(request, "memory_type", o.memory_type);
  set_if(request, "project", o.project);
  set_if(request, "tag", o.tag);
  set_if(request, "as_of", o.as_of);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  set_if(request, "actor", o.actor);
  if (o.include_ended) request["include_ended"] = true;
  return request;
}

status run_absent(const absent_options& o) {
  auto request = absent_request_of(o);
  if (!request) return report(o.common, request.error());
  return run_request(o.common, "absent", std::move(*request), [](const json& answer) {
    return answer["absent"] == true ? status::done : status::no;
  });
}

} // namespace

void add_absent_command(CLI::App& app, command_result& outcome) {
  add_command<absent_options>(
      app, "absent", "Ask that nothing says something; the exit status is 1 where something does",
      true, outcome,
      [](CLI::App& c, absent_options& o) {
        c.add_option("QUERY", o.query, "words, a request as JSON, or -");
        declare_repeated(c, "--id", o.ids, "of no memory, with a proof; may be repeated");
        declare_repeated(c, "--field", o.fields,
                         "TOPIC:NAME in no topic, with a proof; may be repeated");
        c.add_option("--least-match", o.least_match,
                     "from which match on something says it (0.25)");
        c.add_option("--min-trust", o.min_trust, "0 to 1: what is trusted less says nothing");
        c.add_option("--memory-type", o.memory_type, "decision, note, fact, …");
        c.add_option("--project", o.project, "of exactly this project");
        c.add_option("--tag", o.tag, "with this tag");
        c.add_option("--as-of", o.as_of, "what was valid at that time, and not what is now");
        c.add_flag("--include-ended", o.include_ended, "what no longer holds says it, too");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.add_option("--actor", o.actor, "who is asking");
      },
      run_absent);
}

} // namespace mneme::command
