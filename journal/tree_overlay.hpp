#pragma once
/// A set of changes seen through a state tree: computes the hashes of the nodes that the changes
/// reach, each once, without touching the tree. Views keep it to answer questions; a change that is
/// to be made is worked out here first, so that a failing leaf source changes nothing.
///
/// What the nodes become is found first, and which hashes that takes; these are computed together,
/// those of a change also with those of other trees.

#include <optional>
#include <span>
#include <vector>

#include "journal/bucket_reader.hpp"
#include "journal/hash_rounds.hpp"
#include "journal/leaf_bucket.hpp"
#include "journal/state_tree.hpp"
#include "journal/tree_nodes.hpp"
#include "messages/ensure.hpp"

namespace mneme {

class tree_overlay {
public:
  enum class purpose : std::uint8_t { view, change };

  /// Borrows arena and reader's parts.
  tree_overlay(const node_arena& nodes, node_index root, const bucket_reader& reader);
  tree_overlay(const tree_overlay&) = delete;
  tree_overlay& operator=(const tree_overlay&) = delete;

  /// Forgets the changes before, but not the room that they took. The last change of a path wins.
  void look_at(std::span<const tree_leaf> changes);
  /// The whole tree under the changes that are looked at.
  result<subtree> root();
  result<tree_proof> prove(const digest& path);

  /// Works out changes that are to be made, likewise. Its hashes are those that it notes in
  /// `hashes`, when these have run.
  result<void> work_out(std::span<const tree_leaf> changes, hash_rounds& hashes);
  /// The values before, in path order.
  [[nodiscard]] const std::vector<tree_leaf>& before() const {
    ensure(use_ == purpose::change, "only a change notes what was before");
    return before_;
  }

  /// A node that changes lead to.
  struct reached {
    node_index node = no_node;
    std::uint32_t depth = 0;
    std::uint32_t end = 0; ///< of what was reached below it
    bool same = false;     ///< nothing below it differs from what is there
    std::uint32_t count = 0;
    hash_rounds::slot hash = 0;
    bucket_plan::bucket bucket;     ///< of a bucket
    std::uint32_t split = no_split; ///< of a bucket that has to
  };
  static constexpr std::uint32_t no_split = UINT32_MAX;
  /// What was reached, each before what is below it, from left to right.
  [[nodiscard]] std::span<const reached> all() const { return reached_; }
  [[nodiscard]] subtree whole(const reached& at) const { return {(*hashes_)[at.hash], at.count}; }
  /// Makes of what a bucket was what it becomes.
  void edit(const reached& at, leaf_bucket& was) { plan_.edit(at.bucket, was); }
  /// The leaves of a bucket that has to split.
  [[nodiscard]] const std::vector<tree_leaf>& split_leaves(const reached& at) const {
    ensure(at.split < splits_.size(), "a bucket has to split");
    return splits_[at.split];
  }

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
  /// What a node becomes, for the one above it.
  struct part {
    hash_rounds::slot hash;
    std::uint32_t count;
    bool same;
  };
  [[nodiscard]] place top() const;
  [[nodiscard]] fork children(const place& at) const;

  void begin(std::span<const tree_leaf> changes, purpose use, hash_rounds& hashes);
  result<void> reach_all();
  result<part> evaluate(node_index index, std::size_t depth, std::span<const tree_leaf> changes);
  result<part> evaluate_bucket(reached& here, std::span<const tree_leaf> changes);
  [[nodiscard]] part join(const subtree& was, const part& left, const part& right);

  /// After root(). Null if no change leads to it.
  [[nodiscard]] const reached* find(const place& at) const;
  [[nodiscard]] subtree whole(const place& at) const;
  /// A bucket's leaves with the changes.
  result<std::vector<tree_leaf>> leaves_of(const place& at);
  /// The leaf of a subtree that has exactly one.
  result<tree_leaf> lone_leaf(place at);

  const node_arena& nodes_;
  node_index root_;
  bucket_reader reader_;
  std::vector<tree_leaf> changes_;
  purpose use_ = purpose::view;
  bool worked_out_ = false;
  hash_rounds own_;
  hash_rounds* hashes_ = &own_;
  bucket_plan plan_{own_};
  std::vector<reached> reached_;
  std::vector<std::vector<tree_leaf>> splits_;
  std::vector<tree_leaf> before_;
};

} // namespace mneme
