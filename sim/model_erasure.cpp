#include "sim/model_erasure.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/hash.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/topic_text.hpp"
#include "sim/model_lineage.hpp"

namespace mneme::sim {

// What the model forgets of what is erased, at every seq.

bool model::is_erased(const memory_id& id) const {
  const auto found = memories_.find(id);
  if (found == memories_.end()) return false;
  const head* h = found->second.heads.at(last_);
  return h != nullptr && h->erased;
}

/// The first vector that is left says what vectors are, from its entry on.
void model::renew_space() {
  if (space_.empty()) return;
  std::optional<seq_no> first;
  std::uint32_t dim = 0;
  for (const auto& [id, m] : memories_)
    for (const auto& content : m.versions)
      for (const auto& [since, vector] : content.vectors.states())
        if (!vector.empty() && (!first || since < *first)) {
          first = since;
          dim = static_cast<std::uint32_t>(vector.size());
        }
  vector_space space = space_.states().back().second;
  space.dim = dim;
  if (first)
    space_.restart(*first, std::move(space));
  else
    space_.forget([](seq_no) { return true; });
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
  std::erase_if(seqs, [this](seq_no seq) { return dropped_.drops(seq); });
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
  if (p.topic) commit_field_erasure(p);
  if (p.head) commit_stub(seq, *p.head);
  renew_space();
}

void model::commit_stub(seq_no seq, const head& left) {
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

/// What is left of the field, and the topic's new text, came before it. The state trees are as they
/// were.
void model::commit_field_erasure(const erase_payload& p) {
  const auto is_gone = [&](seq_no of) { return std::ranges::binary_search(p.seqs, of); };
  auto& m = memories_.at(*p.topic);
  m.heads.forget(is_gone);
  m.texts.forget(is_gone);
  for (auto& content : m.versions) content.vectors.forget(is_gone);
}

std::vector<seq_no> model::entries_of_field(const topic_field& field) const {
  const memory_id& id = field.head.topic;
  std::vector<seq_no> seqs;
  for (const auto& [since, f] : fields_.at({id, field.head.name}).states.states())
    if (!f.erased) seqs.push_back(since);
  const seq_no first = seqs.front();
  // Vectors, and texts with or without one, that came later than the content.
  const auto add = [&](seq_no since, seq_no content) {
    if (since > first && since != content) seqs.push_back(since);
  };
  const auto& m = memories_.at(id);
  for (const auto& content : m.versions)
    for (const auto& [since, vector] : content.vectors.states()) add(since, content.since);
  for (const auto& record : compacts_)
    for (const auto* items : {&record.payload.kept, &record.payload.compacted})
      for (const auto& item : *items)
        if (item.uri.id == id && record.seq > first) seqs.push_back(record.seq);
  std::ranges::sort(seqs);
  seqs.erase(std::ranges::unique(seqs).begin(), seqs.end());
  return seqs;
}

std::vector<float> model::vector_without(const memory_id& id,
                                         const std::vector<seq_no>& gone) const {
  std::vector<float> kept;
  for (const auto& [since, vector] : memories_.at(id).versions.back().vectors.states())
    if (!std::ranges::binary_search(gone, since)) kept = vector;
  return kept;
}

namespace {

/// Of the request for a field: the topics that have it, by the merges that brought it there.
std::vector<topic_field> fields_of(const model& state, const erase_request& r) {
  std::map<memory_id, topic_field> found;
  std::set<memory_id> seen;
  for (std::vector<memory_id> next{r.ids.front()}; !next.empty();) {
    const memory_id id = next.back();
    next.pop_back();
    if (!seen.insert(id).second || state.is_erased(id)) continue;
    const auto field = state.field_at(id, *r.field, state.last());
    if (!field) continue;
    for (const auto& revision : state.revisions_of(*field))
      if (revision.merged_from) next.push_back(*revision.merged_from);
    found.emplace(id, *field);
  }
  std::vector<topic_field> fields;
  fields.reserve(found.size());
  for (const auto& [id, field] : found) fields.push_back(field);
  return fields;
}

void add_field_erasure(const model& state, const topic_field& field, const erase_request& r,
                       timestamp now, std::vector<expected_entry>& entries) {
  const memory_id& id = field.head.topic;
  erase_payload gone;
  gone.topic = id;
  gone.seqs = state.entries_of_field(field);
  topic_field left;
  left.head.topic = id;
  left.head.name = field.head.name;
  left.erased =
      field_erasure{.since = gone.seqs.front(), .at = now, .by = r.by, .reason = r.reason};
  const state_leaf leaf{state_namespace::fields,
                        state_path(state_namespace::fields, field_key_bytes(id, field.head.name)),
                        digest{}};
  entries.push_back({entry_kind::field, r.by, {leaf}, field_payload{left, {}}});
  const auto m = state.memory_at(id, state.last());
  auto values = state.values_at(id, state.last());
  std::erase_if(values, [&](const topic_value& v) { return v.name == field.head.name; });
  const memory_data& data = m->version->data;
  embed_payload text{m->head, {}, searched_text(memory_type::topic, data) + field_lines(values)};
  const auto& embeds = state.seams().embeds;
  std::vector<float> vector;
  if (embeds == nullptr)
    vector = state.vector_without(id, gone.seqs);
  else if (!state.seams().is_late)
    vector = embeds->embed(embedding_text(memory_type::topic, data) + field_lines(values))
                 .value_or(std::vector<float>{});
  text.head.embedding.reset();
  if (!vector.empty()) {
    text.head.embedding =
        embedding_ref{static_cast<std::uint32_t>(vector.size()), text.head.current_version};
    text.vector = spaced_vector{state.space_at(state.last()), std::move(vector)};
  }
  const state_leaf head_leaf = leaf_of(text.head);
  entries.push_back({entry_kind::embed, r.by, {head_leaf}, std::move(text)});
  entries.push_back({entry_kind::erase, r.by, {}, std::move(gone)});
}

erase_result field_answer_of(const model& state, const erase_request& r) {
  erase_result out;
  std::set<seq_no> seqs;
  for (const auto& field : fields_of(state, r)) {
    out.fields.push_back({field.head.topic, field.head.name});
    for (const seq_no seq : state.entries_of_field(field)) seqs.insert(seq);
  }
  out.entries = seqs.size();
  out.changed = !out.fields.empty();
  if (!out.changed) {
    out.erased_before = r.ids;
    out.fields_erased_before.push_back({r.ids.front(), *r.field});
  }
  return out;
}

/// What the request names and the world has or had, each once.
std::set<memory_id> named_by(const model& state, const erase_request& r) {
  std::set<memory_id> ids;
  for (const auto& id : r.ids)
    if (state.head_at(id, state.last())) ids.insert(id);
  for (const auto& id : state.ids_and_stubs()) {
    const auto m = state.memory_at(id, state.last());
    if (r.owned_by && m->head->actor_scope == *r.owned_by) ids.insert(id);
    if (!r.source || m->head->erased || m->head->type != memory_type::chunk) continue;
    const auto path = m->version->data.find("path");
    if (path != m->version->data.end() && std::get<std::string>(path->second) == *r.source)
      ids.insert(id);
  }
  return ids;
}

/// And what rests on one of them, however far.
void add_derived(const model& state, std::set<memory_id>& ids) {
  std::vector<memory_id> left(ids.begin(), ids.end());
  const auto all = state.ids_and_stubs(); // edges of what was erased lead on
  while (!left.empty()) {
    const memory_id on = left.back();
    left.pop_back();
    for (const auto& id : all)
      if (supports_of(state, id, state.last()).contains(on) && ids.insert(id).second)
        left.push_back(id);
    const auto m = state.memory_at(on, state.last());
    if (m->head->type != memory_type::chunk) continue;
    const auto promoted = m->version->data.find("promoted_to");
    if (promoted == m->version->data.end()) continue;
    const auto& to = std::get<memory_id>(promoted->second);
    if (state.head_at(to, state.last()) && ids.insert(to).second) left.push_back(to);
  }
}

/// Those of the request that are not erased, each once.
std::set<memory_id> memories_of(const model& state, const erase_request& r) {
  auto ids = named_by(state, r);
  if (r.with_derived) add_derived(state, ids);
  std::erase_if(ids, [&](const memory_id& id) { return state.is_erased(id); });
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

std::vector<topic_field> erasable_fields(const model& state) {
  auto fields = state.fields_at(state.last());
  std::erase_if(fields, [&](const topic_field& f) {
    erase_request r;
    r.ids = {f.head.topic};
    r.field = f.head.name;
    const auto all = fields_of(state, r);
    return all.empty() || std::ranges::any_of(all, [&](const topic_field& one) {
             return state.head_at(one.head.topic, state.last())->tombstone.has_value();
           });
  });
  return fields;
}

std::vector<expected_entry> erasure_of(const model& state, const erase_request& r, timestamp now) {
  std::vector<expected_entry> entries;
  if (r.field) {
    for (const auto& field : fields_of(state, r)) add_field_erasure(state, field, r, now, entries);
    return entries;
  }
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
  if (r.field) return field_answer_of(state, r);
  erase_result out;
  const auto ids = memories_of(state, r);
  for (const auto& id : ids) {
    const head h = *state.head_at(id, state.last());
    out.erased.push_back({id, h.type, h.actor_scope, true});
  }
  for (const auto& id : named_by(state, r))
    if (state.is_erased(id)) out.erased_before.push_back(id);
  for (const auto& id : std::set<memory_id>(r.ids.begin(), r.ids.end()))
    if (!state.head_at(id, state.last())) out.not_found.push_back(id);
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
