#include "tools/protocol/chroma_json.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/data_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/many.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array assign_tag_table = {
    key_shape{"tag", &shapes::text, true}, key_shape{"anchor", &shapes::integer},
    key_shape{"zone", &shapes::text}, key_shape{"actor", &shapes::text},
    key_shape{"deadline_ms", &shapes::integer}};

constexpr std::array<std::string_view, 5> filter_words = {"$gte", "$gt", "$lte", "$lt",
                                                          "$contains"};

result<void> check_filter_object(const json& value, const json_path& at) {
  if (value.empty())
    return fail(errc::bad_value, "a filter object has $gte, $gt, $lte, $lt or $contains",
                at.text());
  for (const auto& [key, bound] : value.items()) {
    if (std::ranges::find(filter_words, key) == filter_words.end())
      return unknown_key(key, filter_words, at.key(key));
    if (!is_scalar(bound)) return wrong_type("text, a number, true or false", bound, at.key(key));
  }
  return {};
}

/// A scalar, a list of scalars, or an object of ranges and $contains.
result<void> check_filter(const json& value, const json&, const json_path& at) {
  if (is_scalar(value) || value.is_null()) return {};
  if (value.is_object()) return check_filter_object(value, at);
  if (!value.is_array()) return wrong_type("a value, a list or a filter object", value, at);
  for (std::size_t i = 0; i < value.size(); ++i)
    if (!is_scalar(value[i]))
      return wrong_type("text, a number, true or false", value[i], at.item(i));
  return {};
}
constexpr shape filter_shape{
    .kind = shape_kind::custom,
    .check = check_filter,
    .json_schema = R"({"anyOf":[{"type":["string","number","boolean"]},)"
                   R"({"type":"array","items":{"type":["string","number","boolean"]}},)"
                   R"({"type":"object","minProperties":1,"additionalProperties":false,)"
                   R"("properties":{"$gte":{},"$gt":{},"$lte":{},"$lt":{},"$contains":{}}}]})"};
constexpr shape filters_shape{
    .kind = shape_kind::map, .name = "{key: value|[value…]|{$gte…}}", .item = &filter_shape};

/// [start|null, end|null].
result<void> check_range(const json& value, const json&, const json_path& at) {
  if (!value.is_array() || value.size() != 2) return wrong_type("[start, end]", value, at);
  for (std::size_t i = 0; i < 2; ++i)
    if (!value[i].is_null())
      if (auto ok = check_shape(value[i], shapes::time, value, at.item(i)); !ok) return ok;
  return {};
}
constexpr shape range_shape{.kind = shape_kind::custom,
                            .name = "[time|null, time|null]",
                            .check = check_range,
                            .json_schema = R"({"type":"array","minItems":2,"maxItems":2,)"
                                           R"("items":{"type":["string","integer","null"]}})"};

constexpr std::array weight_keys = {key_shape{"relevance", &shapes::number, true},
                                    key_shape{"recency", &shapes::number, true},
                                    key_shape{"strength", &shapes::number, true}};
constexpr shape weights_shape{
    .kind = shape_kind::object, .name = "{relevance, recency, strength}", .keys = weight_keys};

constexpr std::array chroma_table = {
    key_shape{"hashtags", &shapes::texts},
    key_shape{"text", &shapes::text},
    key_shape{"k", &shapes::integer},
    key_shape{"max_distance", &shapes::number},
    key_shape{"temporal_range", &range_shape},
    key_shape{"metadata_filters", &filters_shape},
    key_shape{"include_rotten", &shapes::boolean},
    key_shape{"include_ended", &shapes::boolean},
    key_shape{"score_weights", &weights_shape},
    key_shape{"profile", &shapes::text},
    key_shape{"touch", &shapes::boolean},
    key_shape{"approximate", &shapes::boolean},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time},
    key_shape{"deadline_ms", &shapes::integer},
};

result<void> check_chroma(const json& value, const json&, const json_path& at) {
  return check_item_of("chroma", chroma_table, value, at);
}
constexpr shape one_chroma_shape{
    .kind = shape_kind::custom, .check = check_chroma, .json_schema = R"({"type":"object"})"};
constexpr shape chromas_shape{
    .kind = shape_kind::list, .name = "[chroma…]", .item = &one_chroma_shape};
constexpr std::array chroma_many_table = {key_shape{"items", &chromas_shape, true},
                                          key_shape{"at_least", &shapes::integer},
                                          key_shape{"deadline_ms", &shapes::integer}};

constexpr std::array decay_table = {key_shape{"actor", &shapes::text},
                                    key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array point_table = {
    key_shape{"hashtags", &shapes::texts, true}, key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer}, key_shape{"at", &shapes::time},
    key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array suggest_table = {
    key_shape{"text", &shapes::text, true}, key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer}, key_shape{"at", &shapes::time},
    key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array tags_table = {
    key_shape{"at_seq", &shapes::integer}, key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time}, key_shape{"deadline_ms", &shapes::integer}};

/// Zones are named as Core, Mid and Outer, and read in any case.
std::optional<colour_zone> read_zone(value_reader& in) {
  const auto name = in.text("zone");
  if (!name) return std::nullopt;
  for (const auto zone : {colour_zone::core, colour_zone::mid, colour_zone::outer}) {
    const std::string_view own = to_string(zone);
    const bool is_same =
        std::ranges::equal(*name, own, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
    if (is_same) return zone;
  }
  in.fail_key("zone", errc::bad_value,
              fmt::format("\"{}\" is not a zone: Core, Mid or Outer", *name));
  return std::nullopt;
}

scalar read_scalar(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.get<double>();
}

metadata_filter read_filter(const json& value) {
  metadata_filter f;
  if (value.is_array()) {
    for (const auto& item : value) f.any_of.push_back(read_scalar(item));
  } else if (value.is_object()) {
    const auto bound = [&](const char* key, std::optional<scalar>& to) {
      if (value.contains(key)) to = read_scalar(value[key]);
    };
    bound("$gte", f.gte);
    bound("$gt", f.gt);
    bound("$lte", f.lte);
    bound("$lt", f.lt);
    bound("$contains", f.contains);
  } else {
    f.any_of.push_back(read_scalar(value));
  }
  return f;
}

metadata_filters read_filters(value_reader& in) {
  metadata_filters filters;
  const json* given = in.find("metadata_filters");
  if (given == nullptr) return filters;
  for (const auto& [key, value] : given->items())
    if (!value.is_null()) filters.emplace(key, read_filter(value));
  return filters;
}

std::optional<time_range> read_range(value_reader& in) {
  const json* given = in.find("temporal_range");
  if (given == nullptr) return std::nullopt;
  time_range range;
  const auto end = [&](std::size_t i, std::optional<timestamp>& to) {
    if ((*given)[i].is_null()) return;
    auto time = read_time((*given)[i]);
    if (time)
      to = *time;
    else
      in.fail_key("temporal_range", time.error().code, time.error().message);
  };
  end(0, range.start);
  end(1, range.end);
  return range;
}

std::optional<score_weights> read_weights(value_reader& in) {
  std::optional<score_weights> weights;
  in.object("score_weights", [&](value_reader& w) {
    weights = score_weights{.relevance = w.number("relevance").value_or(0),
                            .recency = w.number("recency").value_or(0),
                            .strength = w.number("strength").value_or(0)};
  });
  return weights;
}

std::optional<bool> read_flag(value_reader& in, std::string_view key) {
  return in.find(key) == nullptr ? std::nullopt : std::optional(in.flag(key));
}

json row_json(const chroma_row& row) {
  const memory& m = row.memory;
  const colour& c = *m.head->colour;
  const colour_signals s = m.signals.value_or(colour_signals{});
  json found{{"id", to_string(m.head->id)},
             {"uri", to_string(memory_uri{m.head->type, m.head->id, m.version->number})},
             {"type", to_string(m.head->type)},
             {"actor_scope", m.head->actor_scope},
             {"label", row.label},
             {"data", data_json(m.head->type, m.version->data)},
             {"tags", m.head->tags},
             {"metadata", metadata_json(m.head->metadata)},
             {"created_at", to_string(m.head->created_at)},
             {"last_accessed", to_string(s.last_accessed)},
             {"hashtags", c.hashtags},
             {"L", c.L},
             {"a", c.a},
             {"b", c.b},
             {"node_id", node_id_of(c.L, c.a, c.b)},
             {"strength_raw", strength_json(s.strength_e9)},
             {"health", row.health},
             {"ascended", s.ascended},
             {"rotten", s.rotten},
             {"mode", c.mode},
             {"access_count", m.activation.access_count},
             {"distance", row.distance},
             {"relevance", row.relevance},
             {"recency", row.recency},
             {"strength_norm", row.strength_norm},
             {"score", row.score}};
  const provenance& from = m.version->provenance;
  put_standing(found, m.standing, from.trust || from.source_class, from.source_class);
  put_past(found, row.past);
  return found;
}

json assignment_json(const tag_assignment& t) {
  return {{"tag", t.tag}, {"anchor", t.anchor}, {"zone", to_string(t.zone)}};
}

} // namespace

std::span<const key_shape> assign_tag_keys() noexcept {
  return assign_tag_table;
}
std::span<const key_shape> chroma_keys() noexcept {
  return chroma_table;
}
std::span<const key_shape> chroma_many_keys() noexcept {
  return chroma_many_table;
}
std::span<const key_shape> decay_keys() noexcept {
  return decay_table;
}
std::span<const key_shape> point_keys() noexcept {
  return point_table;
}
std::span<const key_shape> suggest_hashtags_keys() noexcept {
  return suggest_table;
}
std::span<const key_shape> tags_keys() noexcept {
  return tags_table;
}

result<mutation> read_assign_tag(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  assign_tag_request r;
  r.tag = in.text_or("tag", "");
  r.anchor = in.integer("anchor");
  r.zone = read_zone(in);
  r.actor = in.text_or("actor", "");
  return finish_write(faults, std::move(r), at);
}

json assign_tag_result_json(const mutation_result& r) {
  json answer = assignment_json(*r.tag);
  answer["changed"] = r.changed;
  answer["seq"] = r.seq.value;
  return answer;
}

result<chroma_request> read_chroma(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  chroma_request r;
  if (in.find("hashtags") == nullptr && in.find("text") == nullptr)
    in.fail_key("hashtags", errc::missing_key, "hashtags or text is needed");
  r.hashtags = in.texts("hashtags").value_or(std::vector<std::string>{});
  r.text = in.text("text");
  r.k = in.integer("k");
  r.max_distance = in.number("max_distance");
  r.temporal_range = read_range(in);
  r.filters = read_filters(in);
  r.include_rotten = read_flag(in, "include_rotten");
  r.include_ended = in.flag("include_ended");
  r.weights = read_weights(in);
  r.profile = in.text("profile");
  r.touch = read_flag(in, "touch");
  r.approximate = in.flag("approximate");
  r.actor = in.text("actor");
  r.scope = read_scope(in);
  r.at_seq = in.seq("at_seq");
  r.deadline_ms = in.integer("deadline_ms");
  return finish(faults, std::move(r));
}

result<json> chroma_json(const chroma_result& found, const request_deadline& time) {
  auto results = rows_json(found.rows, row_json, time.unless_written(found.seq));
  if (!results) return propagate(results);
  json answer{{"point",
               {{"L", found.point.L},
                {"a", found.point.a},
                {"b", found.point.b},
                {"node_id", found.point.node_id}}},
              {"results", std::move(*results)},
              {"hashtags", found.hashtags},
              {"profile", found.profile},
              {"candidates_scanned", found.candidates_scanned},
              {"at_seq", found.at_seq.value}};
  for (const auto& [key, value] : found.notes) answer["notes"][key] = value;
  for (const auto& [key, value] : found.traits) answer["layout_traits"][key] = value;
  if (found.seq) answer["seq"] = found.seq->value;
  return answer;
}

result<json> run_chroma(session& s, const json& request) {
  auto r = read_chroma(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto found = s.target().chroma(std::move(*r));
  if (!found) return propagate(found);
  if (auto ok = hold(s, *found); !ok) return propagate(ok);
  return chroma_json(*found, time);
}

result<json> run_chroma_many(session& s, const json& request) {
  return run_many(s, request, "chroma", read_chroma, &engine::chroma_many, chroma_json);
}

result<json> run_decay(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  auto done = s.target().decay(in.text_or("actor", ""), deadline_of(request));
  if (!done) return propagate(done);
  return json{{"decayed", done->decayed},
              {"ascended", done->ascended},
              {"rotten", done->rotten},
              {"seq", done->seq.value}};
}

result<json> run_point(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const auto hashtags = in.texts("hashtags").value_or(std::vector<std::string>{});
  const auto at_seq = in.seq("at_seq");
  const request_deadline time(s, read_deadline(in));
  if (faults) return faults.refusal();
  auto p = s.target().point(hashtags, at_seq);
  if (!p) return propagate(p);
  return time.in_time(json{{"L", p->L},
                           {"a", p->a},
                           {"b", p->b},
                           {"node_id", p->node_id},
                           {"counts", hashtag_counts_json(p->counts)}});
}

result<json> run_suggest_hashtags(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const std::string text = in.text_or("text", "");
  const auto at_seq = in.seq("at_seq");
  const request_deadline time(s, read_deadline(in));
  if (faults) return faults.refusal();
  auto found = s.target().suggest_hashtags(text, at_seq);
  if (!found) return propagate(found);
  return time.in_time(json{{"hashtags", *found}});
}

result<json> run_tags(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const auto at_seq = in.seq("at_seq");
  const request_deadline time(s, read_deadline(in));
  if (faults) return faults.refusal();
  auto tags = s.target().tags(at_seq);
  if (!tags) return propagate(tags);
  json list = json::array();
  for (const auto& t : *tags) {
    if (auto ok = time.check(); !ok) return propagate(ok);
    list.push_back(assignment_json(t));
  }
  return time.in_time(json{{"tags", std::move(list)}});
}

} // namespace mneme::protocol
