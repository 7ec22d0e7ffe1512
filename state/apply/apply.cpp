// What graph, vectors and terms take of an entry.

#include "state/apply/apply.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "messages/text/forms.hpp"
#include "state/apply/entry_parts.hpp"
#include "views/lineage_edges.hpp"
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

namespace {

constexpr edge_type content_names = in_lineage(lineage_kind::names);
constexpr edge_type content_replaces = in_lineage(lineage_kind::replaces);

/// Ends what the content before named, and begins what the new one names. What both name goes on.
void put_named(graph& owner, const index_delta& d) {
  const bool replaces = d.head->type == memory_type::decision && d.reference.value != no_number
                        && d.reference != d.node;
  if (d.sources.empty() && !replaces && !owner.has_edges_out(d.node)) return;
  std::vector<neighbour> before;
  owner.neighbours(d.node, edge_direction::out, d.seq, false, [&](const neighbour& n) {
    if (n.type == content_names || n.type == content_replaces) before.push_back(n);
    return true;
  });
  std::vector<node_no> named = d.sources; // there may be thousands
  std::ranges::sort(named);
  for (const neighbour& n : before) {
    const bool stays = n.type == content_replaces ? replaces && n.node == d.reference
                                                  : std::ranges::binary_search(named, n.node);
    if (!stays) owner.put(d.node, n.type, n.node, true, d.seq);
  }
  for (const node_no source : d.sources) owner.put(d.node, content_names, source, false, d.seq);
  if (replaces) owner.put(d.node, content_replaces, d.reference, false, d.seq);
}

/// What an erased content ever named, and what had taken its place, is not known any more.
void forget_named(graph& owner, const index_delta& d) {
  std::vector<neighbour> named;
  owner.neighbours(d.node, edge_direction::out, d.seq, true, [&](const neighbour& n) {
    if (n.type == content_names || n.type == content_replaces
        || n.type == in_lineage(lineage_kind::gives_way))
      named.push_back(n);
    return true;
  });
  for (const neighbour& n : named) owner.forget(d.node, n.type, n.node);
}

/// What the newest tombstone names is what took the place; a restored memory has no such.
void put_successor(graph& owner, const index_delta& d) {
  constexpr edge_type gives_way = in_lineage(lineage_kind::gives_way);
  const node_no named = d.successor != d.node ? d.successor : node_no{no_number};
  if (owner.has_edges_out(d.node)) {
    std::vector<node_no> before;
    owner.neighbours(d.node, edge_direction::out, d.seq, false, [&](const neighbour& n) {
      if (n.type == gives_way && n.node != named) before.push_back(n.node);
      return true;
    });
    for (const node_no other : before) owner.put(d.node, gives_way, other, true, d.seq);
  }
  if (named.value != no_number) owner.put(d.node, gives_way, named, false, d.seq);
}

} // namespace

void apply_lineage(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.head != nullptr && d.head->erased) forget_named(owner, d);
    if (d.version != nullptr) put_named(owner, d);
    if (d.restores || d.successor.value != no_number) put_successor(owner, d);
    if (d.edge == nullptr) continue;
    if (const auto kept = in_lineage(d.edge->key.type); kept && d.edge_has_no_past)
      owner.forget(d.src, *kept, d.dst);
    if (const auto kept = in_lineage(d.edge->key.type))
      owner.put(d.src, *kept, d.dst, d.edge->tombstoned, d.seq);
  }
}

} // namespace mneme
