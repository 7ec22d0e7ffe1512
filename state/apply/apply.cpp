// What graph, order, vectors and terms take of an entry.

#include "state/apply/apply.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "messages/text/forms.hpp"
#include "state/apply/entry_parts.hpp"
#include "views/order_edges.hpp"

namespace mneme {

void apply_to(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.edge == nullptr) continue;
    if (d.edge_has_no_past) owner.forget(d.src, d.edge->key.type, d.dst);
    owner.put(d.src, d.edge->key.type, d.dst, d.edge->tombstoned, d.seq);
  }
}

void apply_to(vectors& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.vector == nullptr) continue;
    if (owner.space().dim == 0) owner.set_space(d.vector->space, d.seq);
    owner.append(d.slot, d.vector->values);
  }
}

void apply_to(lexical& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.head == nullptr) continue;
    if (d.version != nullptr) {
      const auto of = d.version->type == memory_type::chunk ? corpus::chunks : corpus::memories;
      owner.put(d.node, d.slot, of, searched_text(d.version->type, d.version->data), d.seq);
    } else if (d.is_embedding && !d.text.empty()) {
      owner.put(d.node, d.slot, corpus::memories, d.text, d.seq); // that of a topic
    } else if (d.is_embedding) {
      owner.carry(d.node, d.slot, d.seq);
    }
    if (d.head->erased)
      owner.erase(d.node, d.seq);
    else
      owner.set_live(d.node, !d.head->tombstone || is_past(*d.head), d.seq);
  }
}

namespace {

/// In the order, what an edge is by its kind; nullopt of all others.
std::optional<edge_type> in_order(std::string_view kind) {
  if (kind == next_edge_kind) return edge_type::related_to;
  if (kind == answer_edge_kind) return answer_in_order;
  return std::nullopt;
}

} // namespace

void apply_order(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.edge == nullptr || d.edge->key.type != edge_type::related_to) continue;
    if (d.edge_has_no_past)
      for (const edge_type type : {edge_type::related_to, answer_in_order})
        owner.forget(d.src, type, d.dst);
    const auto is = in_order(d.edge->kind);
    // The kind of an edge can change.
    std::optional<edge_type> was;
    owner.neighbours(d.src, edge_direction::out, d.seq, false, [&](const neighbour& n) {
      if (n.node == d.dst) was = n.type;
      return !was;
    });
    if (was && was != is) owner.put(d.src, *was, d.dst, true, d.seq);
    if (is) owner.put(d.src, *is, d.dst, d.edge->tombstoned, d.seq);
  }
}

} // namespace mneme
