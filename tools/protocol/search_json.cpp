#include "tools/protocol/search_json.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/text/lower_case.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/data_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/many.hpp"
#include "tools/protocol/near_name.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array search_table = {
    key_shape{"query", &shapes::text},
    key_shape{"limit", &shapes::integer},
    key_shape{"source_type", &shapes::text},
    key_shape{"memory_ids", &shapes::texts},
    key_shape{"include_lineage", &shapes::boolean},
    key_shape{"memory_type", &shapes::text},
    key_shape{"project", &shapes::text},
    key_shape{"status", &shapes::text},
    key_shape{"due_after", &shapes::time},
    key_shape{"due_before", &shapes::time},
    key_shape{"source", &shapes::text},
    key_shape{"tag", &shapes::text},
    key_shape{"sort", &shapes::text},
    key_shape{"include_archived", &shapes::boolean},
    key_shape{"include_ended", &shapes::boolean},
    key_shape{"include_overviews", &shapes::boolean},
    key_shape{"min_trust", &shapes::number},
    key_shape{"stale", &shapes::boolean},
    key_shape{"as_of", &shapes::time},
    key_shape{"include_siblings", &shapes::text},
    key_shape{"atomic_only", &shapes::boolean},
    key_shape{"audience", &shapes::text},
    key_shape{"include_metadata", &shapes::boolean},
    key_shape{"source_filter", &shapes::text},
    key_shape{"content_source_type", &shapes::text},
    key_shape{"include_low_relevance", &shapes::boolean},
    key_shape{"similarity_floor", &shapes::number},
    key_shape{"vector", &shapes::vector},
    key_shape{"budget_tokens", &shapes::integer},
    key_shape{"form", &shapes::text},
    key_shape{"explain", &shapes::boolean},
    receipt_key,
    key_shape{"weights", &shapes::text},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time},
    key_shape{"now", &shapes::time},
    key_shape{"deadline_ms", &shapes::integer},
};

result<void> check_search(const json& value, const json&, const json_path& at) {
  return check_item_of("search", search_keys(), value, at);
}
constexpr shape search_shape{
    .kind = shape_kind::custom, .check = check_search, .json_schema = R"({"type":"object"})"};
constexpr shape searches_shape{
    .kind = shape_kind::list, .name = "[search…]", .item = &search_shape};
constexpr std::array search_many_table = {key_shape{"items", &searches_shape, true},
                                          key_shape{"at_least", &shapes::integer},
                                          key_shape{"deadline_ms", &shapes::integer}};

// Each in the order of its enum.
constexpr std::string_view source_names[] = {"all", "memory", "content"};
constexpr std::string_view sort_names[] = {"auto", "relevance", "recency", "hybrid", "updated"};
constexpr std::string_view audience_names[] = {"personal", "work", "all"};
constexpr std::string_view sibling_names[] = {"auto", "always", "never"};
/// From search_status::open on.
constexpr std::string_view status_names[] = {"open",    "waiting",  "scheduled", "resolved",
                                             "expired", "archived", "overdue"};
constexpr std::string_view chunk_source_names[] = {"github", "local"};

/// A type by its name in lower case; context means note.
std::optional<memory_type> read_memory_type(value_reader& in) {
  const auto text = in.text("memory_type");
  if (!text) return {};
  if (*text == "context") return memory_type::note;
  const std::string wanted = lower_ascii(*text);
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    if (type != memory_type::chunk && lower_ascii(to_string(type)) == wanted) return type;
  }
  in.fail_key("memory_type", errc::bad_value, not_a_memory_type(*text));
  return {};
}

std::optional<std::vector<memory_id>> read_ids(value_reader& in) {
  if (in.find("memory_ids") == nullptr) return {};
  std::vector<memory_id> ids;
  in.items("memory_ids", [&](const json& item, const json_path& at) {
    const auto& text = item.get_ref<const std::string&>();
    auto id = parse_memory_id(text);
    if (!id)
      in.fail_at(at, id.error().code, id.error().message);
    else
      ids.push_back(*id);
  });
  return ids;
}

json lineage_json(const std::vector<lineage_item>& items) {
  json list = json::array();
  for (const auto& i : items)
    list.push_back({{"id", to_string(i.uri.id)},
                    {"uri", to_string(i.uri)},
                    {"title", i.title},
                    {"status", i.status ? json(to_string(*i.status)) : json(nullptr)}});
  return list;
}

template <class Enum>
json name_json(const std::optional<Enum>& value) {
  return value ? json(to_string(*value)) : json(nullptr);
}

json hit_json(const search_hit& h) {
  const bool is_chunk = h.uri.type == memory_type::chunk;
  json hit{{"id", to_string(h.uri.id)},
           {"uri", to_string(h.uri)},
           {"source_type", is_chunk ? "content_chunk" : "memory"},
           {"score", h.score},
           {"raw_score", h.raw_score},
           {"match", h.match}};
  if (is_chunk) {
    hit["path"] = h.path;
    hit["chunk_index"] = h.chunk_index;
  } else {
    hit["memory_type"] = lower_ascii(to_string(h.uri.type));
  }
  hit["title"] = h.title;
  hit["content"] = h.content;
  if (!h.field.empty()) hit["field"] = h.field;
  hit["truncated"] = h.truncated;
  hit["status"] = name_json(h.status);
  hit["overdue"] = h.overdue;
  hit["ended"] = h.ended;
  if (h.superseded) hit["superseded"] = true;
  hit["older_of"] = h.older_of ? json(to_string(*h.older_of)) : json();
  hit["due_date"] = time_json(h.due_date);
  hit["audience"] = name_json(h.audience);
  hit["project"] = h.project;
  hit["tags"] = h.tags;
  hit["metadata"] = metadata_json(h.metadata);
  hit["created_at"] = to_string(h.created_at);
  hit["updated_at"] = to_string(h.updated_at);
  put_standing(hit, h.standing, h.trust_told, h.source_class);
  if (h.lineage)
    hit["lineage"] = {{"ancestors", lineage_json(h.lineage->ancestors)},
                      {"descendants", lineage_json(h.lineage->descendants)},
                      {"truncated", h.lineage->truncated}};
  if (h.parts)
    hit["parts"] = {{"vector", h.parts->vector},         {"text", h.parts->text},
                    {"neighbours", h.parts->neighbours}, {"answers", h.parts->answers},
                    {"dates", h.parts->dates},           {"speakers", h.parts->speakers},
                    {"recency", h.parts->recency}};
  if (h.rendered) {
    hit["rendered"] = *h.rendered;
    hit["tokens"] = h.tokens;
  }
  return hit;
}

json coverage_json(const search_coverage& c) {
  json not_found = json::array();
  for (const auto& id : c.not_found_ids) not_found.push_back(to_string(id));
  return {{"memory",
           {{"searched", c.memory.searched},
            {"candidates", c.memory.candidates},
            {"below_floor", c.memory.below_floor},
            {"cut", c.memory.cut},
            {"ended", c.memory.ended},
            {"distrusted", c.memory.distrusted},
            {"superseded", c.memory.superseded},
            {"overviews", c.memory.overviews},
            {"returned", c.memory.returned}}},
          {"content",
           {{"searched", c.content.searched},
            {"candidates", c.content.candidates},
            {"below_floor", c.content.below_floor},
            {"cut", c.content.cut},
            {"promoted_hidden", c.content.promoted_hidden},
            {"ended", c.content.ended},
            {"distrusted", c.content.distrusted},
            {"returned", c.content.returned},
            {"indexed_sources", c.content.indexed_sources}}},
          {"requested_sources_not_found", c.requested_sources_not_found},
          {"not_found_ids", std::move(not_found)},
          {"best_match", c.best_match},
          {"notes", c.notes}};
}

} // namespace

std::span<const key_shape> search_keys() noexcept {
  return search_table;
}
std::span<const key_shape> search_many_keys() noexcept {
  return search_many_table;
}

result<search_request> read_search(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  search_request r;
  r.query = in.text_or("query", "");
  r.limit = in.integer("limit").value_or(r.limit);
  r.source = in.name_among<search_source>("source_type", source_names).value_or(r.source);
  r.memory_ids = read_ids(in);
  r.include_lineage = in.flag("include_lineage");
  r.type = read_memory_type(in);
  r.project = in.text("project");
  if (const auto place = in.name_among<std::uint8_t>("status", status_names))
    r.status = static_cast<search_status>(*place + static_cast<int>(search_status::open));
  r.due_after = in.time("due_after");
  r.due_before = in.time("due_before");
  r.origin = in.name<lifecycle_origin>("source");
  r.tag = in.text("tag");
  r.sort = in.name_among<search_sort>("sort", sort_names).value_or(r.sort);
  r.include_archived = in.flag("include_archived");
  r.include_ended = in.flag("include_ended");
  r.include_overviews = in.flag("include_overviews");
  r.min_trust = in.number("min_trust");
  if (in.find("stale") != nullptr) r.stale = in.flag("stale");
  r.as_of = in.time("as_of");
  r.include_siblings =
      in.name_among<sibling_mode>("include_siblings", sibling_names).value_or(r.include_siblings);
  r.atomic_only = in.flag("atomic_only");
  r.audience = in.name_among<search_audience>("audience", audience_names);
  r.include_metadata = in.flag("include_metadata");
  r.source_filter = in.text("source_filter");
  r.content_source = in.name_among<chunk_source>("content_source_type", chunk_source_names);
  r.include_low_relevance = in.flag("include_low_relevance");
  r.weights = in.text("weights");
  r.similarity_floor = in.number("similarity_floor").value_or(r.similarity_floor);
  r.vector = in.vector("vector");
  r.budget_tokens = in.integer("budget_tokens");
  r.form = in.name_among<form_kind>("form", form_names());
  r.explain = in.flag("explain");
  r.actor = in.text("actor");
  r.scope = read_scope(in);
  r.at_seq = in.seq("at_seq");
  r.now = in.time("now");
  r.deadline_ms = in.integer("deadline_ms");
  if (!faults && !r.memory_ids && in.find("query") == nullptr)
    in.fail_key("query", errc::missing_key, "the key \"query\" is missing");
  return finish(faults, std::move(r));
}

result<json> search_json(const search_result& found, const request_deadline& time) {
  auto results = rows_json(found.results, hit_json, time);
  if (!results) return propagate(results);
  const auto name = [](auto value, const auto& names) {
    return names[static_cast<std::size_t>(value)];
  };
  json answer{{"query", found.query},
              {"results", std::move(*results)},
              {"count", found.results.size()},
              {"applied_audience", found.applied_audience
                                       ? json(name(*found.applied_audience, audience_names))
                                       : json(nullptr)},
              {"source_type", name(found.source, source_names)},
              {"sort", name(found.sort, sort_names)},
              {"similarity_floor", found.similarity_floor},
              {"include_siblings", name(found.include_siblings, sibling_names)},
              {"coverage", coverage_json(found.coverage)}};
  if (found.metadata)
    answer["metadata"] = {{"weights", to_string(found.metadata->weights)},
                          {"terms", found.metadata->terms},
                          {"telling", found.metadata->telling},
                          {"has_vector", found.metadata->has_vector},
                          {"window", found.metadata->window}};
  if (found.form) {
    answer["form"] = to_text(*found.form);
    answer["tokens"] = found.tokens;
  }
  if (!found.embedder_problem.empty()) answer["embedder_problem"] = found.embedder_problem;
  answer["at_seq"] = found.at_seq.value;
  return answer;
}

result<json> run_search(session& s, const json& request) {
  auto r = read_search(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto found = s.target().search(std::move(*r));
  if (!found) return propagate(found);
  if (auto ok = hold(s, *found); !ok) return propagate(ok);
  return search_json(*found, time);
}

result<json> run_search_many(session& s, const json& request) {
  return run_many(s, request, "search", read_search, &engine::search_many, search_json);
}

} // namespace mneme::protocol
