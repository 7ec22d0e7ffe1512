#pragma once
/// What two branches of a world, or two moments of one, have differently: memories, fields, edges
/// and saliences. Read from the journals behind the last entry that both have, so that it costs
/// what the difference is large, however large the worlds are.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mneme/recovery.hpp"
#include "mneme/topics.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// As of `at_seq`, or of what was committed at or before the time `at`; absent: the last entry.
struct diff_side {
  std::string directory;
  std::optional<seq_no> at_seq{};
  std::optional<timestamp> at{};
};

/// A memory as one side has it. What neither entries nor what is common says is left out.
struct memory_side {
  std::uint32_t version = 0;
  std::optional<bool> tombstoned;
  bool erased = false;              ///< there, and nothing is left of what it said
  std::string text;                 ///< short form of a version that was written since; else empty
  std::string by;                   ///< who changed it last since the common entry
  std::vector<std::string> changes; ///< kinds of the entries since; empty: as of the common entry

  friend bool operator==(const memory_side&, const memory_side&) = default;
};
struct memory_difference {
  memory_id id;
  memory_type type{};
  std::string actor;               ///< whose it is
  std::optional<memory_side> a, b; ///< absent: not there
};

struct field_side {
  std::uint32_t revisions = 0;
  std::optional<json_value> value; ///< of a revision that was written since
};
struct field_difference {
  memory_id topic;
  std::string name;
  std::optional<field_side> a, b; ///< absent: not there
};

/// An edge that ended is there no more.
struct edge_side {
  std::optional<bool> is_there;
  std::optional<float> weight; ///< of one that was added since
};
struct edge_difference {
  edge_key key;
  edge_side a, b;
};

/// What reinforcement changed: in no root. In units of 1e-9.
struct salience_difference {
  memory_id id;
  bool is_strength = false; ///< of a coloured memory; else the salience of a topic
  std::optional<std::int64_t> a, b;
};
/// How often a memory was found or cited since.
struct use_difference {
  memory_id id;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

using difference = std::variant<memory_difference, field_difference, edge_difference,
                                salience_difference, use_difference>;

struct diff_totals {
  seq_no at;                  ///< the side's last entry
  std::optional<digest> root; ///< that its journal records as of that
  std::uint64_t entries = 0;  ///< behind the common one
  std::uint64_t erased = 0;   ///< of these, whose content is gone, so that they are not told of
  /// By who made them, then by kind.
  std::map<std::string, std::map<std::string, std::uint64_t>> by_actor;
};
struct diff_report {
  seq_no common; ///< the last entry that both have
  diff_totals a, b;
  std::uint64_t only_a = 0; ///< memories
  std::uint64_t only_b = 0;
  std::uint64_t changed = 0;
  /// Every state leaf that the entries name is that of what is told, and the other way round.
  bool leaves_agree = false;
  /// Whether the leaves of all entries fold to the recorded roots; absent: not asked for, or a root
  /// is not recorded.
  std::optional<bool> roots_agree;
};

struct diff_options {
  bool fold_roots = false; ///< costs what both journals are long
};

/// What a memory is found by, its vector and words, is not told of: it follows from the rest.
///
/// Visits every difference: memories by id, fields, edges by key, saliences, uses; stops when the
/// visitor returns false. Both worlds may be open. bad_value where they are no branches of one
/// world; seq_unavailable behind the end of one; corrupt where an entry is not what its header
/// says.
result<diff_report> diff_worlds(const diff_side& a, const diff_side& b, const diff_options& options,
                                const std::function<bool(const difference&)>& visit);

} // namespace mneme
