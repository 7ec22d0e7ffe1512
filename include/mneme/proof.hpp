#pragma once
/// Roots over all state, proofs against them, and the verifier (library mneme_verifier: no storage,
/// no actors). Encodings: docs/FORMATS.md.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"

namespace mneme {

/// The state trees, in ascending order of their names; the order of the roots in OverallRoot.
enum class state_namespace : std::uint8_t { edges = 0, fields = 1, memories = 2 };
inline constexpr std::size_t state_namespace_count = 3;
std::string_view to_string(state_namespace ns) noexcept;
std::optional<state_namespace> parse_state_namespace(std::string_view name) noexcept;

using state_root_array = std::array<digest, state_namespace_count>;

/// Everything that the OverallRoot at one seq binds, and the root itself.
struct root_set {
  seq_no seq;
  world_id world;
  digest journal_root;
  state_root_array state_roots{};
  digest overall;

  friend bool operator==(const root_set&, const root_set&) = default;
};

/// What a snapshot pins: the roots of the state before its own entry.
struct manifest {
  seq_no seq;
  digest journal_root;
  state_root_array state_roots{};
  digest overall_root;
  timestamp created_at;
  std::string trigger; ///< the reason given
  std::map<std::string, std::uint64_t, std::less<>> counters;

  friend bool operator==(const manifest&, const manifest&) = default;
};

/// A leaf of a state tree.
struct tree_leaf {
  digest path;
  digest value_hash;

  friend bool operator==(const tree_leaf&, const tree_leaf&) = default;
};

/// Membership: value_hash is set. Absence: the path ends in an empty subtree (other is nullopt) or
/// in another leaf that shares at least siblings.size() leading bits.
struct tree_proof {
  digest path;
  std::optional<digest> value_hash;
  std::optional<tree_leaf> other;
  std::vector<digest> siblings; ///< leaf upward; zero = empty subtree

  friend bool operator==(const tree_proof&, const tree_proof&) = default;
};

/// A key of a state tree, present or absent.
struct state_proof {
  state_namespace ns{};
  std::string key; ///< raw key bytes; the path is recomputed from them
  tree_proof proof;
};
/// A journal entry: its header is a leaf of the log of roots.seq entries.
struct entry_proof {
  seq_no seq;
  std::string header; ///< canonical header bytes
  std::vector<digest> siblings;
};
struct proof_bundle {
  root_set roots;
  std::vector<state_proof> states;
  std::vector<entry_proof> entries;
};

/// Everything: the roots hash to roots.overall, every proof verifies under them. The error names
/// the first thing that is wrong (proof_mismatch, at = proofs[i]).
result<void> verify(const proof_bundle& bundle);

} // namespace mneme
