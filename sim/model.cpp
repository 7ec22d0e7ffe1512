#include "sim/model.hpp"

#include <algorithm>

#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "messages/text/forms.hpp"
#include "sim/late_embedder.hpp"

namespace mneme::sim {

void model::commit_head(seq_no seq, const head& h, bool is_new, bool is_restored) {
  auto& m = memories_[h.id];
  m.heads.put(seq, h);
  m.hashes.put(seq, sha256_of(encode(h)));
  if (is_restored) return; // used as it was
  const activation* before = m.used.at(seq);
  const bool is_first = before == nullptr || is_new;
  activation used = is_first ? activation{} : *before;
  if (is_first || !h.tombstone) used.last_used = h.last_updated_at;
  used.importance = h.declared_importance;
  m.used.put(seq, used);
}

std::optional<head> model::keyed_at(const memory_key& key, seq_no at) const {
  for (const memory_id& id : ids_at(at))
    if (auto h = head_at(id, at); h && h->key == key) return h;
  return std::nullopt;
}

void model::commit_content(seq_no seq, const version& v,
                           const std::optional<spaced_vector>& vector) {
  auto& versions = memories_[v.id].versions;
  ensure(v.number == versions.size() + 1, "versions are numbered without gaps");
  versions.push_back({seq, v, {}});
  versions.back().vectors.put(seq, vector ? vector->values : std::vector<float>{});
  memories_.at(v.id).texts.put(seq, searched_text(v.type, v.data));
  if (vector && space_.empty()) space_.put(seq, vector->space);
}

void model::commit_embedding(seq_no seq, const embed_payload& late) {
  auto& m = memories_.at(late.head.id);
  m.heads.put(seq, late.head);
  m.hashes.put(seq, sha256_of(encode(late.head)));
  if (!late.text.empty()) m.texts.put(seq, late.text);
  m.versions.back().vectors.put(seq, late.vector ? late.vector->values : std::vector<float>{});
  if (late.vector && space_.empty()) space_.put(seq, late.vector->space);
}

void model::commit_touch(seq_no seq, const find_late_payload& late, timestamp at) {
  for (const auto& id : late.accessed) {
    auto& m = memories_.at(id);
    activation used = *m.used.at(seq);
    used.last_used = at;
    ++used.access_count;
    m.used.put(seq, used);
  }
}

void model::commit(seq_no seq, entry_kind kind, const entry_payload& payload,
                   timestamp created_at) {
  ensure(seq == last_.next(), "the model takes one entry after the other");
  last_ = seq;
  if (const auto* w = std::get_if<write_payload>(&payload)) {
    commit_head(seq, w->head, true);
    commit_content(seq, w->version, w->vector);
    if (w->id_drawn) drawn_.put(seq, std::max(w->head.id, last_drawn(seq)));
  } else if (const auto* u = std::get_if<update_payload>(&payload)) {
    commit_head(seq, u->head, false);
    commit_content(seq, u->version, u->vector);
  } else if (const auto* h = std::get_if<head_payload>(&payload)) {
    commit_head(seq, h->head, false, kind == entry_kind::restore);
    if (h->affirms) memories_[h->head.id].affirmed.push_back(seq);
  } else if (const auto* e = std::get_if<edge_payload>(&payload)) {
    const edge_key& key = e->edge.key;
    edges_[key].put(seq, e->edge);
    reverse_.insert({key.dst, key.type, key.src});
  } else if (const auto* late = std::get_if<find_late_payload>(&payload)) {
    commit_touch(seq, *late, created_at);
  } else if (const auto* embedded = std::get_if<embed_payload>(&payload)) {
    commit_embedding(seq, *embedded);
  } else if (const auto* erased = std::get_if<erase_payload>(&payload)) {
    commit_erasure(seq, *erased);
  } else if (const auto* t = std::get_if<trim_payload>(&payload)) {
    trims_.emplace_back(seq, t->versions);
  } else if (const auto* s = std::get_if<snapshot_payload>(&payload)) {
    snapshots_.emplace_back(seq, s->manifest.overall_root);
  }
  commit_topics(seq, payload);
  note_events(seq, kind, payload, created_at);
  commit_signals(seq, payload, created_at);
}

void model::truncate(seq_no last) {
  if (last >= last_) return;
  last_ = last;
  for (auto it = memories_.begin(); it != memories_.end();) {
    auto& m = it->second;
    m.heads.truncate(last);
    m.hashes.truncate(last);
    m.used.truncate(last);
    m.signals.truncate(last);
    std::erase_if(m.affirmed, [&](seq_no seq) { return seq > last; });
    while (!m.versions.empty() && m.versions.back().since > last) m.versions.pop_back();
    if (!m.versions.empty()) m.versions.back().vectors.truncate(last);
    m.texts.truncate(last);
    it = m.heads.empty() ? memories_.erase(it) : std::next(it);
  }
  for (auto it = edges_.begin(); it != edges_.end();) {
    it->second.truncate(last);
    if (!it->second.empty()) {
      ++it;
      continue;
    }
    reverse_.erase({it->first.dst, it->first.type, it->first.src});
    it = edges_.erase(it);
  }
  space_.truncate(last);
  drawn_.truncate(last);
  while (!trims_.empty() && trims_.back().first > last) trims_.pop_back();
  while (!snapshots_.empty() && snapshots_.back().first > last) snapshots_.pop_back();
  truncate_topics(last);
  truncate_signals(last);
}

std::optional<head> model::head_at(const memory_id& id, seq_no at) const {
  const auto found = memories_.find(id);
  if (found == memories_.end()) return std::nullopt;
  const head* h = found->second.heads.at(at);
  return h == nullptr ? std::nullopt : std::optional(*h);
}

std::vector<std::pair<memory_id, digest>> model::head_hashes_at(seq_no at) const {
  std::vector<std::pair<memory_id, digest>> found;
  for (const auto& [id, m] : memories_)
    if (const digest* hash = m.hashes.at(at)) found.emplace_back(id, *hash);
  return found;
}

std::optional<memory> model::memory_at(const memory_id& id, seq_no at) const {
  if (is_erased(id)) at = last_; // as of any seq it is what it is now
  const auto h = head_at(id, at);
  if (!h) return std::nullopt;
  const auto& m = memories_.at(id);
  return memory{*h, m.versions.at(h->current_version - 1).version, *m.used.at(at),
                signals_at(id, at)};
}

std::vector<float> model::vector_at(const memory_id& id, seq_no at) const {
  const auto h = head_at(id, at);
  if (!h || !h->embedding) return {};
  return vector_of_version(id, h->current_version, at);
}

std::optional<version> model::version_at(const memory_id& id, std::uint32_t number,
                                         seq_no at) const {
  const auto h = head_at(id, at);
  if (!h || number == 0 || number > h->current_version) return std::nullopt;
  return memories_.at(id).versions.at(number - 1).version;
}

namespace {

bool has_version(const std::vector<dropped_versions>& dropped, const memory_id& id,
                 std::uint32_t number) {
  for (const dropped_versions& d : dropped)
    for (const version_range& r : d.ranges)
      if (d.id == id && r.first <= number && number <= r.last) return true;
  return false;
}

} // namespace

std::optional<seq_no> model::trimmed_by(const memory_id& id, std::uint32_t number,
                                        seq_no at) const {
  std::optional<seq_no> by;
  for (const auto& [seq, dropped] : trims_)
    if (seq <= at && has_version(dropped, id, number)) by = seq;
  return by;
}

std::string model::text_at(const memory_id& id, seq_no at) const {
  const auto found = memories_.find(id);
  const std::string* text = found == memories_.end() ? nullptr : found->second.texts.at(at);
  return text == nullptr ? std::string() : *text;
}

std::vector<float> model::vector_of_version(const memory_id& id, std::uint32_t number,
                                            seq_no at) const {
  const auto* vector = memories_.at(id).versions.at(number - 1).vectors.at(at);
  return vector == nullptr ? std::vector<float>{} : *vector;
}

std::vector<memory_id> model::without_vector() const {
  std::vector<memory_id> ids;
  for (const auto& [id, m] : memories_)
    if (const head* h = m.heads.at(last_); h != nullptr && !h->tombstone && !h->embedding)
      ids.push_back(id);
  return ids;
}

std::optional<edge_record> model::edge_at(const edge_key& key, seq_no at) const {
  const auto found = edges_.find(key);
  if (found == edges_.end()) return std::nullopt;
  const edge_record* e = found->second.at(at);
  return e == nullptr ? std::nullopt : std::optional(*e);
}

std::optional<seq_no> model::live_since(const edge_key& key, seq_no at) const {
  const auto found = edges_.find(key);
  if (found == edges_.end()) return std::nullopt;
  return found->second.since(at, [](const edge_record& e) { return !e.tombstoned; });
}

std::optional<seq_no> model::tombstoned_since(const memory_id& id, seq_no at) const {
  const auto found = memories_.find(id);
  if (found == memories_.end()) return std::nullopt;
  return found->second.heads.since(at, [](const head& h) { return h.tombstone.has_value(); });
}

std::vector<seq_no> model::written_at(const memory_id& id, seq_no at) const {
  std::vector<seq_no> seqs;
  for (const auto& c : memories_.at(id).versions)
    if (c.since <= at) seqs.push_back(c.since);
  return seqs;
}

seq_no model::affirmed_at(const memory_id& id, seq_no at) const {
  seq_no newest = written_at(id, at).back();
  for (const seq_no seq : memories_.at(id).affirmed)
    if (seq <= at) newest = std::max(newest, seq);
  return newest;
}

vector_space model::space_at(seq_no at) const {
  if (seams_.embeds != nullptr) return seams_.embeds->space();
  const vector_space* space = space_.at(at);
  return space == nullptr ? vector_space{} : *space;
}

std::vector<memory_id> model::ids_at(seq_no at) const {
  std::vector<memory_id> ids;
  for (const auto& [id, m] : memories_)
    if (const head* h = m.heads.at(at); h != nullptr && !h->erased) ids.push_back(id);
  return ids;
}

std::vector<memory_id> model::ids_and_stubs() const {
  std::vector<memory_id> ids;
  ids.reserve(memories_.size());
  for (const auto& [id, m] : memories_) ids.push_back(id);
  return ids;
}

std::vector<edge_record> model::edges_at(seq_no at) const {
  std::vector<edge_record> found;
  for (const auto& [key, states] : edges_)
    if (const edge_record* e = states.at(at)) found.push_back(*e);
  return found;
}

std::vector<edge_record> model::edges_out(const memory_id& id, seq_no at) const {
  std::vector<edge_record> found;
  for (auto it = edges_.lower_bound({id, edge_type{}, {}});
       it != edges_.end() && it->first.src == id; ++it)
    if (const edge_record* e = it->second.at(at)) found.push_back(*e);
  return found;
}

std::vector<edge_record> model::edges_in(const memory_id& id, seq_no at) const {
  std::vector<edge_record> found;
  for (auto it = reverse_.lower_bound({id, edge_type{}, {}}); it != reverse_.end() && it->dst == id;
       ++it)
    if (auto e = edge_at({it->src, it->type, it->dst}, at)) found.push_back(std::move(*e));
  return found;
}

memory_id model::last_drawn(seq_no at) const {
  const memory_id* id = drawn_.at(at);
  return id == nullptr ? memory_id{} : *id;
}

std::vector<digest> model::snapshot_roots() const {
  std::vector<digest> roots;
  roots.reserve(snapshots_.size());
  for (const auto& [seq, root] : snapshots_) roots.push_back(root);
  return roots;
}

bool model::has_snapshot(const digest& root) const {
  return std::ranges::any_of(snapshots_, [&](const auto& s) { return s.second == root; });
}

std::optional<seq_no> model::snapshot_seq(const digest& root) const {
  const auto found = std::ranges::find(snapshots_, root, &std::pair<seq_no, digest>::second);
  if (found == snapshots_.end()) return std::nullopt;
  return seq_no{found->first.value - 1}; // before its own entry
}

bool made_with_tombstone(const model& state, const edge_key& key) {
  const auto gone = state.tombstoned_since(key.dst, state.last());
  const auto made = state.live_since(key, state.last());
  if (!gone || !made || made->value != gone->value + 1) return false;
  // What somebody else has put there in the same batch is his.
  const auto h = state.head_at(key.dst, state.last());
  const auto e = state.edge_at(key, state.last());
  return e->created_at == h->tombstone->at && e->created_by == h->tombstone->by;
}

bool is_refused_text(const model& state, const std::string& text) {
  return state.seams().is_late && text.size() > late_text_bytes;
}

bool is_archived(const head& h) {
  return h.lifecycle && h.lifecycle->status == lifecycle_status::archived;
}

bool sees(const std::optional<std::string>& actor, const head& h) {
  return !actor || h.actor_scope == *actor || h.visibility == visibility::actor_public;
}

} // namespace mneme::sim
