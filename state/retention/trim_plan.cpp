#include "state/retention/trim_plan.hpp"

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"
#include "state/apply/entry_parts.hpp"
#include "state/execute/topic_events.hpp"
#include "state/retention/carried_state.hpp"

namespace mneme {

namespace {

/// The memories whose activation or signals an entry adds to.
template <class Visit>
void for_each_counted(const entry_payload& payload, const Visit& visit) {
  if (const auto* late = std::get_if<find_late_payload>(&payload))
    for (const memory_id& id : late->accessed) visit(id);
  if (const auto* attested = std::get_if<attest_payload>(&payload))
    for (const memory_id& id : attested->cited) visit(id);
  if (const auto* reinforced = std::get_if<reinforce_payload>(&payload))
    for (const reinforced_item& item : reinforced->items) visit(item.id);
  if (const auto* decayed = std::get_if<decay_cycle_payload>(&payload))
    for (const decayed_item& item : decayed->items) visit(item.id);
}

/// Whether that, or nothing that is ever read again, is all that the entry says.
bool only_counts(const entry_payload& payload) {
  return std::holds_alternative<find_late_payload>(payload)
         || std::holds_alternative<attest_payload>(payload)
         || std::holds_alternative<reinforce_payload>(payload)
         || std::holds_alternative<decay_cycle_payload>(payload)
         || std::holds_alternative<scope_violation_payload>(payload)
         || std::holds_alternative<trim_payload>(payload);
}

/// Ranges in order, where none touches another.
std::vector<version_range> joined(std::vector<version_range> ranges) {
  std::ranges::sort(ranges, {}, &version_range::first);
  std::vector<version_range> made;
  for (const version_range& r : ranges) {
    if (!made.empty() && r.first <= made.back().last + 1)
      made.back().last = std::max(made.back().last, r.last);
    else
      made.push_back(r);
  }
  return made;
}

void add_number(std::vector<version_range>& to, std::uint32_t number) {
  ensure(number > 0, "versions are numbered from 1");
  if (!to.empty() && to.back().last + 1 == number)
    to.back().last = number;
  else
    to.push_back({.first = number, .last = number});
}

} // namespace

void trim_plan::carry(const trim_payload& earlier) {
  carry_into(state_, nodes_, earlier);
  for (const carried_use& c : earlier.used) name(c.id);
  for (const carried_signals& c : earlier.coloured) name(c.id);
}

void trim_plan::keep(const trim_payload& last) {
  for (const dropped_versions& d : last.versions)
    gone_[d.id].insert(gone_[d.id].end(), d.ranges.begin(), d.ranges.end());
  planned_.last_drawn = std::max(planned_.last_drawn, last.last_drawn);
  // What it drops may be here still, where it is not done: what that came to is carried on.
  const auto carry_on = [this](const memory_id& id) {
    nodes_.intern(id);
    name(id);
  };
  for (const carried_use& c : last.used) carry_on(c.id);
  for (const carried_signals& c : last.coloured) carry_on(c.id);
  for (seq_no seq{1}; seq < last.before; seq = seq.next())
    if (last.drops(seq)) planned_.drop(seq);
}

void trim_plan::take(std::span<const entry> entries) {
  if (entries.empty()) return;
  std::vector<index_delta> deltas;
  deltas.reserve(entries.size());
  const std::uint64_t dropped = dropped_;
  if (contents_) contents_->begin_frame();
  for (const entry& e : entries) {
    deltas.push_back(number(e, numbers_));
    look_at(e);
    if (contents_) contents_->take(e, deltas.back(), stays_);
  }
  if (dropped_ > dropped) ++marked_frames_;
  apply_to(state_, deltas);
  state_.retain_from(deltas.back().seq);
}

void trim_plan::look_at(const entry& e) {
  // An earlier trim that is not done has left its bytes.
  if (std::holds_alternative<trimmed_payload>(e.payload) && !e.payload_bytes.empty())
    drop(e.header.seq, e.payload_bytes.size());
  if (std::holds_alternative<trimmed_payload>(e.payload)) planned_.drop(e.header.seq);
  stays_ = true;
  if (const head* h = head_of(e.payload)) stays_ = !look_at_head(e, h->id);
  if (const auto* p = std::get_if<learn_weights_payload>(&e.payload))
    replace(weights_[p->actor], e, true);
  // The history of a topic tells of some, and history is read whole.
  if (!only_counts(e.payload) || !events_of(e).empty()) return;
  stays_ = false;
  for_each_counted(e.payload, [this](const memory_id& id) { name(id); });
  drop(e.header.seq, e.payload_bytes.size());
}

/// A head is whole in each entry of its memory. What else an entry says is not in a later one: a
/// content, an affirmation, what a topic's history tells.
bool trim_plan::look_at_head(const entry& e, const memory_id& id) {
  newest& one = heads_[id];
  if (one.may_go) name(id);
  const auto* p = std::get_if<head_payload>(&e.payload);
  const bool may_go = p != nullptr && !p->affirms && e.header.kind == entry_kind::update_head
                      && events_of(e).empty();
  replace(one, e, may_go);
  return may_go;
}

void trim_plan::take_behind(std::span<const entry> entries) {
  if (contents_)
    for (const entry& e : entries) contents_->take_behind(e);
}

void trim_plan::conclude() {
  if (!contents_) return;
  contents_->conclude([this](const memory_id& id, const overwritten& o) {
    drop(o.seq, o.bytes);
    if (o.is_first_of_frame) ++marked_frames_;
    name(id);
    if (!o.is_version) return;
    ++versions_;
    add_number(gone_[id], o.number);
    if (o.is_drawn) planned_.last_drawn = std::max(planned_.last_drawn, std::optional(id));
  });
  contents_.reset();
}

void trim_plan::replace(newest& one, const entry& e, bool may_go) {
  if (one.may_go) drop(one.seq, one.bytes);
  one = {.seq = e.header.seq, .bytes = e.payload_bytes.size(), .may_go = may_go};
}

void trim_plan::drop(seq_no seq, std::uint64_t bytes) {
  planned_.drop(seq);
  ++dropped_;
  dropped_bytes_ += bytes;
}

trim_payload trim_plan::finish(seq_no before) const {
  ensure(before.value > 1 && !planned_.dropped.empty(), "a trim drops something before its point");
  trim_payload made = planned_;
  made.before = before;
  for (const auto& [id, ranges] : gone_) made.versions.push_back({id, joined(ranges)});
  const seq_no at{before.value - 1};
  for (const memory_id& id : carried_) {
    const node_no node = nodes_.find(id);
    ensure(node.value != no_number, "what was added to was named");
    made.used.push_back({id, state_.activation_of(node, at)});
    if (const auto signals = state_.colours().signals_of(node, at))
      made.coloured.push_back({id, *signals});
  }
  return made;
}

} // namespace mneme
