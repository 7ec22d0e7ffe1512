// What took a memory's place, and by which entries.

#include <algorithm>

#include "state/apply/entry_parts.hpp"
#include "state/execute/overlay.hpp"
#include "views/lineage_edges.hpp"
#include "views/supersession.hpp"

namespace mneme {

result<std::optional<edge_key>> overlay::edge_of_tombstone(const mneme::head& h) {
  if (!h.tombstone || !h.tombstone->superseded_by || *h.tombstone->superseded_by == h.id)
    return std::optional<edge_key>{};
  const edge_key key{*h.tombstone->superseded_by, edge_type::supersedes, h.id};
  auto found = edge(key);
  if (!found) return propagate(found);
  if (!came_with(*found, *h.tombstone)) return std::optional<edge_key>{};
  // Of what the command itself has done, time and author tell enough.
  if (is_unpublished(h.id) || is_unpublished(key)) return std::optional(key);
  const row_no row = views_.attributes->row_of(views_.nodes->find(h.id), at_);
  const node_no dst = views_.nodes->find(h.id);
  const std::uint64_t behind_tombstone = views_.attributes->rows().line(row).begin + 1;
  bool is_next = false;
  views_.graph->neighbours(views_.nodes->find(key.src), edge_direction::out, at_, false,
                           [&](const neighbour& n) {
                             if (n.node == dst && n.type == key.type)
                               is_next = n.since.value == behind_tombstone;
                             return !is_next;
                           });
  return is_next ? std::optional(key) : std::optional<edge_key>{};
}

result<std::optional<memory_id>> overlay::superseded_by(const mneme::head& h,
                                                        const std::string& actor) {
  std::vector<memory_id> newer;
  auto edges = live_edges(h.id);
  if (!edges) return propagate(edges);
  for (const edge_record& e : *edges)
    if (e.key.type == edge_type::supersedes && e.key.dst == h.id) newer.push_back(e.key.src);
  const node_no node = views_.nodes->find(h.id);
  if (node.value != no_number)
    views_.lineage->neighbours(node, edge_direction::in, at_, false, [&](const neighbour& n) {
      if (n.type == in_lineage(lineage_kind::replaces)) newer.push_back(views_.nodes->id(n.node));
      return true;
    });
  std::ranges::sort(newer);
  for (const memory_id& id : newer) {
    if (id == h.id) continue;
    auto by = head(id);
    if (!by) return propagate(by);
    if (!by->has_value() || (*by)->tombstone) continue;
    const bool counts = supersession::counts((*by)->actor_scope, h.actor_scope);
    const bool is_seen = actor.empty() || (*by)->actor_scope == actor
                         || (*by)->visibility == visibility::actor_public;
    if (counts && is_seen) return std::optional(id);
  }
  return std::optional<memory_id>{};
}

} // namespace mneme
