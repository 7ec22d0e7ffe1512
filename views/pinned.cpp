#include "views/pinned.hpp"

#include <string_view>

namespace mneme {

namespace {

bool has_text(const memory_data& data, std::string_view field, std::string_view wanted) {
  const auto it = data.find(field);
  if (it == data.end()) return false;
  const auto* text = std::get_if<std::string>(&it->second);
  return text != nullptr && *text == wanted;
}

} // namespace

bool is_pinned(memory_type type, const memory_data& data) {
  switch (type) {
  case memory_type::identity:
    return true;
  case memory_type::constraint:
    return has_text(data, "strength", "hard");
  case memory_type::goal:
    return has_text(data, "status", "active");
  default:
    return false;
  }
}

bool is_pinned(const asker& who, const head& h, const memory_data& data) {
  return (who.sees_all() || h.actor_scope == who.owner()) && is_pinned(h.type, data);
}

} // namespace mneme
