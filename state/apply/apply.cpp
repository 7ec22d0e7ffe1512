// What graph, vectors and terms take of an entry.

#include "state/apply/apply.hpp"

#include "messages/text/forms.hpp"
#include "state/apply/entry_parts.hpp"

namespace mneme {

void apply_to(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas)
    if (d.edge != nullptr) owner.put(d.src, d.edge->key.type, d.dst, d.edge->tombstoned, d.seq);
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
      const bool is_chunk = d.version->type == memory_type::chunk;
      const std::string text = is_chunk ? std::string(data_text(*d.version, "content"))
                                        : full_text(d.version->type, d.version->data);
      owner.put(d.node, d.slot, is_chunk ? corpus::chunks : corpus::memories, text, d.seq);
    } else if (d.is_embedding) {
      owner.carry(d.node, d.slot, d.seq);
    }
    owner.set_live(d.node, !d.head->tombstone && !d.head->erased, d.seq);
  }
}

void apply_order(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.edge == nullptr || d.edge->key.type != edge_type::related_to) continue;
    const bool is_order = d.edge->kind == order_edge_kind;
    bool was_order = false;
    if (!is_order)
      owner.neighbours(d.src, edge_direction::out, d.seq, false, [&](const neighbour& n) {
        was_order = n.node == d.dst;
        return !was_order;
      });
    if (is_order || was_order)
      owner.put(d.src, d.edge->key.type, d.dst, d.edge->tombstoned || !is_order, d.seq);
  }
}

} // namespace mneme
