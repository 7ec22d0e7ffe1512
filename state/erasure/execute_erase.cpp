#include "state/erasure/execute_erase.hpp"

#include <algorithm>
#include <utility>

#include "journal/erase_payloads.hpp"
#include "messages/codec/leaf_of.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "state/erasure/stub.hpp"
#include "state/execute/execute.hpp"

namespace mneme {

namespace {

result<void> validate_text(std::string_view text, std::string_view key) {
  if (is_blank(text))
    return fail(errc::missing_key, "an erasure says " + std::string(key), std::string(key));
  return {};
}

/// A field is of one topic, and nothing rests on a part of a memory.
result<void> validate_field(const erase_request& r) {
  if (r.owned_by || r.source || r.with_derived || r.ids.size() != 1)
    return fail(errc::bad_value,
                "a field is erased of one topic, which ids names alone: without owned_by, source "
                "and with_derived",
                "field");
  if (r.field->empty()) return fail(errc::missing_key, "which field is not said", "field");
  return {};
}

entry entry_of(const planned_erasure& memory, const erase_request& r, id_source& draw,
               timestamp now, seq_no seq) {
  ensure(!memory.seqs.empty() && !memory.head.erased, "a memory was written, and goes once");
  tombstone why{.reason = r.reason,
                .cause = tombstone_cause::erased,
                .superseded_by = {},
                .at = now,
                .by = r.by};
  erase_payload payload;
  payload.head = stub_of(memory.head, std::move(why), draw.draw_nonce());
  payload.seqs = each_once(memory.seqs);
  payload.nonce = draw.draw_nonce();
  std::vector<state_leaf> leaves{leaf_of(*payload.head)};
  for (const std::string& name : memory.field_names)
    leaves.push_back({state_namespace::fields,
                      state_path(state_namespace::fields, field_key_bytes(memory.head.id, name)),
                      digest{}});
  return seal_entry({.seq = seq,
                     .kind = entry_kind::erase,
                     .created_at = now,
                     .created_by = r.by,
                     .leaves = std::move(leaves),
                     .payload_hash = {}},
                    std::move(payload));
}

entry entry_of(const planned_edge_erasure& planned, const erase_request& r, id_source& draw,
               timestamp now, seq_no seq) {
  ensure(!planned.seqs.empty() && planned.seqs.back() < seq, "an edge was written before it goes");
  erase_payload payload;
  payload.edge = stub_of(planned.edge, draw.draw_nonce());
  payload.seqs = planned.seqs;
  payload.nonce = draw.draw_nonce();
  const state_leaf leaf = leaf_of(*payload.edge);
  return seal_entry({.seq = seq,
                     .kind = entry_kind::erase,
                     .created_at = now,
                     .created_by = r.by,
                     .leaves = {leaf},
                     .payload_hash = {}},
                    std::move(payload));
}

} // namespace

result<void> validate(const erase_request& r) {
  if (r.ids.empty() && !r.owned_by && !r.source)
    return fail(errc::missing_key, "nothing is named: ids, owned_by or source says what to erase",
                "ids");
  if (r.with_branches)
    return fail(errc::unsupported, "branches are erased by the engine, not by an actor of it",
                "with_branches");
  if (r.field)
    if (auto ok = validate_field(r); !ok) return ok;
  for (const memory_id& id : r.ids)
    if (id.is_zero()) return fail(errc::bad_id, "no memory has the id zero", "ids");
  if (r.owned_by && r.owned_by->empty())
    return fail(errc::bad_value, "whose memories are to be erased is not named", "owned_by");
  if (r.source && r.source->empty())
    return fail(errc::bad_value, "the path of the source is not said", "source");
  if (auto ok = validate_text(r.reason, "reason"); !ok) return ok;
  if (auto ok = validate_text(r.by, "by"); !ok) return ok;
  auto bounded = validate_snapshot(r.reason, r.by); // lengths, UTF-8
  if (!bounded && bounded.error().at == "actor") bounded.error().at = "by";
  return bounded;
}

result<std::vector<entry>> execute_erase(const erase_request& r, const erase_plan& plan,
                                         id_source& draw, timestamp now, seq_no last) {
  ensure(!r.dry_run, "who only asks writes nothing");
  const std::size_t count = plan.memories.size() + plan.edges.size();
  ensure(count <= max_command_entries, "a portion is one frame");
  std::vector<entry> entries;
  entries.reserve(count);
  for (const auto& memory : plan.memories) {
    last = last.next();
    entries.push_back(entry_of(memory, r, draw, now, last));
  }
  for (const auto& edge : plan.edges) {
    last = last.next();
    entries.push_back(entry_of(edge, r, draw, now, last));
  }
  return entries;
}

erase_result result_of(const erase_plan& plan) {
  erase_result out;
  for (const auto& m : plan.memories)
    out.erased.push_back({m.head.id, m.head.type, m.head.actor_scope, m.named});
  out.not_found = plan.not_found;
  out.erased_before = plan.erased_before;
  out.entries = plan.seqs().size();
  out.edges = plan.edges.size();
  out.left = plan.left;
  return out;
}

} // namespace mneme
