#include "state/recovery/entry_check.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "journal/segment.hpp"
#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/text/hashtag.hpp"
#include "messages/validate/validate.hpp"
#include "mneme/search.hpp"
#include "state/erasure/stub.hpp"

namespace mneme {

namespace {

std::unexpected<error> forged(const std::string& what) {
  return fail(errc::corrupt, what);
}

result<void> check_leaves(const entry& e, std::span<const state_leaf> expected) {
  if (!std::ranges::equal(e.header.leaves, expected))
    return forged("the leaves of its header are not those of its payload");
  return {};
}

/// What every head in a journal keeps to.
result<void> check_head(const entry& e, const head& h) {
  if (h.id.is_zero()) return forged("a memory with the zero id");
  if (h.erased) return forged("an erased head in an entry that erases nothing");
  if (auto whole = validate(h); !whole)
    return forged(whole.error().at + ": " + whole.error().message);
  const bool ends = e.header.kind == entry_kind::tombstone;
  if (ends && !h.tombstone) return forged("a tombstone entry whose head has none");
  if (e.header.kind == entry_kind::restore && h.tombstone)
    return forged("a restore entry whose head has a tombstone");
  const std::array leaves{leaf_of(h)};
  return check_leaves(e, leaves);
}

/// A head with content of its own.
result<void> check_content(const entry& e, const head& h, const version& v,
                           const std::optional<spaced_vector>& vector, const entry_past& past) {
  if (auto ok = check_head(e, h); !ok) return ok;
  std::optional<std::vector<float>> values;
  if (vector) values = vector->values;
  auto whole = validate(put_record_request{.head = h, .version = v, .vector = std::move(values)});
  if (!whole) return forged(whole.error().at + ": " + whole.error().message);
  if (vector && past.space.dim != 0 && vector->space.dim != past.space.dim)
    return forged("a vector of another dimension than those before");
  return {};
}

/// What there is of the memory that the head is a later state of.
result<std::optional<known_memory>> memory_before(const entry_past& past, const head& h) {
  auto before = past.memory(h.id);
  if (!before) return propagate(before);
  if (before->has_value() && (*before)->type != h.type)
    return forged("memory " + to_string(h.id) + " changes its type");
  if (before->has_value() && (*before)->coloured != h.colour.has_value())
    return forged("memory " + to_string(h.id) + " gains or loses its colour");
  return before;
}

result<void> check(const entry& e, const write_payload& p, const entry_past& past) {
  auto before = past.memory(p.head.id);
  if (!before) return propagate(before);
  if (before->has_value()) return forged("memory " + to_string(p.head.id) + " is written twice");
  if (p.head.current_version != 1) return forged("a write of another version than the first");
  return check_content(e, p.head, p.version, p.vector, past);
}

result<void> check(const entry& e, const update_payload& p, const entry_past& past) {
  auto before = memory_before(past, p.head);
  if (!before) return propagate(before);
  if (!before->has_value() && !past.has_trimmed)
    return forged("an update of the unknown memory " + to_string(p.head.id));
  if (p.head.current_version == 1) return forged("an update to the first version");
  const std::uint32_t known = before->has_value() ? (*before)->version : 0;
  if (past.has_trimmed ? p.head.current_version <= known : p.head.current_version - 1 != known)
    return forged("version " + std::to_string(p.head.current_version) + " of "
                  + to_string(p.head.id) + " follows version " + std::to_string(known));
  return check_content(e, p.head, p.version, p.vector, past);
}

/// A head that changed without its content.
result<void> check_changed(const entry& e, const head& h, const entry_past& past) {
  auto before = memory_before(past, h);
  if (!before) return propagate(before);
  if (!before->has_value()) return forged("a head of the unknown memory " + to_string(h.id));
  if (h.current_version != (*before)->version || h.version_hash != (*before)->version_hash)
    return forged("a head of " + to_string(h.id) + " that is not of its current version");
  return check_head(e, h);
}
result<void> check(const entry& e, const head_payload& p, const entry_past& past) {
  if (p.affirms && e.header.kind != entry_kind::update_head)
    return forged("an affirmation of " + to_string(p.head.id) + " that is no update of its head");
  return check_changed(e, p.head, past);
}

result<void> check(const entry& e, const embed_payload& p, const entry_past& past) {
  if (p.vector && past.space.dim != 0 && p.vector->space.dim != past.space.dim)
    return forged("a vector of another dimension than those before");
  return check_changed(e, p.head, past);
}

result<void> check_topic(const memory_id& id, const entry_past& past) {
  auto known = past.memory(id);
  if (!known) return propagate(known);
  if (!known->has_value() && past.has_erased) return {};
  if (!known->has_value() || (*known)->type != memory_type::topic)
    return forged("there is no topic " + to_string(id));
  return {};
}

result<void> check(const entry& e, const topic_archive_payload& p, const entry_past& past) {
  if (auto ok = check_topic(p.head.id, past); !ok) return ok;
  return check_changed(e, p.head, past);
}
result<void> check(const entry& e, const topic_merge_payload& p, const entry_past& past) {
  if (auto ok = check_topic(p.keeper, past); !ok) return ok;
  if (auto ok = check_topic(p.head.id, past); !ok) return ok;
  return check_changed(e, p.head, past);
}
result<void> check(const entry& e, const topic_salience_payload& p, const entry_past& past) {
  if (auto ok = check_topic(p.topic, past); !ok) return ok;
  return check_leaves(e, {});
}

/// A field's new revisions are the last ones that it has.
result<void> check(const entry& e, const field_payload& p, const entry_past& past) {
  const field_head& f = p.field.head;
  if (auto ok = check_topic(f.topic, past); !ok) return ok;
  if (p.field.erased && !p.revisions.empty())
    return forged("field " + f.name + " is erased, and has revisions");
  if (!p.field.erased && (p.revisions.empty() || p.revisions.size() > f.revisions))
    return forged("field " + f.name + " does not have its new revisions");
  std::uint32_t number = f.revisions - static_cast<std::uint32_t>(p.revisions.size());
  for (const auto& r : p.revisions) {
    if (r.topic != f.topic || r.field != f.name || r.number != ++number)
      return forged("a revision of another field than " + f.name + ", or out of order");
    if (hash_of(r) != r.hash) return forged("a revision of " + f.name + " without its hash");
    if (r.number == p.field.current && r.hash != f.newest_hash)
      return forged("field " + f.name + " names another revision than its current one");
  }
  const std::array leaves{p.field.erased ? no_leaf_of(f) : leaf_of(f)};
  return check_leaves(e, leaves);
}

result<void> check(const entry& e, const edge_payload& p, const entry_past&) {
  auto whole = validate(put_edge_record_request{p.edge});
  if (!whole) return forged(whole.error().at + ": " + whole.error().message);
  if (p.edge.tombstoned != (e.header.kind == entry_kind::remove_edge))
    return forged("an edge that is tombstoned in an add_edge, or not in a remove_edge");
  const std::array leaves{leaf_of(p.edge)};
  return check_leaves(e, leaves);
}

result<void> check_touched(const memory_id& id, bool by_colour, const entry_past& past) {
  auto known = past.memory(id);
  if (!known) return propagate(known);
  if (!known->has_value() && (past.has_erased || past.has_trimmed)) return {};
  if (!known->has_value()) return forged("a touch of the unknown memory " + to_string(id));
  if (by_colour && !(*known)->coloured)
    return forged("memory " + to_string(id) + " is touched by its colour, but has none");
  return {};
}

result<void> check(const entry& e, const find_late_payload& p, const entry_past& past) {
  for (const auto& id : p.accessed)
    if (auto ok = check_touched(id, false, past); !ok) return ok;
  return check_leaves(e, {});
}

result<void> check(const entry& e, const attest_payload& p, const entry_past& past) {
  for (const auto& id : p.cited)
    if (auto ok = check_touched(id, false, past); !ok) return ok;
  return check_leaves(e, {});
}

template <class Items>
result<void> check_coloured(const entry& e, const Items& items, const entry_past& past) {
  for (const auto& item : items)
    if (auto ok = check_touched(item.id, true, past); !ok) return ok;
  return check_leaves(e, {});
}
result<void> check(const entry& e, const reinforce_payload& p, const entry_past& past) {
  if (p.door == reinforcing_door::retrieve) {
    for (const auto& item : p.items)
      if (auto ok = check_topic(item.id, past); !ok) return ok;
    return check_leaves(e, {});
  }
  return check_coloured(e, p.items, past);
}
result<void> check(const entry& e, const decay_cycle_payload& p, const entry_past& past) {
  return check_coloured(e, p.items, past);
}

result<void> check(const entry& e, const snapshot_payload& p, const entry_past& past) {
  const manifest& m = p.manifest;
  if (m.seq.value + 1 != e.header.seq.value) return forged("a snapshot of another seq");
  if (!past.roots.overall.is_zero()
      && (m.overall_root != past.roots.overall || m.journal_root != past.roots.journal_root
          || m.state_roots != past.roots.state_roots))
    return forged("a snapshot whose roots are not those before it");
  return check_leaves(e, {});
}

/// Whose request it was stands in the header too.
result<void> check_signed(const entry& e, const std::string& actor) {
  if (e.header.created_by != actor) return forged("it is signed by another actor");
  return check_leaves(e, {});
}

result<void> check(const entry& e, const learn_weights_payload& p, const entry_past&) {
  const learned_weights& w = p.weights;
  constexpr std::int64_t whole = 1'000'000'000;
  constexpr std::int64_t rounding = 5; // half a unit for each, and more
  std::int64_t sum = 0;
  for (const std::int64_t one : {w.recency, w.access, w.citations, w.importance, w.similarity}) {
    if (one < 0 || one > whole) return forged("a learned weight that is not in 0 .. 1");
    sum += one;
  }
  if (sum < whole - rounding || sum > whole + rounding)
    return forged("learned weights that do not add up to 1");
  return check_signed(e, p.actor);
}

result<void> check(const entry& e, const compact_payload& p, const entry_past& past) {
  std::int64_t tokens = 0;
  for (const auto* items : {&p.kept, &p.compacted})
    for (const auto& item : *items) {
      auto known = past.memory(item.uri.id);
      if (!known) return propagate(known);
      const bool is_known = known->has_value() && item.uri.version <= (*known)->version;
      if (item.uri.version == 0 || (!is_known && !past.has_trimmed))
        return forged("a compact record of the unknown memory " + to_string(item.uri));
      if (item.tokens < 0 || item.tokens > p.budget_tokens - tokens)
        return forged("a compact record over its budget");
      tokens += item.tokens;
    }
  if (tokens != p.tokens) return forged("a compact record whose tokens do not add up");
  return check_signed(e, p.actor);
}

result<void> check(const entry& e, const assign_tag_payload& p, const entry_past&) {
  if (p.tag.empty() || normalise_hashtag(p.tag) != p.tag)
    return forged("a hashtag that is not normalised");
  if (p.anchor == 0 || p.anchor > anchor_count)
    return forged("an anchor that is not in 1 .. 10000");
  return check_signed(e, p.actor);
}

result<void> check(const entry& e, const search_weights_payload& p, const entry_past&) {
  // A build that knows of more weights reads what one of before has set.
  if (!p.weights.empty() && !change_search_weights({}, p.weights))
    return forged("weights of search that nobody could have set");
  return check_signed(e, p.actor);
}

result<void> check(const entry& e, const scope_violation_payload& p, const entry_past&) {
  return check_signed(e, p.grantee);
}

/// What is left of a memory: nothing that it said.
result<void> check_stub(const entry& e, const head& h, const entry_past& past) {
  if (h.id.is_zero()) return forged("a memory with the zero id");
  if (!is_stub(h)) return forged("an erased head that still says something");
  auto known = past.memory(h.id);
  if (!known) return propagate(known);
  if (!known->has_value() && !past.has_erased)
    return forged("the unknown memory " + to_string(h.id) + " is erased");
  // Behind its own leaf those of a topic's fields, which are there no more and have no name here.
  const auto& leaves = e.header.leaves;
  if (leaves.empty() || leaves.front() != leaf_of(h))
    return forged("the leaves of its header are not those of its payload");
  for (const state_leaf& gone : std::span(leaves).subspan(1))
    if (gone.ns != state_namespace::fields || !gone.value_hash.is_zero())
      return forged("an erasure changes what is not of its memory");
  return {};
}

result<void> check(const entry& e, const erase_payload& p, const entry_past& past) {
  if (p.seqs.back() >= e.header.seq) return forged("an erasure of what comes later");
  if (p.head) return check_stub(e, *p.head, past);
  if (p.topic) {
    if (auto ok = check_topic(*p.topic, past); !ok) return ok;
    return check_leaves(e, {});
  }
  if (!is_stub(*p.edge)) return forged("an erased edge that still says something");
  const std::array leaves{leaf_of(*p.edge)};
  return check_leaves(e, leaves);
}

result<void> check(const entry& e, const trim_payload& p, const entry_past&) {
  if (p.before > e.header.seq) return forged("a trim of what comes later");
  return check_signed(e, p.actor);
}

/// What a trim has dropped: nothing that comes later rests on it.
result<void> check(const entry&, const trimmed_payload&, const entry_past&) {
  return {};
}

/// Content that was erased.
result<void> check(const entry&, const erased_payload&, const entry_past&) {
  return {};
}

/// What a payload says of a memory, or of the world's vectors.
template <class Payload>
void keep(const Payload& p, std::map<memory_id, known_memory>& memories, entry_past& past) {
  if constexpr (requires { p.head.version_hash; })
    memories.insert_or_assign(p.head.id, known_memory::of(p.head));
  if constexpr (std::is_same_v<Payload, erase_payload>)
    if (p.head) memories.insert_or_assign(p.head->id, known_memory::of(*p.head));
  if constexpr (std::is_same_v<Payload, erased_payload>) past.has_erased = true;
  if constexpr (requires { p.vector->space; })
    if (p.vector) past.space = p.vector->space;
}

} // namespace

result<void> check_entry(const entry& e, const entry_past& past) {
  return std::visit([&](const auto& p) { return check(e, p, past); }, e.payload);
}

result<std::vector<entry>> open_entries(const journal_frame& frame, seq_no last) {
  std::vector<entry> entries;
  seq_no seq = frame.prefix.first_seq;
  for (const auto& raw : frame.entries) {
    if (seq > last) break;
    auto e = raw.trimmed ? open_trimmed_entry(raw.header, *raw.trimmed)
                         : open_entry(raw.header, raw.payload, raw.erased);
    if (!e && e.error().code != errc::corrupt) return propagate(e);
    if (!e || e->header.seq != seq)
      return corrupt_at(frame.segment, frame.offset,
                        "entry " + std::to_string(seq.value) + ": "
                            + (e ? "it carries another seq" : e.error().message));
    entries.push_back(std::move(*e));
    seq = seq.next();
  }
  return entries;
}

result<void> entry_checker::check(const journal_frame& frame, std::span<const entry> entries,
                                  const root_set& before) {
  past_.roots = before;
  for (const auto& e : entries) {
    if (std::ranges::binary_search(changes_of_space_, e.header.seq)) past_.space = {};
    auto ok = check_entry(e, past_);
    if (!ok && ok.error().code == errc::corrupt)
      return corrupt_at(frame.segment, frame.offset,
                        "entry " + std::to_string(e.header.seq.value) + ": " + ok.error().message);
    if (!ok) return ok;
    past_.roots = {};
    std::visit([&](const auto& p) { keep(p, fresh_, past_); }, e.payload);
    const bool had_content =
        e.header.kind == entry_kind::write || e.header.kind == entry_kind::update;
    if (had_content && std::holds_alternative<trimmed_payload>(e.payload)) past_.has_trimmed = true;
  }
  return {};
}

} // namespace mneme
