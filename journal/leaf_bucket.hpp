#pragma once
/// The leaves of one bucket with the hashes of the subtrees inside it, so that a change of a leaf
/// hashes its own way up and nothing beside it.
///
/// Leaves lie in path order, and two neighbours part at the first bit in which they differ. Every
/// subtree of two or more leaves has one such fork that is nearer to the root than its others, so
/// its hash is kept with that one:
///
///     leaf   path    fork behind it
///        0   0001    at bit 2: leaves 0, 1, 2
///        1   0010    at bit 3: leaves 1, 2
///        2   0011    at bit 0: leaves 0, 1, 2, 3
///        3   1100
///
/// It is the hash as the fork above takes it (at bit 1 for the first, at bit 3 for the second):
/// with the empty subtrees folded in that lie beside it on the way up.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "journal/hash_rounds.hpp"
#include "journal/tree_shape.hpp"

namespace mneme {

struct leaf_bucket {
  std::vector<tree_leaf> leaves; ///< in path order
  std::vector<digest> forks;     ///< [i] of leaves i and i + 1; one less than leaves, if any
};

struct bucket_view {
  std::span<const tree_leaf> leaves;
  std::span<const digest> forks; ///< empty: not known

  bucket_view() = default;
  bucket_view(std::span<const tree_leaf> l, std::span<const digest> f) : leaves(l), forks(f) {}
  bucket_view(const leaf_bucket& b) : leaves(b.leaves), forks(b.forks) {}
};

/// `leaves` as `changes` leave them; both in path order. A change to zero takes a leaf away.
std::vector<tree_leaf> leaves_with(std::span<const tree_leaf> leaves,
                                   std::span<const tree_leaf> changes);

/// The fork that all of two or more leaves hang from, by the leaf that it is behind.
std::size_t top_fork(std::span<const tree_leaf> leaves);
/// The hash of a bucket of some leaves as the fork above it takes it.
digest hash_at_fork(const bucket_view& bucket);
/// Its hash at another depth, up to where its leaves part.
digest hash_at_depth(const bucket_view& bucket, std::size_t depth);

/// Makes `into` of all leaves of the subtree at `depth`, and says what it is to the node above it.
subtree hash_bucket(std::vector<tree_leaf> leaves, std::size_t depth, leaf_bucket& into);

/// Buckets as changes leave them. Their hashes are noted in the rounds that it is given, and can be
/// taken when these have run.
class bucket_plan {
public:
  explicit bucket_plan(hash_rounds& hashes) : hashes_(&hashes) {}

  struct bucket {
    std::uint32_t first = 0; ///< place of its leaves in the plan
    std::uint32_t count = 0;
    std::uint32_t first_fork = 0; ///< and of the forks that have another hash
    std::uint32_t forks = 0;
    hash_rounds::slot hash = 0;
    bool same = false;        ///< no leaf differs from what was there
    bool keeps_paths = false; ///< values change at most
  };
  /// The bucket at `depth` that `before` becomes by changes (ascending, each path once; a value of
  /// zero deletes). The value that each of their paths had goes to `overwritten`, if it is given.
  bucket add(const bucket_view& before, std::span<const tree_leaf> changes, std::size_t depth,
             std::vector<tree_leaf>* overwritten);
  /// The leaves of the bucket that was added last, while what it was before is there.
  [[nodiscard]] std::vector<tree_leaf> leaves() const;
  /// Makes of what a bucket was before what it becomes. After the rounds have run.
  void edit(const bucket& of, leaf_bucket& before);
  /// Forgets all, but not the room that it took; from now on hashes are noted here.
  void clear(hash_rounds& hashes);

private:
  /// A leaf is one that was there, or this plus the place of a new one.
  static constexpr std::uint32_t is_new = 1U << 31;
  struct changed_fork {
    std::uint32_t fork; ///< behind which leaf of its bucket
    hash_rounds::slot hash;
  };

  void merge(std::span<const tree_leaf> changes, std::vector<tree_leaf>* overwritten);
  void keep(std::size_t first, std::size_t last);
  void note_breaks();
  [[nodiscard]] const tree_leaf& leaf(std::size_t index) const;
  [[nodiscard]] std::size_t first_with_bit(std::size_t first, std::size_t last,
                                           std::size_t bit) const;
  [[nodiscard]] bool is_as_before(std::size_t first, std::size_t last, std::size_t depth) const;
  void rearrange(std::span<const std::uint32_t> places, leaf_bucket& before);
  hash_rounds::slot hash_of(std::size_t first, std::size_t last, std::size_t depth);

  hash_rounds* hashes_;
  std::vector<std::uint32_t> leaves_;
  std::vector<tree_leaf> new_leaves_;
  std::vector<changed_fork> forks_;
  leaf_bucket rearranged_; ///< the one that is being edited
  // Of the bucket that was added last.
  bucket_view before_;
  std::size_t depth_ = 0;
  std::size_t start_ = 0;
  bool keeps_paths_ = true;
  std::vector<std::uint32_t> breaks_; ///< leaves up to one that do not follow the one before them
};

} // namespace mneme
