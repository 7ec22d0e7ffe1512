#include "sim/model_erasure.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/hash.hpp"

namespace mneme::sim {

// What the model forgets of what is erased, at every seq.

bool model::is_erased(const memory_id& id) const {
  const auto found = memories_.find(id);
  if (found == memories_.end()) return false;
  const head* h = found->second.heads.at(last_);
  return h != nullptr && h->erased;
}

bool model::sets_space(const memory_id& id) const {
  if (space_.empty()) return false;
  const seq_no first = space_.states().front().first;
  const auto seqs = entries_about(id);
  return std::ranges::binary_search(seqs, first);
}

std::vector<memory_id> model::stubs() const {
  std::vector<memory_id> ids;
  for (const auto& [id, m] : memories_)
    if (is_erased(id)) ids.push_back(id);
  return ids;
}

std::vector<seq_no> model::entries_about(const memory_id& id) const {
  std::vector<seq_no> seqs;
  for (const auto& [since, h] : memories_.at(id).heads.states()) seqs.push_back(since);
  for (auto it = fields_.lower_bound({id, {}}); it != fields_.end() && it->first.first == id; ++it)
    for (const auto& [since, f] : it->second.states.states()) seqs.push_back(since);
  for (const auto& record : compacts_)
    for (const auto* items : {&record.payload.kept, &record.payload.compacted})
      for (const auto& item : *items)
        if (item.uri.id == id) seqs.push_back(record.seq);
  std::ranges::sort(seqs);
  seqs.erase(std::ranges::unique(seqs).begin(), seqs.end());
  return seqs;
}

std::vector<seq_no> model::entries_saying(const edge_key& key) const {
  std::vector<seq_no> seqs;
  for (const auto& [since, e] : edges_.at(key).states())
    if (!e.data.empty() || !e.kind.empty() || !e.tombstoned_reason.empty()) seqs.push_back(since);
  return seqs;
}

void model::commit_erasure(seq_no seq, const erase_payload& p) {
  const auto is_gone = [&](seq_no of) { return std::ranges::binary_search(p.seqs, of); };
  std::erase_if(compacts_, [&](const compact_record& record) { return is_gone(record.seq); });
  for (auto& [topic, events] : events_)
    std::erase_if(events, [&](const topic_event& e) { return is_gone(e.seq); });
  if (p.edge) edges_.at(p.edge->key).restart(seq, *p.edge);
  if (!p.head) return;
  const head& left = *p.head;
  auto& m = memories_.at(left.id);
  m.heads.restart(seq, left);
  m.hashes.put(seq, sha256_of(encode(left)));
  version nothing;
  nothing.id = left.id;
  nothing.type = left.type;
  m.versions.assign(left.current_version, content{seq, nothing, {}});
  for (std::uint32_t i = 0; i < left.current_version; ++i) m.versions[i].version.number = i + 1;
  m.texts.restart(seq, {});
  m.used.restart(seq, {});
  m.affirmed.clear();
  m.signals = {};
  std::erase_if(fields_, [&](const auto& field) { return field.first.first == left.id; });
}

namespace {

/// Those of the request that are there and not erased, each once.
std::set<memory_id> memories_of(const model& state, const erase_request& r) {
  std::set<memory_id> ids;
  for (const auto& id : r.ids)
    if (state.head_at(id, state.last()) && !state.is_erased(id)) ids.insert(id);
  return ids;
}

/// Edges at them that say something.
std::map<edge_key, std::vector<seq_no>> edges_of(const model& state,
                                                 const std::set<memory_id>& ids) {
  std::map<edge_key, std::vector<seq_no>> found;
  for (const auto& e : state.edges_at(state.last()))
    if (ids.contains(e.key.src) || ids.contains(e.key.dst))
      if (auto seqs = state.entries_saying(e.key); !seqs.empty())
        found.emplace(e.key, std::move(seqs));
  return found;
}

head stub_of_memory(const head& h, const erase_request& r, timestamp now) {
  head left;
  left.id = h.id;
  left.type = h.type;
  left.current_version = h.current_version;
  left.actor_scope = h.actor_scope;
  left.visibility = h.visibility;
  left.created_at = h.created_at;
  left.last_updated_at = now;
  left.version_hash = h.version_hash;
  left.tombstone = tombstone{r.reason, tombstone_cause::erased, {}, now, r.by};
  left.erased = true;
  return left;
}

} // namespace

std::vector<expected_entry> erasure_of(const model& state, const erase_request& r, timestamp now) {
  std::vector<expected_entry> entries;
  const auto ids = memories_of(state, r);
  for (const auto& id : ids) {
    erase_payload p;
    p.head = stub_of_memory(*state.head_at(id, state.last()), r, now);
    p.seqs = state.entries_about(id);
    std::vector<state_leaf> leaves{leaf_of(*p.head)};
    for (const auto& f : state.fields_at(id, state.last()))
      leaves.push_back({state_namespace::fields,
                        state_path(state_namespace::fields, field_key_bytes(id, f.head.name)),
                        digest{}});
    entries.push_back({entry_kind::erase, r.by, std::move(leaves), std::move(p)});
  }
  for (const auto& [key, seqs] : edges_of(state, ids)) {
    erase_payload p;
    p.edge = *state.edge_at(key, state.last());
    p.edge->data.clear();
    p.edge->kind.clear();
    p.edge->tombstoned_reason.clear();
    p.seqs = seqs;
    const state_leaf leaf = leaf_of(*p.edge);
    entries.push_back({entry_kind::erase, r.by, {leaf}, std::move(p)});
  }
  return entries;
}

erase_result erase_answer_of(const model& state, const erase_request& r) {
  erase_result out;
  const auto ids = memories_of(state, r);
  for (const auto& id : ids) {
    const head h = *state.head_at(id, state.last());
    out.erased.push_back({id, h.type, h.actor_scope, true});
  }
  for (const auto& id : std::set<memory_id>(r.ids.begin(), r.ids.end())) {
    if (ids.contains(id)) continue;
    (state.is_erased(id) ? out.erased_before : out.not_found).push_back(id);
  }
  const auto edges = edges_of(state, ids);
  std::set<seq_no> seqs;
  for (const auto& id : ids)
    for (const seq_no seq : state.entries_about(id)) seqs.insert(seq);
  for (const auto& [key, saying] : edges) seqs.insert(saying.begin(), saying.end());
  out.entries = seqs.size();
  out.edges = edges.size();
  out.changed = !ids.empty();
  return out;
}

} // namespace mneme::sim
