#include "query/changes/change_match.hpp"

#include <algorithm>

namespace mneme {

std::optional<change_kind> kind_of(entry_kind kind) noexcept {
  switch (kind) {
  case entry_kind::write:
    return change_kind::written;
  case entry_kind::update:
    return change_kind::updated;
  case entry_kind::tombstone:
    return change_kind::tombstoned;
  case entry_kind::update_head:
    return change_kind::head_changed;
  case entry_kind::add_edge:
    return change_kind::edge_added;
  case entry_kind::remove_edge:
    return change_kind::edge_removed;
  case entry_kind::field:
    return change_kind::field_changed;
  case entry_kind::topic_archive:
    return change_kind::archived;
  case entry_kind::topic_merge:
    return change_kind::merged;
  case entry_kind::embed:
    return change_kind::embedded;
  case entry_kind::find_late:
    return change_kind::found;
  case entry_kind::reinforce:
    return change_kind::reinforced;
  case entry_kind::decay_cycle:
    return change_kind::decayed;
  case entry_kind::attest:
    return change_kind::attested;
  case entry_kind::learn_weights:
    return change_kind::learned;
  case entry_kind::compact:
    return change_kind::compacted;
  case entry_kind::snapshot:
    return change_kind::snapshot_taken;
  case entry_kind::scope_violation:
    return change_kind::scope_violated;
  case entry_kind::erase:
    return change_kind::erased;
  case entry_kind::assign_tag:
    return change_kind::tag_assigned;
  case entry_kind::topic_unarchive:
    return change_kind::unarchived;
  case entry_kind::topic_salience:
    return change_kind::salience_set;
  case entry_kind::search_weights:
    return change_kind::weights_set;
  case entry_kind::restore:
    return change_kind::restored;
  case entry_kind::trim:
    return change_kind::trimmed;
  case entry_kind::config:
  case entry_kind::migration:
    break;
  }
  return std::nullopt;
}

change_match::change_match(const change_filter& filter) : filter_(filter) {
  const auto add = [&](change_kind k) { kinds_ |= 1U << static_cast<unsigned>(k); };
  for (const change_kind k : filter.kinds) add(k);
  for (std::uint8_t byte = 1; byte <= change_kind_count; ++byte) {
    const auto k = static_cast<change_kind>(byte);
    if (is_use(k) ? filter.include_uses : filter.kinds.empty()) add(k);
  }
  asks_of_memories_ = !filter.types.empty() || !filter.owners.empty() || !filter.namespaces.empty()
                      || !filter.tags.empty() || !filter.hashtags.empty() || !filter.ids.empty();
}

namespace {

template <class T>
bool is_among(const std::vector<T>& list, const T& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

bool has_all(const std::vector<std::string>& own, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(
      wanted, [&](const auto& tag) { return std::ranges::find(own, tag) != own.end(); });
}

} // namespace

bool change_match::wants_made_by(std::string_view actor) const {
  return filter_.made_by.empty()
         || std::ranges::find(filter_.made_by, actor) != filter_.made_by.end();
}

bool change_match::admits(const head& h) const {
  if (!is_among(filter_.types, h.type) || !is_among(filter_.owners, h.actor_scope)
      || !is_among(filter_.ids, h.id) || !has_all(h.tags, filter_.tags))
    return false;
  if (!filter_.namespaces.empty() && (!h.key || !is_among(filter_.namespaces, h.key->name_space)))
    return false;
  static const std::vector<std::string> none;
  return has_all(h.colour ? h.colour->hashtags : none, filter_.hashtags);
}

} // namespace mneme
