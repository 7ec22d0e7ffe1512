#include "tools/protocol/agent_json.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/find_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr shape objects_shape{
    .kind = shape_kind::map, .name = "{kind: ref…}", .item = &shapes::text};

constexpr std::array context_table = {
    key_shape{"verb", &shapes::text},
    key_shape{"objects", &objects_shape},
    key_shape{"query", &shapes::text},
    key_shape{"vector", &shapes::vector},
    key_shape{"budget_tokens", &shapes::integer},
    key_shape{"include_tiers", &shapes::texts},
    key_shape{"outcome_limit", &shapes::integer},
    key_shape{"form", &shapes::text},
    key_shape{"include_ended", &shapes::boolean},
    key_shape{"min_trust", &shapes::number},
    key_shape{"now", &shapes::time},
    key_shape{"actor", &shapes::text},
    key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time},
    receipt_key,
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"scope", &shapes::scope},
};
constexpr std::array compact_table = {
    key_shape{"in_context", &shapes::texts, true},
    key_shape{"load_bearing", &shapes::texts, true},
    key_shape{"budget_tokens", &shapes::integer},
    key_shape{"intent_id", &shapes::text, true},
    key_shape{"step_id", &shapes::text, true},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
};
constexpr std::array load_compact_table = {
    key_shape{"intent_id", &shapes::text, true}, key_shape{"step_id", &shapes::text, true},
    key_shape{"actor", &shapes::text},           key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer},     key_shape{"at", &shapes::time},
    key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array attest_table = {
    key_shape{"intent_id", &shapes::text, true}, key_shape{"outcome", &shapes::text, true},
    key_shape{"reason", &shapes::text},          key_shape{"cited", &shapes::texts, true},
    key_shape{"actor", &shapes::text},           key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer}};

/// In the order of context_tier.
constexpr std::string_view tier_names[] = {"pinned", "outcomes", "frame_relevant", "found",
                                           "notable"};

std::vector<std::pair<object_kind, std::string>> read_objects(value_reader& in) {
  std::vector<std::pair<object_kind, std::string>> objects;
  const json* given = in.find("objects");
  if (given == nullptr) return objects;
  const json_path at = in.path().key("objects");
  for (const auto& [name, ref] : given->items()) {
    if (ref.is_null()) continue;
    const auto kind = parse_enum<object_kind>(name);
    if (!kind)
      in.fail_at(at.key(name), errc::bad_value,
                 fmt::format("\"{}\" is not a kind of object", name));
    else
      objects.emplace_back(*kind, ref.get<std::string>());
  }
  return objects;
}

std::optional<std::vector<context_tier>> read_tiers(value_reader& in) {
  const json* given = in.find("include_tiers");
  if (given == nullptr) return std::nullopt;
  std::vector<context_tier> tiers;
  in.items("include_tiers", [&](const json& item, const json_path& at) {
    const auto& text = item.get_ref<const std::string&>();
    for (std::size_t i = 0; i < std::size(tier_names); ++i)
      if (tier_names[i] == text) return tiers.push_back(static_cast<context_tier>(i));
    in.fail_at(at, errc::bad_value,
               fmt::format("\"{}\" is not a tier: pinned, outcomes, frame_relevant, found, notable",
                           text));
  });
  return tiers;
}

json item_json(const context_item& i) {
  json item{{"id", to_string(i.uri.id)}, {"uri", to_string(i.uri)}, {"text", i.text},
            {"tokens", i.tokens},        {"salience", i.salience},  {"by", i.by},
            {"at", to_string(i.at)}};
  put_standing(item, i.standing, i.trust_told, i.source_class);
  put_past(item, i.past);
  return item;
}

json found_json(const context_item& i) {
  json item = item_json(i);
  item["score"] = i.score;
  if (i.older_of) item["older_of"] = to_string(*i.older_of);
  return item;
}

} // namespace

std::span<const key_shape> context_keys() noexcept {
  return context_table;
}
std::span<const key_shape> compact_keys() noexcept {
  return compact_table;
}
std::span<const key_shape> load_compact_keys() noexcept {
  return load_compact_table;
}
std::span<const key_shape> attest_keys() noexcept {
  return attest_table;
}

result<context_request> read_context(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  context_request r;
  r.action = in.name<verb>("verb");
  r.objects = read_objects(in);
  r.query = in.text("query");
  r.vector = in.vector("vector");
  r.budget_tokens = in.integer("budget_tokens");
  r.tiers = read_tiers(in);
  r.outcome_limit = in.integer("outcome_limit").value_or(r.outcome_limit);
  r.form = in.name_among<form_kind>("form", form_names()).value_or(form_kind::medium);
  r.include_ended = in.flag("include_ended");
  r.min_trust = in.number("min_trust");
  r.now = in.time("now");
  r.actor = in.text("actor");
  r.at_seq = in.seq("at_seq");
  r.deadline_ms = in.integer("deadline_ms");
  r.scope = read_scope(in);
  return finish(faults, std::move(r));
}

result<compact_request> read_compact(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  compact_request r;
  r.in_context = in.texts("in_context").value_or(std::vector<std::string>{});
  r.load_bearing = in.texts("load_bearing").value_or(std::vector<std::string>{});
  r.budget_tokens = in.integer("budget_tokens").value_or(r.budget_tokens);
  r.intent_id = in.text_or("intent_id", "");
  r.step_id = in.text_or("step_id", "");
  r.actor = in.text_or("actor", "");
  r.scope = read_scope(in);
  return finish(faults, std::move(r));
}

result<attest_request> read_attest(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  attest_request r;
  r.intent_id = in.text_or("intent_id", "");
  // A name that is none is the engine's to refuse, behind intent_id and cited.
  r.outcome = parse_enum<attest_outcome>(in.text_or("outcome", "")).value_or(attest_outcome{});
  r.reason = in.text_or("reason", "");
  r.cited = in.texts("cited").value_or(std::vector<std::string>{});
  r.actor = in.text_or("actor", "");
  r.scope = read_scope(in);
  return finish(faults, std::move(r));
}

result<json> context_json(const context_result& r, const request_deadline& time) {
  auto pinned = rows_json(r.pinned, item_json, time);
  if (!pinned) return propagate(pinned);
  auto outcomes = rows_json(r.outcomes, item_json, time);
  if (!outcomes) return propagate(outcomes);
  auto relevant = rows_json(r.frame_relevant, item_json, time);
  if (!relevant) return propagate(relevant);
  auto found = rows_json(r.found, found_json, time);
  if (!found) return propagate(found);
  auto notable = rows_json(r.notable, item_json, time);
  if (!notable) return propagate(notable);
  json reachable = json::array();
  for (const auto& uri : r.reachable_uris) reachable.push_back(to_string(uri));
  json answer{{"tiers",
               {{"pinned", std::move(*pinned)},
                {"outcomes", std::move(*outcomes)},
                {"frame_relevant", std::move(*relevant)},
                {"found", std::move(*found)},
                {"notable", std::move(*notable)}}},
              {"tokens", r.tokens},
              {"budget_tokens", r.budget_tokens},
              {"more", r.more},
              {"reachable_uris", std::move(reachable)},
              {"at_seq", r.at_seq.value}};
  if (r.no_good_match)
    answer["note"] = "no good match for the query: ask in other words, or search with "
                     "similarity_floor 0 for the nearest";
  if (!r.embedder_problem.empty()) answer["embedder_problem"] = r.embedder_problem;
  return answer;
}

json compact_json(const compact_result& r) {
  json kept = json::array();
  for (const auto& k : r.kept)
    kept.push_back({{"uri", to_string(k.uri)},
                    {"text", k.text},
                    {"tokens", k.tokens},
                    {"salience", k.salience}});
  json compacted = json::array();
  for (const auto& c : r.compacted)
    compacted.push_back({{"uri", to_string(c.uri)},
                         {"short", c.short_form},
                         {"tokens", c.tokens},
                         {"salience", c.salience}});
  return {{"kept", std::move(kept)},
          {"compacted", std::move(compacted)},
          {"tokens", r.tokens},
          {"skipped", r.skipped},
          {"seq", r.seq.value}};
}

json attest_json(const attest_result& r) {
  const auto part = [](std::int64_t units) { return static_cast<double>(units) / 1e9; };
  return {{"skipped", r.skipped},
          {"learned", r.learned},
          {"weights",
           {{"R", part(r.weights.recency)},
            {"A", part(r.weights.access)},
            {"C", part(r.weights.citations)},
            {"D", part(r.weights.importance)},
            {"V", part(r.weights.similarity)}}},
          {"seq", r.seq.value}};
}

result<json> run_context(session& s, const json& request) {
  auto r = read_context(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto made = s.target().context(std::move(*r));
  if (!made) return propagate(made);
  if (auto ok = hold(s, *made); !ok) return propagate(ok);
  return context_json(*made, time);
}

result<json> run_compact(session& s, const json& request) {
  auto r = read_compact(request, {});
  if (!r) return propagate(r);
  auto done = s.target().compact(std::move(*r), deadline_of(request));
  if (!done) return propagate(done);
  return compact_json(*done);
}

result<json> run_load_compact(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const load_compact_request r{.intent_id = in.text_or("intent_id", ""),
                               .step_id = in.text_or("step_id", ""),
                               .actor = in.text("actor"),
                               .at_seq = in.seq("at_seq")};
  const auto deadline_ms = read_deadline(in);
  const request_deadline time(s, deadline_ms);
  if (faults) return faults.refusal();
  auto found = s.target().load_compact(r, deadline_ms);
  if (!found) return propagate(found);
  return time.in_time(compact_json(*found));
}

result<json> run_attest(session& s, const json& request) {
  auto r = read_attest(request, {});
  if (!r) return propagate(r);
  auto done = s.target().attest(std::move(*r), deadline_of(request));
  if (!done) return propagate(done);
  return attest_json(*done);
}

} // namespace mneme::protocol
