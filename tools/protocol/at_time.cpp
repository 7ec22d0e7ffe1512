#include "tools/protocol/at_time.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

/// What an item of a tick says is checked when the item is read, and named there if it is no time.
bool has_time(const json& request) {
  const auto given = request.find("at");
  return given != request.end() && (given->is_string() || given->is_number_integer());
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace

result<timestamp> read_moment(const json& value) {
  auto time = read_time(value);
  if (time) return time;
  error e = std::move(time.error());
  e.at = "at";
  const auto* text = value.get_ptr<const std::string*>();
  if (text != nullptr && !text->empty() && std::ranges::all_of(*text, is_digit))
    e.message += "; this is a number, and an entry's is given as at_seq (--at-seq)";
  return std::unexpected(std::move(e));
}

bool names_a_time(const json& request) {
  if (!request.is_object()) return false;
  if (has_time(request)) return true;
  return std::ranges::any_of(request_lists, [&](const char* key) {
    const auto list = request.find(key);
    return list != request.end() && list->is_array() && std::ranges::any_of(*list, names_a_time);
  });
}

result<void> resolve_times(engine& target, json& request, const json_path& at) {
  if (!request.is_object()) return {};
  if (has_time(request)) {
    if (is_given(request, "at_seq"))
      return fail(errc::bad_value, "give at or at_seq, not both", at.key("at").text());
    auto time = read_moment(request["at"]);
    if (!time) return fail(time.error().code, time.error().message, at.key("at").text());
    auto seq = target.seq_at(*time);
    if (!seq) return fail(seq.error().code, seq.error().message, at.key("at").text());
    request.erase("at");
    request["at_seq"] = seq->value;
  }
  for (const char* key : request_lists) {
    const auto list = request.find(key);
    if (list == request.end() || !list->is_array()) continue;
    const json_path items = at.key(key);
    for (std::size_t i = 0; i < list->size(); ++i)
      if (auto ok = resolve_times(target, (*list)[i], items.item(i)); !ok) return ok;
  }
  return {};
}

} // namespace mneme::protocol
