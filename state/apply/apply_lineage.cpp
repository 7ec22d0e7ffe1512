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

/// Whose the memories of a batch are, and those before it, as of one of its entries after the
/// other: by heads of the batch, and by rows as they were before it, for others may be there by
/// now.
class memory_owners {
public:
  /// Both must outlive it.
  memory_owners(std::span<const index_delta> batch, const attributes& rows)
      : batch_(batch), rows_(rows), before_{batch.empty() ? 0 : batch.front().seq.value - 1} {}

  /// Goes on to the next entry.
  void pass() { ++passed_; }
  /// As of the last entry that was passed; nullopt: it is not known. What is named need not be
  /// there yet, and of what was erased the journal may say nothing any more.
  [[nodiscard]] std::optional<std::string> owner_of(node_no node) {
    for (; told_ < passed_; ++told_)
      if (const index_delta& d = batch_[told_]; d.head != nullptr)
        by_node_.insert_or_assign(d.node.value, d.head);
    if (const auto found = by_node_.find(node.value); found != by_node_.end())
      return found->second->actor_scope;
    const row_no row = rows_.row_of(node, before_);
    if (row.value == no_number) return std::nullopt;
    return rows_.actor_text({rows_.rows().line(row).actor});
  }
  /// False where what `newer` says against `older` does not count.
  [[nodiscard]] bool may_count(node_no newer, node_no older) {
    const auto by = owner_of(newer);
    if (!by) return true;
    const auto against = owner_of(older);
    return !against || supersession::counts(*by, *against);
  }

private:
  std::span<const index_delta> batch_;
  const attributes& rows_;
  seq_no before_;
  std::size_t passed_ = 0;
  std::size_t told_ = 0; ///< of these by_node_ knows
  std::unordered_map<std::uint32_t, const head*> by_node_;
};

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

/// An edge between two memories. Of an objection that does not count nothing begins.
void put_edge(graph& owner, const index_delta& d, memory_owners& owners) {
  const auto kept = in_lineage(d.edge->key.type);
  if (!kept) return;
  if (d.edge_has_no_past) owner.forget(d.src, *kept, d.dst);
  const bool begins = !d.edge->tombstoned;
  if (begins && is_objection(*kept) && !owners.may_count(d.src, d.dst)) return;
  owner.put(d.src, *kept, d.dst, d.edge->tombstoned, d.seq);
}

/// An import may say that a memory is somebody else's from now on: of its objections and of those
/// to it some count that did not.
void put_counting(graph& owner, const graph& edges, const index_delta& d, memory_owners& owners) {
  struct objection {
    node_no by;
    edge_type type;
    node_no against;
    seq_no since;
  };
  std::vector<objection> known;
  for (const edge_direction direction : {edge_direction::in, edge_direction::out})
    edges.neighbours(d.node, direction, d.seq, false, [&](const neighbour& n) {
      const auto kept = in_lineage(n.type);
      if (!kept || !is_objection(*kept)) return true;
      if (direction == edge_direction::in)
        known.push_back({n.node, *kept, d.node, n.since});
      else
        known.push_back({d.node, *kept, n.node, n.since});
      return true;
    });
  for (const objection& o : known)
    if (owners.may_count(o.by, o.against)) owner.put(o.by, o.type, o.against, false, o.since);
}

/// Whether the memory was another's before its head of this entry, which is not passed yet.
bool changes_hands(const index_delta& d, memory_owners& owners) {
  if (d.head == nullptr || (d.version != nullptr && d.version->number == 1)) return false;
  const auto before = owners.owner_of(d.node);
  return before && *before != d.head->actor_scope;
}

} // namespace

void apply_lineage(graph& owner, const graph& edges, const attributes& rows,
                   std::span<const index_delta> deltas) {
  memory_owners owners(deltas, rows);
  for (const auto& d : deltas) {
    const bool is_anothers = changes_hands(d, owners);
    owners.pass();
    if (is_anothers) put_counting(owner, edges, d, owners);
    if (d.head != nullptr && d.head->erased) forget_named(owner, d);
    if (d.version != nullptr) put_named(owner, d);
    if (d.restores || d.successor.value != no_number) put_successor(owner, d);
    if (d.edge != nullptr) put_edge(owner, d, owners);
  }
}

} // namespace mneme
