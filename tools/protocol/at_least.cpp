#include "tools/protocol/at_least.hpp"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "tools/protocol/at_time.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

/// What an item of a tick says is checked when the item is read, and named there if it is no seq.
bool has_seq(const json& request) {
  const auto given = request.find("at_least");
  return given != request.end() && given->is_number_integer();
}

/// Calls `visit` with the request and those in its lists.
template <class Visit>
void each_request(const json& request, const Visit& visit) {
  if (!request.is_object()) return;
  visit(request);
  for (const char* key : request_lists)
    if (const auto list = request.find(key); list != request.end() && list->is_array())
      for (const auto& item : *list) each_request(item, visit);
}

} // namespace

bool asks_for_newest(const json& request) {
  bool asks = false;
  each_request(request, [&](const json& r) { asks = asks || has_seq(r); });
  return asks;
}

result<void> wait_for_newest(engine& target, json& request) {
  std::int64_t newest = 0;
  bool is_negative = false;
  each_request(request, [&](const json& r) {
    if (!has_seq(r)) return;
    const auto asked = r["at_least"].get<std::int64_t>();
    is_negative = is_negative || asked < 0;
    newest = std::max(newest, asked);
  });
  if (is_negative) return fail(errc::out_of_range, "at_least is a seq, 0 or more", "at_least");
  std::optional<std::int64_t> deadline_ms;
  if (is_given(request, "deadline_ms")) deadline_ms = request["deadline_ms"].get<std::int64_t>();
  const auto began = std::chrono::steady_clock::now();
  if (auto ok = target.reach({static_cast<std::uint64_t>(newest)}, deadline_ms); !ok) return ok;
  if (!deadline_ms) return {};
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  request["deadline_ms"] = std::max<std::int64_t>(*deadline_ms - took.count(), 1);
  return {};
}

} // namespace mneme::protocol
