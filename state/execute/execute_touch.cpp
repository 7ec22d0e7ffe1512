// Entries that no mutation makes: what queries reinforce, decay cycles, snapshots.

#include "messages/ensure.hpp"
#include "state/execute/execute.hpp"
#include "state/execute/execute_chroma.hpp"

namespace mneme {

namespace {

/// Another touch may have come in between: a topic goes on from the salience that it has now.
void bump_topics(reinforce_payload& bump, overlay& state) {
  for (auto& item : bump.items) {
    item.from_e9 = state.topic_salience_e9(item.id);
    item.to_e9 = item.from_e9 + query_bump_e9;
    state.put_topic_salience(item.id, item.to_e9);
  }
  state.keep_layer();
}

/// What was read may have been erased since.
void leave_out_erased(entry_payload& touch, const overlay& state) {
  if (auto* late = std::get_if<find_late_payload>(&touch))
    std::erase_if(late->accessed, [&](const memory_id& id) { return state.is_erased(id); });
  if (auto* reinforced = std::get_if<reinforce_payload>(&touch))
    std::erase_if(reinforced->items,
                  [&](const reinforced_item& item) { return state.is_erased(item.id); });
}

} // namespace

entry execute_touch(entry_payload payload, overlay& state, id_source& ids, timestamp now,
                    seq_no current) {
  entry_header header{.seq = current.next(),
                      .kind = entry_kind::find_late,
                      .created_at = now,
                      .created_by = {},
                      .leaves = {},
                      .payload_hash = {}};
  leave_out_erased(payload, state);
  if (auto* late = std::get_if<find_late_payload>(&payload)) {
    header.created_by = late->actor;
    late->nonce = ids.draw_nonce();
    return seal_entry(std::move(header), std::move(payload));
  }
  auto* reinforced = std::get_if<reinforce_payload>(&payload);
  ensure(reinforced != nullptr, "a touch is a find_late or reinforce payload");
  header.kind = entry_kind::reinforce;
  header.created_by = reinforced->actor;
  if (reinforced->door == reinforcing_door::retrieve)
    bump_topics(*reinforced, state);
  else
    reinforce_strengths(*reinforced, state, now);
  reinforced->nonce = ids.draw_nonce();
  return seal_entry(std::move(header), std::move(payload));
}

entry execute_decay(decay_cycle_payload payload, id_source& ids, timestamp now, seq_no current) {
  payload.nonce = ids.draw_nonce();
  // Made first: the order in which arguments are evaluated is nobody's promise.
  entry_header header{.seq = current.next(),
                      .kind = entry_kind::decay_cycle,
                      .created_at = now,
                      .created_by = payload.actor,
                      .leaves = {},
                      .payload_hash = {}};
  return seal_entry(std::move(header), std::move(payload));
}

entry execute_snapshot(const root_set& roots, std::string reason, const std::string& actor,
                       std::map<std::string, std::uint64_t, std::less<>> counters,
                       const nonce& fresh, timestamp now) {
  manifest m{.seq = roots.seq,
             .journal_root = roots.journal_root,
             .state_roots = roots.state_roots,
             .overall_root = roots.overall,
             .created_at = now,
             .trigger = std::move(reason),
             .counters = std::move(counters)};
  return seal_entry({.seq = roots.seq.next(),
                     .kind = entry_kind::snapshot,
                     .created_at = now,
                     .created_by = actor,
                     .leaves = {},
                     .payload_hash = {}},
                    snapshot_payload{std::move(m), fresh});
}

} // namespace mneme
