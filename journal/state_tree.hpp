#pragma once
/// One compact binary sparse Merkle tree (one per namespace): 256-bit paths, single-leaf subtrees
/// collapsed; leaf = H(0x00 ‖ path ‖ value_hash), node = H(0x01 ‖ l ‖ r), empty = 32 zero bytes.
/// The root is a function of the contents only.
///
/// The leaves live in a source (leaf_table.hpp in a world); in memory are the nodes above subtrees
/// of at most 32 leaves ("buckets"), with hysteresis: a bucket splits above 32, nodes collapse
/// below 16. A bucket that was touched is read from the source by one short ordered scan and then
/// kept, with the hashes inside it, in a bounded cache. Single owner; not thread-safe.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/hash_rules.hpp"
#include "mneme/proof.hpp"

namespace mneme {

/// Root of exactly these leaves (any order, distinct paths): the reference for tests and images.
digest tree_root_of(std::vector<tree_leaf> leaves);

/// Leaves with first <= path <= last in path order: every change applied to the tree so far, and no
/// other. Those that do not hash to what the tree says are refused as corrupt.
using tree_leaf_source =
    std::function<result<std::vector<tree_leaf>>(const digest& first, const digest& last)>;

class hash_rounds;
class leaf_cache;
class tree_overlay;

/// The tree as it would be with some changes. Valid until the tree changes or moves; answers
/// several questions at the cost of one.
class tree_view {
public:
  explicit tree_view(std::unique_ptr<tree_overlay> overlay);
  ~tree_view();
  tree_view(tree_view&&) noexcept;
  tree_view& operator=(tree_view&&) noexcept;

  result<digest> root();
  /// Proof of membership or absence of `path`.
  result<tree_proof> prove(const digest& path);

private:
  std::unique_ptr<tree_overlay> overlay_;
};

/// A change that was worked out but not made. Valid until the tree changes or moves.
class tree_change {
public:
  explicit tree_change(std::unique_ptr<tree_overlay> overlay);
  ~tree_change();
  tree_change(tree_change&&) noexcept;
  tree_change& operator=(tree_change&&) noexcept;

  /// The value hash that each distinct path has now (zero = absent), in path order.
  [[nodiscard]] const std::vector<tree_leaf>& before() const;

private:
  friend class state_tree;
  std::unique_ptr<tree_overlay> overlay_;
};

/// The nodes of a tree as they were, whatever became of it; from any thread.
class frozen_tree {
public:
  /// As state_tree::save().
  [[nodiscard]] std::string save() const;

private:
  friend class state_tree;
  struct impl;
  explicit frozen_tree(std::shared_ptr<const impl> tree);

  std::shared_ptr<const impl> impl_;
};

class state_tree {
public:
  /// Trees may keep their leaves in one cache.
  state_tree(tree_leaf_source leaves, std::shared_ptr<leaf_cache> kept);
  ~state_tree();
  state_tree(state_tree&&) noexcept;
  state_tree& operator=(state_tree&&) noexcept;

  /// Applies changes (a zero value_hash deletes); the last change of a path wins. Returns the value
  /// hash that each distinct path had before (zero = absent), in path order, for undo. On error the
  /// tree is unchanged.
  result<std::vector<tree_leaf>> apply(std::span<const tree_leaf> changes);
  /// apply() in two steps, so that several trees change together or not at all: everything that can
  /// fail, and making the change. No other change may fall between them, but `hashes` have to run.
  result<tree_change> prepare(std::span<const tree_leaf> changes, hash_rounds& hashes) const;
  void commit(tree_change change);

  [[nodiscard]] digest root() const;
  [[nodiscard]] std::uint64_t leaf_count() const;

  /// The tree with `changes` applied; changes nothing. Used to look at an earlier state through its
  /// undo list.
  [[nodiscard]] tree_view with(std::span<const tree_leaf> changes) const;
  result<digest> root_with(std::span<const tree_leaf> changes) const;
  result<tree_proof> prove(const digest& path, std::span<const tree_leaf> changes = {}) const;

  /// Rebuilds the nodes by one scan of all leaves.
  result<void> rebuild();
  /// Image of the nodes in memory; load() replaces them (corrupt for a malformed image, which
  /// leaves the tree unchanged). Whether the image belongs to the leaves is for the caller to know.
  [[nodiscard]] std::string save() const;
  result<void> load(std::string_view image);
  /// To be saved later and elsewhere; takes microseconds. For the owner, though const: nodes that
  /// are shared are copied when they change.
  [[nodiscard]] frozen_tree freeze() const;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
