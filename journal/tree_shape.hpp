#pragma once
/// The shape of the compact sparse Merkle tree, apart from its hashes. A subtree without leaves is
/// `Rule::empty()`, one with a single leaf is that leaf's hash wherever it stands, and only two or
/// more leaves make a node; so the tree is a function of its contents. `Rule` gives leaf, node and
/// empty hashes: the engine uses state_tree_rule, the tests also run other systems' rules.
///
/// Recursion goes one level per bit of a path, so it is at most 256 deep.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "journal/hash_rules.hpp"
#include "messages/ensure.hpp"
#include "mneme/proof.hpp"

namespace mneme {

inline constexpr std::size_t path_bits = 256;

/// Bit `depth` of `path`, the most significant first.
inline bool path_bit(const digest& path, std::size_t depth) {
  return ((static_cast<unsigned>(path.bytes[depth / 8]) >> (7 - depth % 8)) & 1U) != 0;
}

inline digest with_path_bit(digest path, std::size_t depth) {
  path.bytes[depth / 8] |= static_cast<std::uint8_t>(1U << (7 - depth % 8));
  return path;
}

/// Number of leading bits that two paths share.
inline std::size_t shared_path_bits(const digest& a, const digest& b) {
  for (std::size_t i = 0; i < a.bytes.size(); ++i)
    if (const auto differing = static_cast<std::uint8_t>(a.bytes[i] ^ b.bytes[i]); differing != 0)
      return i * 8 + static_cast<std::size_t>(std::countl_zero(differing));
  return path_bits;
}

/// What a subtree is to the node above it.
struct subtree {
  digest hash;
  std::uint32_t count = 0; ///< leaves in it

  friend bool operator==(const subtree&, const subtree&) = default;
};

/// Leaves in path order, on either side of the bit at `depth`.
struct leaf_halves {
  std::span<const tree_leaf> left;
  std::span<const tree_leaf> right;
};
inline leaf_halves halves(std::span<const tree_leaf> sorted, std::size_t depth) {
  ensure(depth < path_bits, "no two leaves have one path");
  ensure(sorted.size() < 2 || shared_path_bits(sorted.front().path, sorted.back().path) >= depth,
         "leaves below a node share the bits that lead to it");
  const auto middle = std::ranges::partition_point(
      sorted, [&](const tree_leaf& leaf) { return !path_bit(leaf.path, depth); });
  const auto count = static_cast<std::size_t>(middle - sorted.begin());
  return {sorted.first(count), sorted.subspan(count)};
}

template <class Rule>
struct tree_shape {
  static subtree join(const subtree& left, const subtree& right) {
    if (left.count + right.count > 1)
      return {Rule::node(left.hash, right.hash), left.count + right.count};
    return left.count == 1 ? left : right;
  }

  /// The subtree at `depth` over exactly these leaves (in path order, sharing `depth` bits).
  static subtree of(std::span<const tree_leaf> sorted, std::size_t depth) {
    if (sorted.empty()) return {Rule::empty(), 0};
    if (sorted.size() == 1) return {Rule::leaf(sorted.front()), 1};
    const auto [left, right] = halves(sorted, depth);
    return join(of(left, depth + 1), of(right, depth + 1));
  }

  /// Walks from `depth` to where `path` ends among `sorted` (none or one leaf, which is returned)
  /// and appends the subtree beside each step, downward.
  static std::span<const tree_leaf> descend(std::span<const tree_leaf> sorted, std::size_t depth,
                                            const digest& path, std::vector<subtree>& beside) {
    while (sorted.size() > 1) {
      const auto [left, right] = halves(sorted, depth);
      const bool to_right = path_bit(path, depth);
      beside.push_back(of(to_right ? left : right, depth + 1));
      sorted = to_right ? right : left;
      ++depth;
    }
    return sorted;
  }

  /// Root over `hash` at depth siblings.size() of `path`; siblings from there upward.
  static digest fold(digest hash, const digest& path, std::span<const digest> siblings) {
    ensure(siblings.size() <= path_bits, "a path has no more siblings than bits");
    std::size_t depth = siblings.size();
    for (const auto& sibling : siblings) {
      --depth;
      hash = path_bit(path, depth) ? Rule::node(sibling, hash) : Rule::node(hash, sibling);
    }
    return hash;
  }
};

struct state_tree_rule {
  static digest leaf(const tree_leaf& l) { return tree_leaf_hash(l); }
  static digest node(const digest& left, const digest& right) {
    return tree_node_hash(left, right);
  }
  static digest empty() { return {}; }
};
using state_tree_shape = tree_shape<state_tree_rule>;

} // namespace mneme
