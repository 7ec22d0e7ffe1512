#pragma once
/// read_views::lineage: what a memory rests on, and what speaks against one. Each memory has its
/// own edges out. They are kept under bytes of their own in place of the types of edges, in an
/// order in which what speaks against a memory comes before the many that may rest on it. Edges
/// that do not count (supersession.hpp), since they are said of somebody else's memory, are mostly
/// left out: images of before have them, and those whose ends were not known yet stay.

#include <optional>

#include "index/graph/graph.hpp"
#include "mneme/types.hpp"

namespace mneme {

enum class lineage_kind : std::uint8_t {
  supersedes = 1, ///< an edge of that type
  contradicts,    ///< likewise
  replaces,       ///< the content of a Decision says so
  derived_from,   ///< an edge of that type
  names,          ///< the content names the other one as what it rests on
  gives_way,      ///< the tombstone names the other one as what took its place
};

/// As the graph keeps it.
constexpr edge_type in_lineage(lineage_kind kind) {
  return static_cast<edge_type>(kind);
}
/// What an edge of this type is in the lineage; nullopt where it is none of it.
constexpr std::optional<edge_type> in_lineage(edge_type type) {
  if (type == edge_type::supersedes) return in_lineage(lineage_kind::supersedes);
  if (type == edge_type::contradicts) return in_lineage(lineage_kind::contradicts);
  if (type == edge_type::derived_from) return in_lineage(lineage_kind::derived_from);
  return std::nullopt;
}

/// Does an edge of the lineage speak against what it leads to? All that do come first.
constexpr bool is_objection(edge_type kept) {
  return kept <= in_lineage(lineage_kind::replaces);
}
static_assert(in_lineage(lineage_kind::supersedes) == edge_type{1});
/// Does a memory rest on what an edge of the lineage leads to?
constexpr bool is_support(edge_type kept) {
  return kept == in_lineage(lineage_kind::derived_from) || kept == in_lineage(lineage_kind::names);
}

/// False where nothing ever spoke against `node`, whoever made it.
inline bool was_objected_to(const graph& lineage, node_no node) {
  return lineage.ever_led_to_up_to(node, in_lineage(lineage_kind::replaces));
}

} // namespace mneme
