#include "sim/model_lineage.hpp"

#include <algorithm>

#include "sim/searched_state.hpp"

namespace mneme::sim {

double own_trust(const provenance& p) {
  if (p.trust) return *p.trust;
  if (p.source_class == source_class::tool) return 0.8;
  if (p.source_class == source_class::model) return 0.6;
  return p.source_class == source_class::web ? 0.3 : 1;
}

namespace {

/// Of texts that are all uris.
void add_named(const std::vector<std::string>& uris, std::set<memory_id>& to) {
  for (const auto& text : uris)
    if (const auto uri = parse_memory_uri(text)) to.insert(uri->id);
}

} // namespace

std::set<memory_id> supports_of(const model& state, const memory_id& id, seq_no at) {
  std::set<memory_id> found;
  for (const auto& e : state.edges_out(id, at))
    if (!e.tombstoned && e.key.type == edge_type::derived_from) found.insert(e.key.dst);
  if (const auto m = state.memory_at(id, at)) {
    add_named(m->version->provenance.derived_from, found);
    for (const char* list : {"derived_from", "evidence_for", "evidence_against"})
      if (const auto field = m->version->data.find(list); field != m->version->data.end())
        add_named(std::get<std::vector<std::string>>(field->second), found);
  }
  found.erase(id);
  return found;
}

namespace {

std::set<memory_id> lineage_of(const model& state, const memory_id& id, seq_no at) {
  std::set<memory_id> all{id};
  std::vector<memory_id> left{id};
  while (!left.empty()) {
    const memory_id next = left.back();
    left.pop_back();
    for (const auto& support : supports_of(state, next, at))
      if (all.insert(support).second) left.push_back(support);
  }
  return all;
}

/// May it say that the other one no longer holds? In the name of the same actor, or of the host.
bool may_object(const model& state, const memory_id& by, const memory_id& against, seq_no at) {
  const auto newer = state.head_at(by, at);
  const auto older = state.head_at(against, at);
  return newer && older && !newer->tombstone
         && (newer->actor_scope == older->actor_scope || newer->actor_scope.empty());
}

/// Has `fallen` been spoken against after `since`, by nothing in `own`?
bool has_fallen(const model& state, const memory_id& fallen, seq_no since, seq_no at,
                const std::set<memory_id>& own) {
  const auto h = state.head_at(fallen, at);
  if (!h) return false;
  if (const auto ended = state.tombstoned_since(fallen, at); ended && *ended > since)
    if (const auto& heir = h->tombstone->superseded_by;
        !heir || *heir == fallen || !own.contains(*heir))
      return true;
  for (const auto& e : state.edges_in(fallen, at)) {
    const bool objects =
        e.key.type == edge_type::supersedes || e.key.type == edge_type::contradicts;
    const auto from = state.live_since(e.key, at);
    if (objects && from && *from > since && !own.contains(e.key.src)
        && may_object(state, e.key.src, fallen, at))
      return true;
  }
  for (const auto& id : state.ids_at(at)) {
    if (id == fallen || own.contains(id) || !may_object(state, id, fallen, at)) continue;
    const auto written = state.written_at(id, at);
    std::optional<seq_no> from; // of the run of versions that replace it, up to now
    for (std::uint32_t number = 1; number <= written.size(); ++number) {
      const auto v = state.version_at(id, number, at);
      const bool replaces = v->type == memory_type::decision && reference_in(*v) == fallen;
      if (!replaces)
        from.reset();
      else if (!from)
        from = written[number - 1];
    }
    if (from && *from > since) return true;
  }
  return false;
}

} // namespace

double trust_in(const model& state, const memory_id& id, seq_no at) {
  double least = 1;
  for (const auto& one : lineage_of(state, id, at))
    if (const auto m = state.memory_at(one, at))
      least = std::min(least, own_trust(m->version->provenance));
  return least;
}

namespace {

/// Since when a memory stands as it does: what fell before does not shake it.
seq_no stands_since(const model& state, const memory_id& id, seq_no at) {
  return state.tombstoned_since(id, at).value_or(state.affirmed_at(id, at));
}

} // namespace

std::vector<memory_id> stale_because_of(const model& state, const memory_id& fallen, seq_no at) {
  std::vector<memory_id> stale;
  for (const auto& id : state.ids_at(at)) {
    if (id == fallen || state.head_at(id, at)->tombstone) continue;
    const auto own = lineage_of(state, id, at);
    if (own.contains(fallen) && has_fallen(state, fallen, stands_since(state, id, at), at, own))
      stale.push_back(id);
  }
  return stale;
}

memory_standing standing_in(const model& state, const memory_id& id, seq_no at) {
  const auto own = lineage_of(state, id, at);
  memory_standing out{.trust = trust_in(state, id, at)};
  const seq_no since = stands_since(state, id, at);
  for (const auto& one : own)
    if (one != id && has_fallen(state, one, since, at, own)) out.stale = true;
  return out;
}

} // namespace mneme::sim
