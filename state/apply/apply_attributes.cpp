// What rows, activation and colours take of an entry.

#include <algorithm>
#include <limits>

#include "index/colour/mnemosyne.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "state/activation_rules.hpp"
#include "state/apply/apply.hpp"
#include "state/apply/entry_parts.hpp"
#include "views/memory_keys.hpp"
#include "views/standing.hpp"

namespace mneme {

namespace {

std::int64_t end_of_validity(const version& v) {
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
  if (v.valid_until) until = std::min(until, v.valid_until->ns);
  if (v.expires_at) until = std::min(until, v.expires_at->ns);
  return until;
}

facet_values facets_of(const attributes& owner, const index_delta& d, row_no before) {
  facet_values f;
  if (d.head->lifecycle) {
    const lifecycle& l = *d.head->lifecycle;
    f.status = l.status;
    f.due = l.due_date;
    f.origin = l.origin;
    f.audience = l.audience;
    f.atomic = l.atomic;
    f.project = l.project;
  }
  if (d.version != nullptr) {
    if (d.version->type == memory_type::chunk) {
      f.path = data_text(*d.version, "path");
      f.from_github = data_text(*d.version, "source_type") == "github";
    }
    f.reference = d.reference;
    f.distrust_e9 = own_distrust_e9(d.version->provenance);
    f.stands_since = d.seq;
    return f;
  }
  const row_facets& kept = owner.facets(before);
  f.distrust_e9 = kept.distrust_e9;
  f.stands_since = d.affirms ? d.seq : seq_no{kept.stands_since};
  if (kept.path != no_number) f.path = owner.place_text({kept.path});
  f.from_github = (kept.flags & facet_from_github) != 0;
  f.reference = {kept.reference};
  return f;
}

/// `tags` are those of the head as requests name them, with those of its key, and live as long as
/// the row's values.
row_values row_of_delta(const attributes& owner, const index_delta& d,
                        std::span<const std::string> tags) {
  const head& h = *d.head;
  row_values row{.node = d.node,
                 .slot = d.slot,
                 .type = h.type,
                 .visibility = h.visibility,
                 .importance = h.declared_importance,
                 .tombstoned = h.tombstone.has_value(),
                 .past = is_past(h),
                 .erased = h.erased,
                 .has_vector = h.embedding.has_value() && !d.is_of_former_space,
                 .archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived,
                 .version = h.current_version,
                 .actor_scope = h.actor_scope,
                 .created_at = h.created_at,
                 .last_updated_at = h.last_updated_at,
                 .version_created_at = {},
                 .valid_from = {},
                 .valid_until_ns = std::numeric_limits<std::int64_t>::max(),
                 .confidence = 1.0,
                 .tags = tags,
                 .frames = h.frames};
  if (d.version != nullptr) {
    row.version_created_at = d.version->created_at;
    row.valid_from = d.version->valid_from;
    row.valid_until_ns = end_of_validity(*d.version);
    row.confidence = d.version->confidence;
    row.facets = facets_of(owner, d, {});
    return row;
  }
  if (h.erased) {
    // There is no content, and nobody says what there was before. What rests on it knows since
    // when.
    row.version_created_at = row.valid_from = h.created_at;
    row.facets.stands_since = d.seq;
    return row;
  }
  // The content did not change: its columns are those of the row before.
  const row_no before = owner.row_of(d.node, seq_no{d.seq.value - 1});
  ensure(before.value != no_number, "a head entry follows a write of its memory");
  const row_columns c = owner.columns(before);
  if (!d.is_embedding) {
    row.slot = c.slot;
    // What had brought the vector that the head tells of may be erased.
    row.has_vector = row.has_vector && c.has_vector;
  }
  row.version_created_at = {c.version_created_at_ns};
  row.valid_from = {c.valid_from_ns};
  row.valid_until_ns = c.valid_until_ns;
  row.confidence = c.confidence;
  row.facets = facets_of(owner, d, before);
  return row;
}

/// A journal may hold tags in other spellings than those that requests are compared in.
void put_row(attributes& owner, const index_delta& d) {
  const auto tags = tags_of_row(*d.head);
  owner.put(row_of_delta(owner, d, tags), d.seq);
}

/// The activation table of the model: write resets, a changed head refreshes, a touch counts.
void activate(attributes& owner, const index_delta& d) {
  const seq_no before{d.seq.value - 1};
  if (d.head != nullptr && !d.is_embedding && !d.restores && !d.head->erased) {
    const bool first_write = d.head->current_version == 1 && d.version != nullptr;
    owner.set_activation(d.node, d.seq,
                         after_head(owner.activation_of(d.node, before), *d.head, first_write));
  }
  if (d.decayed != nullptr) return;
  for (const node_no node : d.touched) {
    const activation a = owner.activation_of(node, d.seq);
    if (d.reinforced != nullptr)
      owner.set_activation(node, d.seq, after_chroma_touch(a));
    else
      owner.set_activation(node, d.seq,
                           d.attest != nullptr ? after_attest(a, *d.attest, d.touched_at)
                                               : after_touch(a, d.touched_at));
  }
  for (const auto& change : d.saliences) {
    activation a = owner.activation_of(change.node, d.seq);
    a.topic_salience_e9 = change.to_e9;
    owner.set_activation(change.node, d.seq, a);
  }
}

/// Where chroma finds a memory, and with which signals it begins.
void place_colour(attributes& owner, const index_delta& d) {
  const head& h = *d.head;
  if (h.erased && owner.colours().mode_of(d.node))
    owner.colours().put({.node = d.node,
                         .point = {},
                         .created_at = h.created_at,
                         .findable = false,
                         .erased = true},
                        d.seq);
  if (!h.colour) return;
  const auto mode = parse_enum<memory_mode>(h.colour->mode);
  ensure(mode.has_value(), "a colour has a mode of the enum");
  const bool is_archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived;
  owner.colours().put({.node = d.node,
                       .point = {h.colour->L, h.colour->a, h.colour->b},
                       .mode = *mode,
                       .created_at = h.created_at,
                       .findable = (!h.tombstone || is_past(h)) && !h.erased && !is_archived,
                       .erased = h.erased},
                      d.seq);
  if (h.current_version == 1 && d.version != nullptr)
    owner.colours().set_signals(d.node, d.seq, fresh_signals(h.created_at));
}

void reinforce_colours(attributes& owner, const index_delta& d) {
  ensure(d.touched.size() == d.reinforced->items.size(), "each strength is that of a memory");
  colour_index& colours = owner.colours();
  for (std::size_t i = 0; i < d.touched.size(); ++i) {
    const auto before = colours.signals_of(d.touched[i], d.seq);
    const auto mode = colours.mode_of(d.touched[i]);
    ensure(!before || mode.has_value(), "what has signals has a colour");
    if (!before) continue; // its colour was erased since
    colours.set_signals(
        d.touched[i], d.seq,
        touched_signals(*before, *mode, d.reinforced->items[i].to_e9, d.touched_at));
  }
}

/// Strengths and flags are those of the payload: replay computes nothing.
void decay_colours(attributes& owner, const index_delta& d) {
  ensure(d.touched.size() == d.decayed->items.size(), "each strength is that of a memory");
  colour_index& colours = owner.colours();
  for (std::size_t i = 0; i < d.touched.size(); ++i) {
    const decayed_item& item = d.decayed->items[i];
    auto signals = colours.signals_of(d.touched[i], d.seq);
    if (!signals) continue; // its colour was erased since
    signals->strength_e9 = item.strength_e9;
    signals->ascended = item.ascended;
    signals->rotten = item.rotten;
    signals->last_decay_at = std::max(signals->last_decay_at.value_or(d.touched_at), d.touched_at);
    colours.set_signals(d.touched[i], d.seq, *signals);
  }
}

} // namespace

void apply_to(attributes& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    owner.note_entry(d.seq, d.made_at);
    if (d.head != nullptr) put_row(owner, d);
    if (d.head != nullptr || !d.touched.empty() || !d.saliences.empty()) activate(owner, d);
    if (d.head != nullptr) place_colour(owner, d);
    if (d.reinforced != nullptr) reinforce_colours(owner, d);
    if (d.decayed != nullptr) decay_colours(owner, d);
    if (d.learned != nullptr) owner.set_weights(d.learned->actor, d.seq, d.learned->weights);
    if (d.searches != nullptr)
      owner.set_search({.since = d.seq,
                        .at = d.made_at,
                        .by = std::string(d.made_by),
                        .weights = d.searches->weights});
    if (d.assigned != nullptr)
      owner.colours().tags().assign(d.assigned->tag, d.assigned->anchor, d.seq);
  }
}

} // namespace mneme
