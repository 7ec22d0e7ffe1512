#pragma once
/// One compact binary sparse Merkle tree (one per namespace): 256-bit paths, single-leaf subtrees
/// collapsed; leaf = H(0x00 ‖ path ‖ value_hash), node = H(0x01 ‖ l ‖ r), empty = 32 zero bytes.
/// The root is a function of the contents only.
///
/// The leaves live in the store's state_leaves table; in memory are only the nodes above subtrees
/// of at most 32 leaves ("buckets"), with hysteresis: a bucket splits above 32, nodes collapse
/// below 16. A bucket's hash is recomputed from one short ordered scan of its leaves. Single owner;
/// not thread-safe.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/proof.hpp"

namespace mneme {

digest tree_leaf_hash(const tree_leaf& leaf);
digest tree_node_hash(const digest& left, const digest& right);
/// Root of exactly these leaves (any order, distinct paths): the reference for tests and images.
digest tree_root_of(std::vector<tree_leaf> leaves);

/// Leaves with first <= path <= last in path order, as the store has them. The store may already
/// hold the rows of the batch being applied: merging is idempotent.
using tree_leaf_source =
    std::function<result<std::vector<tree_leaf>>(const digest& first, const digest& last)>;

class state_tree {
public:
  explicit state_tree(tree_leaf_source leaves);
  ~state_tree();
  state_tree(state_tree&&) noexcept;
  state_tree& operator=(state_tree&&) noexcept;

  /// Applies changes (a zero value_hash deletes); the last change of a path wins. Returns the value
  /// hash that each distinct path had before (zero = absent), in path order, for undo. On error the
  /// tree is unchanged.
  result<std::vector<tree_leaf>> apply(std::span<const tree_leaf> changes);
  [[nodiscard]] digest root() const;
  [[nodiscard]] std::uint64_t leaf_count() const;

  /// The root this tree would have with `changes` applied; changes nothing. Used to look at an
  /// earlier state through its undo list.
  result<digest> root_with(std::span<const tree_leaf> changes) const;
  /// Proof of membership or absence of `path` with `changes` (see root_with) applied.
  result<tree_proof> prove(const digest& path, std::span<const tree_leaf> changes = {}) const;

  /// Rebuilds the nodes by one scan of all leaves.
  result<void> rebuild();
  [[nodiscard]] std::string save() const;
  result<void> load(std::string_view image);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
