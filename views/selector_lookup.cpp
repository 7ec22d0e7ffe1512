#include "views/selector_lookup.hpp"

#include <algorithm>

#include "messages/text/composed.hpp"

namespace mneme {

namespace {

std::uint64_t bit_of(memory_type type) {
  const auto byte = static_cast<unsigned>(type);
  return byte < 64 ? std::uint64_t{1} << byte : 0; // no memory has another type
}

} // namespace

selector_lookup::selector_lookup(const scope_selector& s) : ids_(s.ids), frame_(s.frame) {
  for (const auto type : s.types) types_ |= bit_of(type);
  tags_.reserve(s.tags.size());
  for (const auto& tag : s.tags) tags_.push_back(composed(tag));
  std::ranges::sort(tags_);
  std::ranges::sort(ids_);
  if (frame_) std::ranges::sort(frame_->refs);
}

bool selector_lookup::has_type(memory_type type) const {
  return (types_ & bit_of(type)) != 0;
}

bool selector_lookup::has_id(const memory_id& id) const {
  return std::ranges::binary_search(ids_, id);
}

bool selector_lookup::selects(const intent_frame& frame) const {
  return frame_ && frame.action == frame_->action
         && (frame_->refs.empty() || std::ranges::binary_search(frame_->refs, frame.ref));
}

bool selector_lookup::selects(const head& h) const {
  const auto is_named = [this](const std::string& tag) {
    return std::ranges::binary_search(tags_, composed(tag));
  };
  return has_type(h.type) || has_id(h.id)
         || (!tags_.empty() && std::ranges::any_of(h.tags, is_named))
         || (frame_ && std::ranges::any_of(h.frames, [this](const auto& f) { return selects(f); }));
}

} // namespace mneme
