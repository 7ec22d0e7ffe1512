#include "tools/protocol/absence_ops.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/protocol/memory_name.hpp"
#include "tools/protocol/proof_json.hpp"
#include "tools/protocol/scope_json.hpp"

namespace mneme::protocol {

namespace {

/// Of the question: who has less says nothing of it. That of the built-in embedder's worlds.
constexpr double default_least_match = 0.25;
/// The nearest that are shown beside an absence.
constexpr std::int64_t most_nearest = 3;
/// So many of the best by rank are looked at for them: the largest limit with the smallest window.
constexpr std::int64_t looked_at = 12;

constexpr std::array named_field_keys = {key_shape{"topic", &shapes::text, true},
                                         key_shape{"name", &shapes::text, true}};
constexpr shape named_field{
    .kind = shape_kind::object, .name = "{topic, name}", .keys = named_field_keys};
constexpr shape named_fields{
    .kind = shape_kind::list, .name = "[{topic, name}…]", .item = &named_field};
constexpr std::array absent_table = {key_shape{"query", &shapes::text},
                                     key_shape{"ids", &shapes::texts},
                                     key_shape{"fields", &named_fields},
                                     key_shape{"least_match", &shapes::number},
                                     key_shape{"min_trust", &shapes::number},
                                     key_shape{"memory_type", &shapes::text},
                                     key_shape{"project", &shapes::text},
                                     key_shape{"tag", &shapes::text},
                                     key_shape{"source_type", &shapes::text},
                                     key_shape{"as_of", &shapes::time},
                                     key_shape{"include_ended", &shapes::boolean},
                                     key_shape{"now", &shapes::time},
                                     key_shape{"at_seq", &shapes::integer},
                                     key_shape{"at_least", &shapes::integer},
                                     key_shape{"at", &shapes::time},
                                     key_shape{"actor", &shapes::text},
                                     key_shape{"scope", &shapes::scope},
                                     key_shape{"deadline_ms", &shapes::integer}};

/// An id as it is written in answers; what is none is prove's to refuse.
json canonical(const json& id) {
  const auto parsed = id_named(id.get_ref<const std::string&>());
  return parsed ? json(to_string(*parsed)) : id;
}

/// A list of what is named, each once; proofs are of each once, too.
json distinct(const json& list) {
  json once = json::array();
  for (json item : list) {
    if (item.is_object())
      item["topic"] = canonical(item["topic"]);
    else
      item = canonical(item);
    if (std::ranges::find(once, item) == once.end()) once.push_back(std::move(item));
  }
  return once;
}

json with_keys(const json& request, std::initializer_list<const char*> keys) {
  json some = json::object();
  for (const char* key : keys)
    if (is_given(request, key)) some[key] = request[key];
  return some;
}

/// The proofs of what is named, each presence beside its name.
result<json> proofs_of(session& s, const json& request) {
  if (is_given(request, "at_seq"))
    return fail(errc::unsupported, "proofs are against the newest state: leave at_seq out",
                "at_seq");
  return s.run("prove", with_keys(request, {"ids", "fields", "actor", "scope", "deadline_ms"}));
}

std::string erased_field_text(const json& named, const json& left) {
  return "field " + named["name"].get<std::string>() + " was erased by "
         + left["by"].get<std::string>() + ": " + left["reason"].get<std::string>();
}

/// By whom and why it was erased as of `seq`, so that erased is not taken for never there. Empty
/// where it was not, and for those who may not know.
result<std::string> erasure_of(session& s, const json& request, const json& named,
                               const json& seq) {
  json asked = with_keys(request, {"actor", "scope", "deadline_ms"});
  asked["id"] = named.is_object() ? named["topic"] : named;
  asked["at_seq"] = seq;
  auto found = s.run("get", std::move(asked));
  if (!found && found.error().code == errc::erased) return found.error().message;
  if (!found && found.error().code == errc::not_found) return std::string();
  if (!found) return propagate(found);
  const json& m = (*found)["memory"];
  if (named.is_object() && m.contains("erased_fields"))
    for (const json& left : m["erased_fields"])
      if (left["name"] == named["name"]) return erased_field_text(named, left);
  return std::string();
}

/// Adds `present` to each of the named, whose proofs stand from `first` on; is any there?
result<bool> add_presence(session& s, json& answer, const json& request, const char* key,
                          const json& proved, std::size_t first) {
  if (!is_given(request, key)) return false;
  bool any = false;
  json list = json::array();
  for (std::size_t i = 0; i < request[key].size(); ++i) {
    const json& named = request[key][i];
    json item = named.is_object() ? named : json{{"id", named}};
    item["present"] = proved["proofs"][first + i]["present"];
    any = any || item["present"] == true;
    auto erased = erasure_of(s, request, named, proved["seq"]);
    if (!erased) return propagate(erased);
    if (!erased->empty()) item["erased"] = std::move(*erased);
    list.push_back(std::move(item));
  }
  answer[key] = std::move(list);
  return any;
}

/// What a search found of what a question asks.
struct searched {
  json counts;
  double best_match = 0;
  std::vector<json> nearest{};
  std::string telling{}; ///< of the question, without names of who speaks and function words
};

void order_by_match(searched& found) {
  std::ranges::stable_sort(found.nearest, std::greater(),
                           [](const json& hit) { return hit["match"].get<double>(); });
  if (found.nearest.size() > static_cast<std::size_t>(most_nearest))
    found.nearest.resize(most_nearest);
}

result<searched> searched_for(session& s, json asked) {
  auto found = s.run("search", std::move(asked));
  if (!found) return propagate(found);
  const json& coverage = (*found)["coverage"];
  const json& memories = coverage["memory"];
  const json& chunks = coverage["content"];
  searched out{.counts = {{"memories", memories["searched"]}, {"chunks", chunks["searched"]}},
               .best_match = coverage["best_match"].get<double>(),
               .telling = (*found)["metadata"]["telling"].get<std::string>()};
  for (const char* key : {"ended", "superseded", "distrusted"})
    out.counts[key] = memories.value(key, std::int64_t{0}) + chunks.value(key, std::int64_t{0});
  for (const auto& hit : (*found)["results"]) {
    json near{{"id", hit["id"]},
              {"uri", hit["uri"]},
              {"match", hit["match"]},
              {"content", hit["content"]}};
    if (hit["ended"] == true) near["ended"] = true;
    if (hit.contains("superseded")) near["superseded"] = true;
    out.nearest.push_back(std::move(near));
  }
  order_by_match(out);
  return out;
}

void add(searched& to, searched&& more) {
  for (auto& [key, count] : to.counts.items())
    count = count.get<std::int64_t>() + more.counts[key].get<std::int64_t>();
  to.best_match = std::max(to.best_match, more.best_match);
  if (more.nearest.empty()) return;
  std::ranges::move(more.nearest, std::back_inserter(to.nearest));
  order_by_match(to);
}

/// What holds now, as a search has it, and of memories what is archived, too: that is put away, and
/// still said.
result<searched> nearest_of(session& s, const json& request, const json& seq) {
  json asked =
      with_keys(request, {"query", "memory_type", "project", "tag", "source_type", "as_of", "now",
                          "include_ended", "min_trust", "actor", "scope", "deadline_ms"});
  asked["at_seq"] = seq;
  if (!is_given(asked, "now") && !is_given(request, "at_seq"))
    asked["now"] = to_string(s.target().now());
  asked["limit"] = looked_at;
  asked["sort"] = "relevance";
  asked["similarity_floor"] = 0;
  asked["include_metadata"] = true;
  auto found = searched_for(s, asked);
  if (!found) return found;
  // Whoever speaks and is named said something, and "has" and "the" are in most of it: neither says
  // what is asked.
  if (!found->telling.empty() && found->telling != asked.value("query", std::string())) {
    asked["query"] = found->telling;
    found = searched_for(s, asked);
  }
  if (!found || asked.value("source_type", "") == "content") return found;
  asked["status"] = "archived";
  asked["source_type"] = "memory";
  auto archived = searched_for(s, std::move(asked));
  if (!archived) return archived;
  add(*found, std::move(*archived));
  return found;
}

result<double> least_match_of(const json& request) {
  if (!is_given(request, "least_match")) return default_least_match;
  const auto least = request["least_match"].get<double>();
  if (least > 0 && least <= 1) return least;
  return fail(errc::out_of_range, "least_match is above 0 and at most 1", "least_match");
}

/// The state that the answer is of: {seq, root}.
result<json> state_of(session& s, const json& request) {
  auto roots = s.run("root", with_keys(request, {"at_seq", "deadline_ms"}));
  if (!roots) return roots;
  return json{{"seq", (*roots)["seq"]}, {"root", (*roots)["root"]}};
}

} // namespace

std::span<const key_shape> absent_keys() noexcept {
  return absent_table;
}

result<json> run_absent(session& s, const json& asked) {
  json request = asked;
  for (const char* key : {"ids", "fields"}) {
    if (!is_given(request, key)) continue;
    request[key] = distinct(request[key]);
    if (request[key].empty()) request.erase(key);
  }
  const bool names = is_given(request, "ids") || is_given(request, "fields");
  if (!names && !is_given(request, "query"))
    return fail(errc::missing_key, "give a query, ids or fields that nothing is to be there of",
                "query");
  auto least = least_match_of(request);
  if (!least) return propagate(least);
  json answer{{"absent", true}};
  auto state = names ? proofs_of(s, request) : state_of(s, request);
  if (!state) return state;
  bool is_there = false;
  if (is_given(request, "query")) {
    auto found = nearest_of(s, request, (*state)["seq"]);
    if (!found) return propagate(found);
    is_there = found->best_match >= *least;
    answer["searched"] = std::move(found->counts);
    answer["best_match"] = found->best_match;
    answer["nearest"] = found->nearest;
  }
  const json seq = (*state)["seq"];
  const json root = (*state)["root"];
  if (names) {
    const std::size_t ids = is_given(request, "ids") ? request["ids"].size() : 0;
    const std::size_t fields = is_given(request, "fields") ? request["fields"].size() : 0;
    if ((*state)["proofs"].size() != ids + fields)
      return fail(errc::bad_value, "one is named twice", ids > 0 ? "ids" : "fields");
    for (const auto& [key, first] : {std::pair("ids", std::size_t{0}), std::pair("fields", ids)}) {
      auto any = add_presence(s, answer, request, key, *state, first);
      if (!any) return propagate(any);
      is_there = is_there || *any;
    }
    answer["proof"] = std::move(*state);
  }
  answer["absent"] = !is_there;
  answer["seq"] = seq;
  answer["root"] = root;
  return answer;
}

} // namespace mneme::protocol
