#include "tools/protocol/receipt.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/hash.hpp"
#include "mneme/search.hpp"
#include "tools/protocol/op_table.hpp"

namespace mneme::protocol {

namespace {

constexpr std::int64_t receipt_version = 1;
/// Of a long list of differences, those that are named.
constexpr std::size_t most_named = 10;

/// What came first to last; what a door gives no score has none.
json scored(const json& item, const char* id, std::initializer_list<const char*> scores) {
  json out{{"id", item[id]}};
  for (const char* key : scores)
    if (const auto score = item.find(key); score != item.end() && score->is_number()) {
      out["score"] = *score;
      break;
    }
  return out;
}

json found_of(const json& answer) {
  json list = json::array();
  const json& scores = answer["scores"];
  for (std::size_t i = 0; i < answer["memories"].size(); ++i) {
    list.push_back(scored(answer["memories"][i], "id", {}));
    if (i < scores.size()) list.back()["score"] = scores[i];
  }
  return list;
}
json hits_of(const json& answer) {
  json list = json::array();
  for (const auto& hit : answer["results"]) list.push_back(scored(hit, "id", {"score"}));
  return list;
}
json candidates_of(const json& answer) {
  json list = json::array();
  for (const auto& c : answer["candidates"]) list.push_back(scored(c, "topic_id", {"similarity"}));
  return list;
}
json items_of(const json& answer) {
  json list = json::array();
  for (const auto& [tier, items] : answer["tiers"].items())
    for (const auto& item : items) {
      list.push_back(scored(item, "id", {"score", "salience"}));
      list.back()["tier"] = tier;
    }
  return list;
}

/// A door that gives receipts.
struct door {
  std::string_view op;
  std::string_view writes; ///< the key that would make it write; empty = none
  json (*results)(const json& answer);
};
constexpr std::array<door, 4> doors = {{{"find", "late_binding", found_of},
                                        {"search", "", hits_of},
                                        {"retrieve", "touch", candidates_of},
                                        {"context", "", items_of}}};

const door* door_of(std::string_view op) {
  const auto found = std::ranges::find(doors, op, &door::op);
  return found == doors.end() ? nullptr : &*found;
}

json sorted(const json& value) {
  if (value.is_array()) {
    json list = json::array();
    for (const auto& item : value) list.push_back(sorted(item));
    return list;
  }
  if (!value.is_object()) return value;
  std::vector<std::string> keys;
  for (const auto& [key, item] : value.items()) keys.push_back(key);
  std::ranges::sort(keys);
  json object = json::object();
  for (const auto& key : keys) object[key] = sorted(value[key]);
  return object;
}

std::string hash_of(json receipt) {
  receipt.erase("hash");
  return to_hex(sha256_of(print(sorted(receipt))));
}

/// What is asked again: without what concerns one run alone.
json asked_again(json request) {
  for (const char* key : {"op", "receipt", "deadline_ms", "at_seq", "at_least"}) request.erase(key);
  return request;
}

/// What the engine or the world would say for a request that does not, so that another one, or one
/// whose weights were changed, is asked the same.
void fix_defaults(json& request, const json& answer) {
  if (const auto bound = answer.find("applied_audience");
      bound != answer.end() && !bound->is_null() && !is_given(request, "audience"))
    request["audience"] = *bound;
  if (!answer.contains("coverage") || is_given(request, "weights")) return;
  constexpr std::string_view named = "weights: ";
  for (const auto& note : answer["coverage"]["notes"])
    if (const auto& text = note.get_ref<const std::string&>(); text.starts_with(named))
      request["weights"] = text.substr(named.size());
}

/// The text of a receipt's value for people.
std::string shown(const json& value) {
  if (!value.is_object()) return print(value);
  const auto score = value.find("score");
  return print(value["id"]) + (score == value.end() ? "" : " with " + print(*score));
}

std::vector<std::string> differences(const json& given, const json& again) {
  std::vector<std::string> found;
  for (const char* key : {"world_id", "root", "exact", "ranking"})
    if (given[key] != again[key])
      found.push_back(
          fmt::format("{} is {} instead of {}", key, shown(again[key]), shown(given[key])));
  const json& before = given["results"];
  const json& now = again["results"];
  if (before.size() != now.size())
    found.push_back(fmt::format("{} results instead of {}", now.size(), before.size()));
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (before[i] != now[i])
      found.push_back(
          fmt::format("result {} is {} instead of {}", i, shown(now[i]), shown(before[i])));
  if (found.size() > most_named) {
    found[most_named - 1] = fmt::format("and {} more", found.size() - most_named + 1);
    found.resize(most_named);
  }
  return found;
}

constexpr std::array result_table = {key_shape{"id", &shapes::text, true},
                                     key_shape{"score", &shapes::number},
                                     key_shape{"tier", &shapes::text}};
constexpr shape result_shape{
    .kind = shape_kind::object, .name = "{id, score?, tier?}", .keys = result_table};
constexpr shape results_shape{.kind = shape_kind::list, .name = "[…]", .item = &result_shape};
result<void> check_asked(const json& value, const json&, const json_path& at) {
  if (value.is_object()) return {};
  return wrong_type("a request object", value, at);
}
constexpr shape asked_shape{
    .kind = shape_kind::custom, .check = check_asked, .json_schema = R"({"type":"object"})"};
constexpr std::array receipt_table = {
    key_shape{"version", &shapes::integer, true}, key_shape{"op", &shapes::text, true},
    key_shape{"request", &asked_shape, true},     key_shape{"seq", &shapes::integer, true},
    key_shape{"root", &shapes::text, true},       key_shape{"world_id", &shapes::text, true},
    key_shape{"exact", &shapes::boolean, true},   key_shape{"ranking", &shapes::integer, true},
    key_shape{"results", &results_shape, true},   key_shape{"hash", &shapes::text, true}};
constexpr shape receipt_shape{
    .kind = shape_kind::object, .name = "the receipt of an answer", .keys = receipt_table};
constexpr std::array replay_table = {key_shape{"receipt", &receipt_shape, true},
                                     key_shape{"deadline_ms", &shapes::integer}};

result<const door*> checked_door(const json& receipt) {
  if (receipt["version"] != receipt_version)
    return fail(errc::bad_value,
                fmt::format("a receipt of version {}; this build knows {}",
                            print(receipt["version"]), receipt_version),
                "receipt.version");
  const door* of = door_of(receipt["op"].get_ref<const std::string&>());
  if (of == nullptr)
    return fail(errc::bad_value, fmt::format("{} gives no receipts", print(receipt["op"])),
                "receipt.op");
  if (receipt["hash"] != hash_of(receipt))
    return fail(errc::bad_value, "the receipt was changed: its hash is another", "receipt.hash");
  return of;
}

} // namespace

bool asks_for_receipt(const json& request) {
  const auto asked = request.find("receipt");
  return asked != request.end() && *asked == true;
}

result<void> check_no_receipt(const json& item, const json_path& at) {
  if (!asks_for_receipt(item)) return {};
  return fail(errc::unsupported, "a receipt is of a read that stands alone",
              at.key("receipt").text());
}

result<json> run_with_receipt(session& s, const op_spec& op, const json& request) {
  const door* of = door_of(op.name);
  if (of == nullptr) return op.run(s, request);
  json fixed = request;
  if (!of->writes.empty())
    if (const auto writes = fixed.find(of->writes); writes != fixed.end() && *writes == true)
      return fail(errc::unsupported, "a receipt is of a read, and this would write",
                  std::string(of->writes));
  // At a seq of its own it is asked as of the time of that entry, then and later.
  if (!is_given(fixed, "now") && !is_given(fixed, "at_seq"))
    fixed["now"] = to_string(s.target().now());
  std::optional<seq_no> wanted;
  if (is_given(fixed, "at_seq")) {
    const auto at = fixed["at_seq"].get<std::int64_t>();
    if (at < 0) return op.run(s, fixed); // which refuses it
    wanted = seq_no{static_cast<std::uint64_t>(at)};
  }
  auto roots = s.target().root(wanted);
  if (!roots) return propagate(roots);
  if (!is_given(fixed, "at_seq")) fixed["at_seq"] = roots->seq.value;
  auto answer = op.run(s, fixed);
  if (!answer) return answer;
  fix_defaults(fixed, *answer);
  const auto near = answer->find("near_mode");
  json receipt{{"version", receipt_version},
               {"op", op.name},
               {"request", asked_again(fixed)},
               {"seq", roots->seq.value},
               {"root", to_hex(roots->overall)},
               {"world_id", to_hex(roots->world)},
               {"exact", near == answer->end() || *near != "hnsw"},
               {"ranking", ranking_version},
               {"results", of->results(*answer)}};
  receipt["hash"] = hash_of(receipt);
  (*answer)["receipt"] = std::move(receipt);
  return answer;
}

std::span<const key_shape> replay_receipt_keys() noexcept {
  return replay_table;
}

result<json> run_replay_receipt(session& s, const json& request) {
  const json& receipt = request["receipt"];
  auto of = checked_door(receipt);
  if (!of) return propagate(of);
  json asked = receipt["request"];
  asked["receipt"] = true;
  asked["at_seq"] = receipt["seq"];
  if (const auto limit = request.find("deadline_ms"); limit != request.end())
    asked["deadline_ms"] = *limit;
  auto again = s.run((*of)->op, std::move(asked));
  if (!again) return again;
  const json& made = (*again)["receipt"];
  const auto found = differences(receipt, made);
  return json{
      {"equal", found.empty()}, {"differences", found}, {"seq", receipt["seq"]}, {"receipt", made}};
}

} // namespace mneme::protocol
