// What the lineage takes of an entry.

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "state/apply/apply.hpp"
#include "views/lineage_edges.hpp"
#include "views/supersession.hpp"

namespace mneme {

namespace {

constexpr edge_type content_names = in_lineage(lineage_kind::names);
constexpr edge_type content_replaces = in_lineage(lineage_kind::replaces);

/// Whose the memories are that speak of each other: by the rows of the batches before, and by the
/// heads of this one, whose rows may come at the same time.
class actors_of_memories {
public:
  /// Both must outlive it.
  actors_of_memories(std::span<const index_delta> batch, const attributes& rows)
      : batch_(batch), rows_(rows) {}

  /// False where what `newer` says against `older` will never count. Whose memory either is may not
  /// be known (what a content names need not be there yet): then it may.
  [[nodiscard]] bool may_count(node_no newer, node_no older) {
    const auto by = actor_of(newer);
    if (!by) return true;
    const auto against = actor_of(older);
    return !against || supersession::counts(*by, *against);
  }

private:
  [[nodiscard]] std::optional<std::string> actor_of(node_no node) {
    if (const row_no row = rows_.rows().last_of(node); row.value != no_number)
      return rows_.actor_text({rows_.rows().line(row).actor});
    if (by_node_.empty())
      for (const index_delta& d : batch_)
        if (d.head != nullptr) by_node_.emplace(d.node.value, d.head);
    const auto found = by_node_.find(node.value);
    return found == by_node_.end() ? std::nullopt : std::optional(found->second->actor_scope);
  }

  std::span<const index_delta> batch_;
  const attributes& rows_;
  std::unordered_map<std::uint32_t, const head*> by_node_; ///< of the batch, once it is asked
};

/// Ends what the content before named, and begins what the new one names. What both name goes on.
void put_named(graph& owner, const index_delta& d, actors_of_memories& actors) {
  const bool replaces = d.head->type == memory_type::decision && d.reference.value != no_number
                        && d.reference != d.node && actors.may_count(d.node, d.reference);
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

/// An edge between two memories. Of an objection that will never count nothing begins.
void put_edge(graph& owner, const index_delta& d, actors_of_memories& actors) {
  const auto kept = in_lineage(d.edge->key.type);
  if (!kept) return;
  if (d.edge_has_no_past) owner.forget(d.src, *kept, d.dst);
  const bool begins = !d.edge->tombstoned;
  if (begins && is_objection(*kept) && !actors.may_count(d.src, d.dst)) return;
  owner.put(d.src, *kept, d.dst, d.edge->tombstoned, d.seq);
}

} // namespace

void apply_lineage(graph& owner, const attributes& rows, std::span<const index_delta> deltas) {
  actors_of_memories actors(deltas, rows);
  for (const auto& d : deltas) {
    if (d.head != nullptr && d.head->erased) forget_named(owner, d);
    if (d.version != nullptr) put_named(owner, d, actors);
    if (d.restores || d.successor.value != no_number) put_successor(owner, d);
    if (d.edge != nullptr) put_edge(owner, d, actors);
  }
}

} // namespace mneme
