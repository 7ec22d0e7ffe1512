#include "views/erased_elsewhere.hpp"

#include <algorithm>

namespace mneme {

namespace {

bool is_named(std::span<const topic_field> fields, const std::string& name) {
  return std::ranges::any_of(fields, [&](const topic_field& f) { return f.head.name == name; });
}

} // namespace

void add_erased_elsewhere(const erased_elsewhere& known, const memory_id& topic, seq_no at,
                          std::span<const topic_field> live, std::vector<topic_field>& erased) {
  const auto of_topic = known.fields.find(topic);
  if (of_topic == known.fields.end()) return;
  for (const auto& [name, left] : of_topic->second)
    if (left.erased->since <= at && !is_named(live, name) && !is_named(erased, name))
      erased.push_back(left);
  std::ranges::sort(erased, {}, [](const topic_field& f) { return std::string_view(f.head.name); });
}

} // namespace mneme
