#pragma once
/// read_views::lineage: what a memory rests on, and what speaks against one. Of each memory its own
/// edges out:
///
///   derived_from   as the edge of that type says
///   references     its content names the other one as what it rests on
///   supersedes     as the edge says
///   contradicts    as the edge says
///   tombstones     its content replaces the other one (a Decision)
///   part_of        its tombstone names the other one as what took its place

#include "mneme/types.hpp"

namespace mneme {

inline constexpr edge_type content_rests_on = edge_type::references;
inline constexpr edge_type content_replaces = edge_type::tombstones;
inline constexpr edge_type tombstoned_for = edge_type::part_of;

/// Does a memory rest on what such an edge of the lineage leads to?
constexpr bool is_support(edge_type type) {
  return type == edge_type::derived_from || type == content_rests_on;
}
/// Does such an edge of the lineage speak against what it leads to?
constexpr bool is_objection(edge_type type) {
  return type == edge_type::supersedes || type == edge_type::contradicts
         || type == content_replaces;
}

} // namespace mneme
