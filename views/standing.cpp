#include "views/standing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_set>

namespace mneme {

namespace {

constexpr double trust_unit = 1e9;

std::uint32_t class_distrust_e9(const std::optional<source_class>& of) {
  if (!of) return 0;
  switch (*of) {
  case source_class::user:
    return 0;
  case source_class::tool:
    return 200'000'000;
  case source_class::model:
    return 400'000'000;
  case source_class::web:
    return 700'000'000;
  }
  return 0;
}

std::uint32_t below_one_e9(double trust) {
  return distrust_max_e9 - static_cast<std::uint32_t>(std::llround(trust * trust_unit));
}

} // namespace

std::uint32_t own_distrust_e9(const provenance& p) {
  return p.trust ? below_one_e9(*p.trust) : class_distrust_e9(p.source_class);
}

double trust_of(std::uint32_t distrust_e9) {
  return static_cast<double>(distrust_max_e9 - distrust_e9) / trust_unit;
}

std::uint32_t distrust_above(double min_trust) {
  return below_one_e9(min_trust) + 1;
}

template <class GoesOn>
void lineage_reader::for_each_objection(row_no row, std::uint64_t since,
                                        const GoesOn& goes_on) const {
  const row_line& line = rows_.rows().line(row);
  const node_no node{line.node};
  // A tombstone speaks for itself, or for what took the place.
  if ((line.flags & row_tombstoned) != 0 && line.begin > since) {
    std::uint32_t by = no_number;
    lineage_.neighbours(node, edge_direction::out, at_, false, [&](const neighbour& n) {
      if (n.type == in_lineage(lineage_kind::gives_way)) by = n.node.value;
      return by == no_number;
    });
    if (!goes_on(objection{by, line.begin})) return;
  }
  // A few at once: the rows of all are on their way from memory while the first is looked at.
  std::array<objection, 16> few;
  std::size_t count = 0;
  bool is_over = false;
  const auto look_at_few = [&] {
    for (std::size_t i = 0; i < count; ++i)
      rows_.rows().prefetch(rows_.rows().last_of({few[i].by}));
    for (std::size_t i = 0; i < count && !is_over; ++i)
      is_over = counts({few[i].by}, line) && !goes_on(few[i]);
    count = 0;
    return !is_over;
  };
  const auto look = [&](const neighbour& n) {
    if (!is_objection(n.type)) return false; // those come first
    if (n.since.value <= since) return true;
    rows_.rows().prefetch_last_of(n.node);
    few[count++] = {n.node.value, n.since.value};
    return count < few.size() || look_at_few();
  };
  lineage_.neighbours(node, edge_direction::in, at_, false, std::ref(look)); // and no allocation
  if (!is_over) look_at_few();
}

bool lineage_reader::counts(node_no objector, const row_line& against) const {
  const row_no by = rows_.row_of(objector, at_);
  if (by.value == no_number) return false;
  const row_line& newer = rows_.rows().line(by);
  return (newer.flags & row_gone) == 0 && supersessions_.counts(newer, against);
}

std::optional<lineage_reader::objection> lineage_reader::erased_elsewhere(node_no node) const {
  if (elsewhere_ == nullptr || elsewhere_->memories.empty()) return std::nullopt;
  const auto known = elsewhere_->memories.find(nodes_.id(node));
  if (known == elsewhere_->memories.end() || known->second.value == 0 || known->second > at_)
    return std::nullopt;
  return objection{no_number, known->second.value + 1};
}

void lineage_reader::reach::add(node_no node) {
  constexpr std::size_t few = 16;
  nodes.push_back(node);
  if (nodes.size() == few)
    for (const node_no known : nodes) many.insert(known.value);
  else if (nodes.size() > few)
    many.insert(node.value);
}

bool lineage_reader::reach::knows(std::uint32_t node) const {
  if (node == start.value) return true;
  if (!many.empty()) return many.contains(node);
  return std::ranges::any_of(nodes, [&](node_no n) { return n.value == node; });
}

void lineage_reader::expand(reach& to, node_no node) const {
  const auto look = [&](const neighbour& n) {
    if (!is_support(n.type) || to.knows(n.node.value)) return true;
    to.truncated = to.nodes.size() == lineage_most;
    if (to.truncated) return false;
    to.add(n.node);
    return true;
  };
  lineage_.neighbours(node, edge_direction::out, at_, false, std::ref(look)); // and no allocation
}

lineage_reader::reach lineage_reader::reach_of(row_no row) const {
  reach found;
  found.row = row;
  found.start = rows_.node(row);
  if (!lineage_.has_edges_out(found.start)) return found;
  expand(found, found.start);
  for (std::size_t i = 0; i < found.nodes.size() && !found.truncated; ++i)
    expand(found, found.nodes[i]);
  return found;
}

lineage_standing lineage_reader::of(row_no row) const {
  return judge(reach_of(row));
}

lineage_standing lineage_reader::judge(const reach& from) const {
  lineage_standing found;
  if (rows_.ever_in_doubt(from.start)) found.distrust_e9 = rows_.facets(from.row).distrust_e9;
  found.truncated = from.truncated;
  for (const node_no support : from.nodes) {
    if (const auto lost = erased_elsewhere(support); lost && lost->since > stands_since(from.row))
      found.stale = true;
    if (!is_of_note(support)) continue;
    const row_no its_row = rows_.row_of(support, at_);
    if (its_row.value == no_number) continue;
    found.distrust_e9 = std::max(found.distrust_e9, rows_.facets(its_row).distrust_e9);
    if (found.stale) continue;
    for_each_objection(its_row, stands_since(from.row), [&](const objection& o) {
      found.stale = !from.knows(o.by);
      return !found.stale;
    });
  }
  return found;
}

namespace {

memory_standing told(const lineage_standing& found) {
  return {.trust = trust_of(found.distrust_e9), .stale = found.stale, .truncated = found.truncated};
}

} // namespace

memory_standing lineage_reader::standing_of(row_no row) const {
  return told(of(row));
}

std::vector<lineage_reader::reach> lineage_reader::reaches_of(std::span<const row_no> rows,
                                                              loop_watch& watch) const {
  std::vector<reach> reaches(rows.size());
  std::vector<std::size_t> expanded(rows.size(), 0);
  const auto expect_new = [&](const reach& r, std::size_t from) {
    for (std::size_t i = from; i < r.nodes.size(); ++i) {
      lineage_.expect_lists(r.nodes[i]);
      rows_.expect_doubts(r.nodes[i]);
    }
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    reach& r = reaches[i];
    r.row = rows[i];
    r.start = rows_.node(rows[i]);
    if (!lineage_.has_edges_out(r.start)) continue;
    rows_.expect_facets(r.row);
    expand(r, r.start);
    expect_new(r, 0);
  }
  // A step of all of them, then the next.
  for (bool has_more = true; has_more && !watch.is_over();) {
    has_more = false;
    for (std::size_t i = 0; i < reaches.size(); ++i)
      for (std::size_t n = expanded[i]; n < reaches[i].nodes.size() && !reaches[i].truncated; ++n)
        lineage_.expect_edges_out(reaches[i].nodes[n]);
    for (std::size_t i = 0; i < reaches.size(); ++i) {
      reach& r = reaches[i];
      const std::size_t end = r.nodes.size();
      for (std::size_t& n = expanded[i]; n < end && !r.truncated && watch.goes_on(); ++n)
        expand(r, r.nodes[n]);
      expect_new(r, end);
      has_more = has_more || (r.nodes.size() > end && !r.truncated);
    }
  }
  return reaches;
}

std::vector<memory_standing> lineage_reader::standings_of(std::span<const row_no> rows,
                                                          const goes_on_check& goes_on) const {
  loop_watch watch(goes_on);
  const std::vector<reach> reaches = reaches_of(rows, watch);
  std::vector<memory_standing> standings(rows.size());
  if (watch.is_over()) return standings;
  expect_supports(reaches);
  for (std::size_t i = 0; i < rows.size(); ++i) standings[i] = told(judge(reaches[i]));
  return standings;
}

void lineage_reader::expect_supports(std::span<const reach> of) const {
  constexpr std::size_t most = 256; // more would push one another out
  std::array<node_no, most> noted;
  std::size_t count = 0;
  for (const reach& r : of)
    for (const node_no support : r.nodes)
      if (count < most && is_of_note(support)) noted[count++] = support;
  const row_store& rows = rows_.rows();
  const std::span<const node_no> all = std::span(noted).first(count);
  for (const node_no node : all) {
    rows.prefetch_last_of(node);
    lineage_.expect_edges_in(node);
  }
  for (const node_no node : all) {
    const row_no row = rows.last_of(node);
    if (row.value == no_number) continue;
    rows.prefetch(row);
    rows_.expect_facets(row);
  }
}

namespace {

/// Calls `visit(node)` for whatever rests on `node` itself.
template <class Visit>
void for_each_resting(const graph& lineage, node_no node, seq_no at, const Visit& visit) {
  lineage.neighbours(node, edge_direction::in, at, false, [&](const neighbour& n) {
    if (is_support(n.type)) visit(n.node);
    return true;
  });
}

/// A memory, and all that rests on it, through any number of steps.
struct resting_nodes {
  std::vector<node_no> nodes;
  std::unordered_set<std::uint32_t> known; ///< looked up only, never iterated

  [[nodiscard]] std::size_t size() const { return nodes.size(); }
  [[nodiscard]] bool has(node_no node) const { return known.contains(node.value); }
  void add(node_no node) {
    if (known.insert(node.value).second) nodes.push_back(node);
  }
};

/// A part, where the watch is over.
resting_nodes resting_on(const graph& lineage, node_no node, seq_no at, loop_watch& watch) {
  resting_nodes found;
  found.add(node);
  for (std::size_t i = 0; i < found.nodes.size() && !watch.is_over(); ++i)
    for_each_resting(lineage, found.nodes[i], at, [&](node_no by) {
      if (watch.goes_on()) found.add(by);
    });
  return found;
}

} // namespace

std::vector<node_no> lineage_reader::stale_because_of(node_no fallen,
                                                      const goes_on_check& goes_on) const {
  std::vector<node_no> stale;
  if (fallen.value == no_number) return stale;
  std::vector<objection> objections;
  if (const row_no row = rows_.row_of(fallen, at_); row.value != no_number)
    for_each_objection(row, 0, [&](const objection& o) {
      objections.push_back(o);
      return true;
    });
  else if (const auto lost = erased_elsewhere(fallen))
    objections.push_back(*lost);
  // The newest first: most are shaken by it.
  std::ranges::sort(objections, std::ranges::greater(), &objection::since);
  if (objections.empty()) return stale;
  loop_watch watch(goes_on);
  const auto resting = resting_on(lineage_, fallen, at_, watch);
  std::vector<bool> is_shaken(resting.size(), false);
  for (const objection& o : objections) {
    // What a memory rests on, or is itself, took the old one in, and does not shake it.
    const auto theirs =
        o.by == no_number ? resting_nodes{} : resting_on(lineage_, {o.by}, at_, watch);
    for (std::size_t i = 0; i < resting.size() && watch.goes_on(); ++i) {
      const row_no its_row = rows_.row_of(resting.nodes[i], at_);
      if (is_shaken[i] || its_row.value == no_number) continue;
      is_shaken[i] = o.since > stands_since(its_row) && !theirs.has(resting.nodes[i]);
    }
  }
  for (std::size_t i = 0; i < resting.size() && watch.goes_on(); ++i) {
    const node_no node = resting.nodes[i];
    if (!is_shaken[i] || node == fallen) continue;
    if ((rows_.rows().line(rows_.row_of(node, at_)).flags & row_gone) == 0) stale.push_back(node);
  }
  return stale;
}

known_distrust::known_distrust(const read_views& views, seq_no at, const goes_on_check& goes_on) {
  const attributes& rows = *views.attributes;
  struct told {
    std::uint32_t e9;
    std::uint32_t node;
  };
  std::vector<told> all;
  loop_watch watch(goes_on);
  rows.distrusted()->for_each([&](row_no row) {
    if (rows.alive(row, at)) all.push_back({rows.facets(row).distrust_e9, rows.node(row).value});
    return watch.goes_on();
  });
  // Whoever is told first of a memory trusts it least.
  std::ranges::sort(all, std::ranges::greater(), &told::e9);
  std::vector<node_no> reached;
  const auto add = [&](node_no node, std::uint32_t e9) {
    if (node.value >= by_node_.size())
      by_node_.resize(std::max<std::size_t>(node.value + 1, 2 * by_node_.size()));
    if (by_node_[node.value] != 0) return;
    by_node_[node.value] = e9;
    reached.push_back(node);
  };
  for (const told& one : all) {
    reached.clear();
    add({one.node}, one.e9);
    for (std::size_t i = 0; i < reached.size() && !watch.is_over(); ++i)
      for_each_resting(*views.lineage, reached[i], at, [&](node_no by) {
        if (watch.goes_on()) add(by, one.e9);
      });
  }
}

distrusted_memories::distrusted_memories(const read_views& views, seq_no at, double min_trust,
                                         const goes_on_check& goes_on) {
  const attributes& rows = *views.attributes;
  const std::uint32_t too_much = distrust_above(min_trust);
  loop_watch watch(goes_on);
  rows.distrusted()->for_each([&](row_no row) {
    if (rows.facets(row).distrust_e9 >= too_much && rows.alive(row, at)) add(rows.node(row).value);
    return watch.goes_on();
  });
  for (std::size_t i = 0; i < nodes_.size() && !watch.is_over(); ++i)
    for_each_resting(*views.lineage, {nodes_[i]}, at, [&](node_no by) {
      if (watch.goes_on()) add(by.value);
    });
}

void distrusted_memories::add(std::uint32_t node) {
  if (node >= member_.size()) member_.resize(std::max<std::size_t>(node + 1, 2 * member_.size()));
  if (member_[node]) return;
  member_[node] = true;
  nodes_.push_back(node);
}

} // namespace mneme
