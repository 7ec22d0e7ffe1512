#pragma once
/// The nodes of a state tree that are kept in memory: interior nodes, and "buckets" that stand for
/// a whole subtree of few leaves. Indices stay valid until released.
///
/// Nodes lie in pages, which a frozen copy shares. Freezing costs what the list of pages does;
/// behind it the owner copies each page once, when it first changes a node of it.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
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
  leaf_page page{}; ///< of a bucket: where its leaves are kept, if they are

  [[nodiscard]] bool is_bucket() const { return left == no_node; }
};

inline constexpr std::uint32_t nodes_per_page = 256;
using node_page = std::array<tree_node, nodes_per_page>;

/// Nodes as they were when they were frozen; may be read by any thread.
class frozen_nodes {
public:
  explicit frozen_nodes(std::vector<std::shared_ptr<const node_page>> pages)
      : pages_(std::move(pages)) {
    ensure(!pages_.empty(), "a tree has a root");
  }

  const tree_node& operator[](node_index index) const {
    return (*pages_[index / nodes_per_page])[index % nodes_per_page];
  }

private:
  std::vector<std::shared_ptr<const node_page>> pages_;
};

class node_arena {
public:
  /// About so many will be added.
  void reserve(std::size_t count) { pages_.reserve(count / nodes_per_page + 1); }
  /// A new bucket.
  node_index add(const subtree& whole) {
    if (!free_.empty()) {
      const node_index index = free_.back();
      free_.pop_back();
      tree_node& node = change(index);
      ensure(node.is_bucket(), "what was released has let go of its children");
      node = {.whole = whole};
      return index;
    }
    ensure(size_ < no_node, "the tree is full");
    if (size_ % nodes_per_page == 0) pages_.push_back({.nodes = std::make_shared<node_page>()});
    change(size_).whole = whole;
    return size_++;
  }

  /// Makes `index` a bucket again; everything below it is released, and what was kept of it
  /// dropped.
  void collapse(node_index index, leaf_cache& kept) {
    if ((*this)[index].is_bucket()) return;
    tree_node& node = change(index);
    for (const node_index child : {node.left, node.right}) {
      collapse(child, kept);
      kept.drop((*this)[child].page);
      free_.push_back(child);
    }
    node.left = node.right = no_node;
  }

  /// Good until a node is changed.
  const tree_node& operator[](node_index index) const {
    return (*pages_[index / nodes_per_page].nodes)[index % nodes_per_page];
  }
  /// To be changed; good until nodes are frozen.
  tree_node& change(node_index index) {
    page& of = pages_[index / nodes_per_page];
    if (of.is_frozen) of = {.nodes = std::make_shared<node_page>(*of.nodes)};
    return (*of.nodes)[index % nodes_per_page];
  }

  /// The nodes as they are, whatever becomes of these.
  frozen_nodes freeze() {
    std::vector<std::shared_ptr<const node_page>> shared;
    shared.reserve(pages_.size());
    for (page& p : pages_) {
      p.is_frozen = true;
      shared.push_back(p.nodes);
    }
    return frozen_nodes(std::move(shared));
  }

private:
  struct page {
    std::shared_ptr<node_page> nodes;
    bool is_frozen = false; ///< somebody else may still read it
  };

  std::vector<page> pages_;
  node_index size_ = 0;
  std::vector<node_index> free_;
};

} // namespace mneme
