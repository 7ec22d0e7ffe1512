// find: a request as JSON, or the everyday flags.

#include <nlohmann/json.hpp>

#include "tools/command/data_arguments.hpp"
#include "tools/command/receipt_command.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

constexpr std::int64_t everyday_limit = 20;

struct find_options {
  common_options common;
  std::optional<std::string> receipt;
  std::optional<std::string> request;
  std::vector<std::string> types;
  std::vector<std::string> tags;
  std::optional<std::string> where;
  std::optional<std::string> near;
  std::optional<std::string> near_uri;
  std::optional<std::int64_t> near_k;
  std::optional<std::string> rank;
  std::optional<std::string> from;
  std::optional<std::int64_t> hops;
  std::vector<std::string> edges;
  std::optional<std::string> direction;
  std::vector<std::string> order;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> budget;
  std::optional<std::string> form;
  std::optional<std::string> actor;
  std::optional<std::string> as_of;
  std::optional<std::string> now;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  bool include_tombstoned = false;
  bool include_archived = false;
  bool include_ended = false;
  std::optional<double> min_trust;
  std::optional<bool> stale;
  bool count = false;
  bool exact = false;
  bool explain = false;
};

/// Tags and --where, and-ed with what the request has.
result<void> add_where(json& request, const find_options& o) {
  json all = json::array();
  if (request.contains("where") && !request["where"].is_null()) all.push_back(request["where"]);
  for (const auto& tag : o.tags) all.push_back({{"has_tag", tag}});
  if (o.where) {
    auto given = protocol::parse_json(*o.where);
    if (!given) return fail(given.error().code, given.error().message, "where");
    all.push_back(std::move(*given));
  }
  if (all.size() == 1)
    request["where"] = all.front();
  else if (all.size() > 1)
    request["where"] = json{{"and", std::move(all)}};
  return {};
}

/// What flags add to, made if it is absent; null where the request has something of another kind
/// there, which is refused when the request is read.
json* part_of(json& request, const char* key, json::value_t kind) {
  json& there = request[key];
  if (there.is_null()) there = json(kind);
  return there.type() == kind ? &there : nullptr;
}

void add_follow(json& request, const find_options& o) {
  if (!o.hops && o.edges.empty() && !o.direction) return;
  json* follow = part_of(request, "follow", json::value_t::object);
  if (follow == nullptr) return;
  set_if(*follow, "max_hops", o.hops);
  if (!o.edges.empty()) (*follow)["types"] = o.edges;
  set_if(*follow, "direction", o.direction);
}

/// FIELD, FIELD:asc or FIELD:desc.
void add_order(json& request, const std::vector<std::string>& order) {
  if (order.empty()) return;
  json* all = part_of(request, "order_by", json::value_t::array);
  if (all == nullptr) return;
  for (const auto& by : order) {
    const auto colon = by.rfind(':');
    json item{{"field", by.substr(0, colon)}};
    if (colon != std::string::npos) item["dir"] = by.substr(colon + 1);
    all->push_back(std::move(item));
  }
}

result<json> find_request_of(const find_options& o) {
  json request = json::object();
  if (o.request) {
    auto read = read_request_argument(*o.request);
    if (!read) return read;
    request = std::move(*read);
  }
  if (!o.types.empty()) request["types"] = o.types;
  if (auto ok = add_where(request, o); !ok) return propagate(ok);
  set_if(request, "near", o.near);
  set_if(request, "near_uri", o.near_uri);
  set_if(request, "near_k", o.near_k);
  set_if(request, "rank", o.rank);
  set_if(request, "from", o.from);
  add_follow(request, o);
  add_order(request, o.order);
  set_if(request, "limit", o.limit);
  set_if(request, "offset", o.offset);
  set_if(request, "budget_tokens", o.budget);
  set_if(request, "form", o.form);
  set_if(request, "actor", o.actor);
  set_if(request, "as_of", o.as_of);
  set_if(request, "now", o.now);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  if (o.include_tombstoned) request["include_tombstoned"] = true;
  if (o.include_archived) request["include_archived"] = true;
  if (o.include_ended) request["include_ended"] = true;
  set_if(request, "min_trust", o.min_trust);
  set_if(request, "stale", o.stale);
  if (o.count) request["count"] = true;
  if (o.exact) request["exact"] = true;
  if (o.explain) request["explain"] = true;
  // A request as JSON is taken at its word; the flags alone get an everyday bound.
  if (!o.request && !o.limit && !o.budget) request["limit"] = everyday_limit;
  return request;
}

} // namespace

void add_find_command(CLI::App& app, command_result& outcome) {
  add_command<find_options>(
      app, "find", "Ask: by type, tag, field, nearness, edges", true, outcome,
      [](CLI::App& c, find_options& o) {
        c.add_option("REQUEST", o.request, "a request as JSON, or -");
        declare_repeated(c, "--type", o.types, "Fact, Note, …; may be repeated");
        declare_repeated(c, "--tag", o.tags, "all of these; may be repeated");
        c.add_option("--where", o.where, "predicate as JSON (mneme help where)");
        c.add_option("--near,--query", o.near, "text to be near to");
        c.add_option("--near-uri", o.near_uri, "memory to be near to");
        c.add_option("--near-k", o.near_k,
                     "how many near ones are taken (four pages; with a budget alone what fits)");
        c.add_option("--rank", o.rank, "salience or distance");
        c.add_option("--from", o.from, "id or uri to walk from");
        c.add_option("--hops", o.hops, "how far (1)");
        declare_repeated(c, "--edge", o.edges, "edge types to walk; may be repeated");
        c.add_option("--direction", o.direction, "out (default), in or both");
        declare_repeated(c, "--order", o.order, "FIELD or FIELD:desc; may be repeated");
        c.add_option("--limit", o.limit, "at most so many (20)");
        c.add_option("--offset", o.offset, "skip so many");
        c.add_option("--budget", o.budget, "at most so many tokens of text");
        c.add_option("--form", o.form, "short, medium or full");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_option("--as-of", o.as_of, "valid at that time");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.add_option("--now", o.now, "what salience has faded by, and what has ended by (clock)");
        c.add_flag("--include-tombstoned", o.include_tombstoned, "tombstoned ones too");
        c.add_flag("--include-archived", o.include_archived, "archived ones too");
        c.add_flag("--include-ended", o.include_ended, "what no longer holds, too");
        c.add_option("--min-trust", o.min_trust, "0 to 1: nothing that is trusted less");
        c.add_option("--stale", o.stale, "true or false: only what is stale, or what is not");
        c.add_flag("--count", o.count, "count all that match");
        c.add_flag("--exact", o.exact, "never answer near approximately");
        c.add_flag("--explain", o.explain, "show the plan");
        add_receipt_option(c, o.receipt);
      },
      [](const find_options& o) {
        auto request = find_request_of(o);
        if (!request) return report(o.common, request.error());
        return run_read(o.common, "find", std::move(*request), o.receipt);
      });
}

} // namespace mneme::command
