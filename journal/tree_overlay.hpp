#pragma once
/// A set of changes seen through a state tree: computes the hashes of the nodes that the changes
/// reach, each once, without touching the tree. Views keep it to answer questions; a change that is
/// to be made is worked out here first, so that a failing leaf source changes nothing.

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "journal/state_tree.hpp"
#include "journal/tree_nodes.hpp"
#include "messages/ensure.hpp"

namespace mneme {

/// Leaves below `prefix` (zero behind `depth` bits); corrupt unless in path order, within the
/// subtree and without zero values.
result<std::vector<tree_leaf>> read_subtree(const tree_leaf_source& source, const digest& prefix,
                                            std::size_t depth);

class tree_overlay {
public:
  enum class purpose : std::uint8_t { view, change };

  /// Borrows arena and source. The last change of a path wins.
  tree_overlay(const node_arena& nodes, node_index root, const tree_leaf_source& source,
               std::span<const tree_leaf> changes, purpose use);

  /// The whole tree under the changes.
  result<subtree> root();
  result<tree_proof> prove(const digest& path);

  /// After root() for a change: the values before, in path order.
  [[nodiscard]] const std::vector<tree_leaf>& before() const {
    ensure(use_ == purpose::change, "only a change notes what was before");
    return before_;
  }

  /// What a node becomes; `leaves` only for a bucket that is over-full and has to split.
  struct changed_node {
    subtree whole;
    std::vector<tree_leaf> leaves;
  };
  /// Null if the changes leave the node as it is. After root().
  [[nodiscard]] const changed_node* changed(node_index node) const;

private:
  /// A node, the bits that lead to it, and the changes below it.
  struct place {
    node_index node;
    std::size_t depth;
    digest prefix; ///< zero behind `depth` bits
    std::span<const tree_leaf> changes;
  };
  struct fork {
    place left;
    place right;
  };
  [[nodiscard]] place top() const;
  [[nodiscard]] fork children(const place& at) const;

  result<subtree> evaluate(const place& at);
  result<changed_node> evaluate_bucket(const place& at);
  /// A bucket's leaves as the store has them, and with the changes.
  struct bucket_content {
    std::vector<tree_leaf> stored;
    std::vector<tree_leaf> merged;
  };
  result<bucket_content> read_bucket(const place& at) const;
  /// The leaf of a subtree that has exactly one.
  result<tree_leaf> lone_leaf(place at);

  const node_arena& nodes_;
  node_index root_;
  const tree_leaf_source& source_;
  std::vector<tree_leaf> changes_;
  purpose use_;
  std::vector<tree_leaf> before_;
  std::unordered_map<node_index, changed_node> changed_; // looked up only, never iterated
};

} // namespace mneme
