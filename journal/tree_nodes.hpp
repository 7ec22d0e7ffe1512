#pragma once
/// The nodes of a state tree that are kept in memory: interior nodes, and "buckets" that stand for
/// a whole subtree of few leaves. Indices stay valid until released.

#include <cstdint>
#include <vector>

#include "journal/leaf_cache.hpp"
#include "journal/tree_shape.hpp"
#include "messages/ensure.hpp"

namespace mneme {

using node_index = std::uint32_t;
inline constexpr node_index no_node = UINT32_MAX;

/// A bucket splits above the first and interior nodes collapse below the second: the gap keeps a
/// subtree at the border from being rebuilt again and again. No root depends on either.
inline constexpr std::uint32_t bucket_leaves_max = 32;
inline constexpr std::uint32_t interior_leaves_min = 16;

struct tree_node {
  subtree whole;
  node_index left = no_node; ///< no_node: a bucket
  node_index right = no_node;
  leaf_page page; ///< of a bucket: where its leaves are kept, if they are

  [[nodiscard]] bool is_bucket() const { return left == no_node; }
};

class node_arena {
public:
  /// About so many will be added.
  void reserve(std::size_t count) { nodes_.reserve(count); }
  /// A new bucket.
  node_index add(const subtree& whole) {
    if (free_.empty()) {
      ensure(nodes_.size() < no_node, "the tree is full");
      nodes_.push_back({whole, no_node, no_node, {}});
      return static_cast<node_index>(nodes_.size() - 1);
    }
    const node_index index = free_.back();
    free_.pop_back();
    ensure(nodes_[index].is_bucket(), "what was released has let go of its children");
    nodes_[index] = {whole, no_node, no_node, {}};
    return index;
  }

  /// Makes `index` a bucket again; everything below it is released, and what was kept of it
  /// dropped.
  void collapse(node_index index, leaf_cache& kept) {
    tree_node& node = nodes_[index];
    if (node.is_bucket()) return;
    for (const node_index child : {node.left, node.right}) {
      collapse(child, kept);
      kept.drop(nodes_[child].page);
      free_.push_back(child);
    }
    node.left = node.right = no_node;
  }

  tree_node& operator[](node_index index) { return nodes_[index]; }
  const tree_node& operator[](node_index index) const { return nodes_[index]; }

private:
  std::vector<tree_node> nodes_;
  std::vector<node_index> free_;
};

} // namespace mneme
