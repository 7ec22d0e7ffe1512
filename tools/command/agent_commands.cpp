// context, attest, compact, tick.

#include <nlohmann/json.hpp>

#include "tools/command/receipt_command.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

/// The request as JSON, or an empty one that flags fill.
result<json> request_of(const std::optional<std::string>& given) {
  if (!given) return json::object();
  return read_request_argument(*given);
}

struct context_options {
  common_options common;
  std::optional<std::string> receipt;
  std::optional<std::string> request;
  std::optional<std::string> verb;
  std::vector<std::string> objects;
  std::optional<std::string> query;
  std::vector<std::string> tiers;
  std::optional<std::int64_t> budget;
  std::optional<std::int64_t> outcomes;
  std::optional<double> min_trust;
  std::optional<std::string> form;
  std::optional<std::string> actor;
  std::optional<std::string> now;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  bool include_ended = false;
};

result<json> context_request_of(const context_options& o) {
  const bool is_question = o.request && !is_request_argument(*o.request);
  auto request = request_of(is_question ? std::nullopt : o.request);
  if (!request) return request;
  if (is_question) (*request)["query"] = *o.request;
  set_if(*request, "query", o.query);
  set_if(*request, "verb", o.verb);
  for (const auto& object : o.objects) {
    const auto equals = object.find('=');
    if (equals == std::string::npos)
      return fail(errc::bad_value, "an object is KIND=REF, such as service=kitchen", "objects");
    (*request)["objects"][object.substr(0, equals)] = object.substr(equals + 1);
  }
  if (!o.tiers.empty()) (*request)["include_tiers"] = o.tiers;
  set_if(*request, "budget_tokens", o.budget);
  set_if(*request, "outcome_limit", o.outcomes);
  if (o.include_ended) (*request)["include_ended"] = true;
  set_if(*request, "min_trust", o.min_trust);
  set_if(*request, "form", o.form);
  set_if(*request, "actor", o.actor);
  set_if(*request, "now", o.now);
  set_if(*request, "at_seq", o.at_seq);
  set_if(*request, "at", o.at);
  return request;
}

void add_context(CLI::App& app, command_result& outcome) {
  add_command<context_options>(
      app, "context", "What an agent should know first", true, outcome,
      [](CLI::App& c, context_options& o) {
        c.add_option("REQUEST|QUERY", o.request, "a request as JSON, -, or a question in words");
        c.add_option("--query", o.query, "the question or the task, in words: adds what is found");
        c.add_option("--verb", o.verb, "what it is about to do: find, build, negotiate, …");
        declare_repeated(c, "--object", o.objects, "KIND=REF, with what; may be repeated");
        declare_repeated(c, "--tier", o.tiers,
                         "pinned, outcomes, frame_relevant, found or notable; may be repeated");
        c.add_option("--budget", o.budget, "at most so many tokens of text (3000, at most 4000)");
        c.add_option("--outcomes", o.outcomes, "at most so many outcomes (3)");
        c.add_option("--form", o.form, "short, medium or full");
        c.add_flag("--include-ended", o.include_ended, "what no longer holds, too");
        c.add_option("--min-trust", o.min_trust, "0 to 1: nothing that is trusted less");
        c.add_option("--actor", o.actor, "whose context");
        c.add_option("--now", o.now, "what has ended by, and salience has faded by (clock)");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.footer(
            "Examples: mneme context demo --actor ana --verb find --object service=kitchen\n"
            "          mneme context demo --actor ana --query \"what is wrong with the kettle\"");
        add_receipt_option(c, o.receipt);
      },
      [](const context_options& o) {
        auto request = context_request_of(o);
        if (!request) return report(o.common, request.error());
        return run_read(o.common, "context", std::move(*request), o.receipt);
      });
}

struct attest_options {
  common_options common;
  std::vector<std::string> arguments;
  std::optional<std::string> intent;
  std::optional<std::string> outcome;
  std::optional<std::string> reason;
  std::optional<std::string> actor;
};

result<json> request_or_uris(const std::vector<std::string>& arguments, const char* key) {
  if (arguments.size() == 1 && is_request_argument(arguments.front()))
    return read_request_argument(arguments.front());
  json request = json::object();
  if (!arguments.empty()) request[key] = arguments;
  return request;
}

void add_attest(CLI::App& app, command_result& outcome) {
  add_command<attest_options>(
      app, "attest", "Say what came of an intent; the actor's ranking learns", false, outcome,
      [](CLI::App& c, attest_options& o) {
        c.add_option("REQUEST|URI", o.arguments,
                     "a request as JSON, -, or the memories it rested on");
        c.add_option("--intent", o.intent, "id of the intent");
        c.add_option("--outcome", o.outcome, "success or failure");
        c.add_option("--reason", o.reason,
                     "free text; factual_error and wrong_assumption blame what was cited");
        c.add_option("--actor", o.actor, "who attests");
        c.footer("Example: mneme attest demo mneme://Note/00000000000000000000000001#1 "
                 "--intent trip --outcome success");
      },
      [](const attest_options& o) {
        auto request = request_or_uris(o.arguments, "cited");
        if (!request) return report(o.common, request.error());
        set_if(*request, "intent_id", o.intent);
        set_if(*request, "outcome", o.outcome);
        set_if(*request, "reason", o.reason);
        set_if(*request, "actor", o.actor);
        return run_request(o.common, "attest", std::move(*request));
      });
}

struct compact_options {
  common_options common;
  std::vector<std::string> arguments;
  std::vector<std::string> keep;
  std::optional<std::string> intent;
  std::optional<std::string> step;
  std::optional<std::int64_t> budget;
  std::optional<std::string> actor;
  bool load = false;
};

status run_compact(const compact_options& o) {
  auto request = o.load && o.arguments.empty() ? result<json>(json::object())
                                               : request_or_uris(o.arguments, "in_context");
  if (!request) return report(o.common, request.error());
  set_if(*request, "intent_id", o.intent);
  set_if(*request, "step_id", o.step);
  set_if(*request, "actor", o.actor);
  if (o.load) return run_request(o.common, "load_compact", std::move(*request));
  if (!o.keep.empty() || !request->contains("load_bearing")) (*request)["load_bearing"] = o.keep;
  if (!request->contains("in_context")) (*request)["in_context"] = json::array();
  set_if(*request, "budget_tokens", o.budget);
  return run_request(o.common, "compact", std::move(*request));
}

void add_compact(CLI::App& app, command_result& outcome) {
  add_command<compact_options>(
      app, "compact", "Shrink a context and keep a record of it", false, outcome,
      [](CLI::App& c, compact_options& o) {
        c.add_option("REQUEST|URI", o.arguments, "a request as JSON, -, or what is in the context");
        declare_repeated(c, "--keep", o.keep, "uri that bears load; may be repeated");
        c.add_option("--intent", o.intent, "id of the intent");
        c.add_option("--step", o.step, "id of the step");
        c.add_option("--budget", o.budget, "at most so many tokens of text (4000)");
        c.add_option("--actor", o.actor, "whose context");
        c.add_flag("--load", o.load, "show the record of that intent and step instead");
        c.footer("Example: mneme compact demo mneme://Note/00000000000000000000000001#1 "
                 "--intent trip --step 1");
      },
      run_compact);
}

struct tick_options {
  common_options common;
  std::string request;
};

void add_tick(CLI::App& app, command_result& outcome) {
  add_command<tick_options>(
      app, "tick", "Reads and writes of many agents, committed as one frame", false, outcome,
      [](CLI::App& c, tick_options& o) {
        c.add_option("REQUEST", o.request, "a request as JSON, or -")->required();
        c.footer("Example: mneme tick demo "
                 R"('{"reads":[{"op":"find","types":["Note"],"limit":5}],"writes":[]}')");
      },
      [](const tick_options& o) {
        auto request = read_request_argument(o.request);
        if (!request) return report(o.common, request.error());
        return run_request(o.common, "tick", std::move(*request));
      });
}

} // namespace

void add_agent_commands(CLI::App& app, command_result& outcome) {
  add_context(app, outcome);
  add_attest(app, outcome);
  add_compact(app, outcome);
  add_tick(app, outcome);
}

} // namespace mneme::command
