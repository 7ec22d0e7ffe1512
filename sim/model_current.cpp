#include "sim/model_current.hpp"

#include "sim/model_lineage.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

bool has_begun(const version& v, judged_by when) {
  return !when.is_asked || v.valid_from <= when.instant;
}

bool has_ended(const version& v, judged_by when) {
  return (v.valid_until && *v.valid_until <= when.instant)
         || (v.expires_at && *v.expires_at <= when.instant);
}

bool may_have_held(const head& h) {
  return !h.erased && (!h.tombstone || h.tombstone->cause == tombstone_cause::superseded);
}

bool is_past(const head& h, judged_by when) {
  return h.tombstone && may_have_held(h) && (!when.is_asked || h.tombstone->at <= when.instant);
}

bool takes_out(const memory& newer, const std::string& owner, const viewer& who, judged_by when) {
  const head& h = newer.head;
  return has_begun(newer.version, when) && sees(who, h)
         && (h.actor_scope == owner || h.actor_scope.empty());
}

what_holds::what_holds(const model& state, const viewer& who, seq_no at, judged_by when,
                       std::optional<double> min_trust)
    : when_(when) {
  const auto hide = [&](const memory& newer, const memory_id& older) {
    const auto h = state.head_at(older, at);
    if (min_trust && trust_in(state, newer.head->id, at) < *min_trust) return;
    if (h && older != newer.head->id && takes_out(newer, h->actor_scope, who, when))
      superseded_.insert(older);
  };
  for (const auto& id : state.ids_at(at)) {
    if (!may_have_held(*state.head_at(id, at))) continue;
    const auto m = state.memory_at(id, at);
    if (m->head->type == memory_type::decision)
      if (const auto older = reference_in(m->version)) hide(*m, *older);
    for (const auto& e : state.edges_out(id, at))
      if (!e.tombstoned && e.key.type == edge_type::supersedes) hide(*m, e.key.dst);
  }
}

} // namespace mneme::sim
