#include "tools/import/returned_ids.hpp"

#include <algorithm>

#include "tools/import/derived_id.hpp"

namespace mneme::importing {

namespace {

constexpr std::size_t bytes_of_time = 6; ///< the first ones of an id

} // namespace

result<place_here> returned_ids::place_of(const memory_id& id) {
  if (const auto known = known_.find(id); known != known_.end()) return place_here{known->second};
  memory_id next = id;
  for (;;) {
    const auto there = engine_.get(next);
    if (there) break;
    if (there.error().code != errc::erased) {
      // Nothing was brought back yet: what was erased is what there is.
      if (next != id && !brings_back_) return place_here{id, true};
      break;
    }
    memory_id after = derived_id("brought back", "", to_string(next));
    std::copy_n(id.bytes.begin(), bytes_of_time, after.bytes.begin());
    next = after;
  }
  if (next != id) known_.emplace(id, next);
  return place_here{next};
}

result<memory_id> returned_ids::of(const memory_id& id) {
  auto place = place_of(id);
  if (!place) return propagate(place);
  return place->id;
}

result<void> returned_ids::rename(memory_id& id) {
  auto now = of(id);
  if (!now) return propagate(now);
  id = *now;
  return {};
}

result<void> returned_ids::rename(std::string& text) {
  auto uri = parse_memory_uri(text);
  if (!uri) return {}; // words
  auto now = of(uri->id);
  if (!now) return propagate(now);
  if (*now == uri->id) return {};
  uri->id = *now;
  text = to_string(*uri);
  return {};
}

result<void> returned_ids::rename(provenance& of) {
  for (std::string& uri : of.derived_from)
    if (auto ok = rename(uri); !ok) return ok;
  return {};
}

result<void> returned_ids::rename(memory_data& data) {
  for (auto& [name, value] : data) {
    if (auto* text = std::get_if<std::string>(&value))
      if (auto ok = rename(*text); !ok) return ok;
    if (auto* id = std::get_if<memory_id>(&value))
      if (auto ok = rename(*id); !ok) return ok;
    if (auto* texts = std::get_if<std::vector<std::string>>(&value))
      for (std::string& text : *texts)
        if (auto ok = rename(text); !ok) return ok;
  }
  return {};
}

result<void> returned_ids::rename(json_value& value) {
  if (auto* text = std::get_if<std::string>(&value.node)) return rename(*text);
  if (auto* list = std::get_if<std::vector<json_value>>(&value.node))
    for (json_value& item : *list)
      if (auto ok = rename(item); !ok) return ok;
  if (auto* members = std::get_if<std::vector<json_member>>(&value.node))
    for (json_member& member : *members)
      if (auto ok = rename(member.value); !ok) return ok;
  return {};
}

} // namespace mneme::importing
