#include "tools/server/http/request_time.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/protocol/op_table.hpp"

namespace mneme::server {

namespace {

constexpr std::string_view time_key = "deadline_ms";
constexpr std::string_view many_suffix = "_many";
/// Keys of lists of requests. The items of find_many and its like are of the op without "_many";
/// those of a tick name theirs.
constexpr std::array<std::string_view, 2> timed_lists = {"items", "reads"};

/// What changes the world is whole or not at all, and bounded in size: it has a deadline only if
/// its client names one.
bool is_write(const protocol::op_spec& op) {
  constexpr std::array<std::string_view, 15> of_no_batch = {"batch",
                                                            "tick",
                                                            "attest",
                                                            "compact",
                                                            "promote",
                                                            "snapshot",
                                                            "decay",
                                                            "checkpoint",
                                                            "revise",
                                                            "forget",
                                                            "unarchive",
                                                            "ingest_source",
                                                            "forget_matching",
                                                            "supersede_matching",
                                                            "erase"};
  return op.read != nullptr || std::ranges::find(of_no_batch, op.name) != of_no_batch.end();
}

} // namespace

void limit_time(json& request, std::string_view op, std::int64_t most_ms) {
  if (!request.is_object()) return;
  std::string named(op);
  if (const auto given = request.find("op"); given != request.end() && given->is_string())
    named = given->get<std::string>();
  const auto* spec = protocol::find_op(named);
  if (spec == nullptr) return;
  for (const auto& key : spec->keys) {
    if (key.name == time_key && !is_write(*spec)) {
      json& deadline = request[std::string(time_key)];
      if (deadline.is_null() || (deadline.is_number_integer() && deadline > most_ms))
        deadline = most_ms;
    }
    if (std::ranges::find(timed_lists, key.name) == timed_lists.end()) continue;
    const auto list = request.find(key.name);
    if (list == request.end() || !list->is_array()) continue;
    const auto item_op =
        named.ends_with(many_suffix) ? named.substr(0, named.size() - many_suffix.size()) : "";
    for (json& item : *list) limit_time(item, item_op, most_ms);
  }
}

} // namespace mneme::server
