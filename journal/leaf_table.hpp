#pragma once
/// The leaves of the state trees, for a ledger to read: those of a checkpoint, in path order as
/// they lie in the map of its image, and over them what entries have set since.
///
///     changed    in memory     since the last checkpoint was begun
///     frozen     in memory     what a checkpoint that is being written, or failed, took along
///     base       mapped        what the last checkpoint has
///
/// Memory is taken for what changes between two checkpoints, not for what there is. Nothing here is
/// checked: leaves that do not hash to what a tree says are refused by the tree.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/proof.hpp"

namespace mneme {

/// Leaves of each namespace in path order, which stay where they are for the life of `holder`.
struct leaf_base {
  std::array<std::span<const tree_leaf>, state_namespace_count> leaves{};
  std::shared_ptr<const void> holder{};
};

/// The last value of each path that was set; zero = the leaf is gone. Paths are hashes: they are
/// spread over slots by their first bits, so that a slot stays short.
class leaf_changes {
public:
  void put(const tree_leaf& leaf);
  /// Appends those with first <= path <= last, in path order.
  void append(const digest& first, const digest& last, std::vector<tree_leaf>& to) const;
  /// Puts all of it there.
  void put_into(leaf_changes& other) const;
  [[nodiscard]] std::size_t size() const { return size_; }

private:
  [[nodiscard]] std::size_t slot_of(const digest& path) const;
  void split_slots();

  unsigned slot_bits_ = 0;
  std::size_t size_ = 0;
  std::vector<std::vector<tree_leaf>> slots_{1}; ///< each in path order
};
using leaf_changes_of_all = std::array<leaf_changes, state_namespace_count>;

/// Leaves as of one seq. Cheap to copy; never changes; for any thread.
struct leaf_layers {
  leaf_base base;
  std::shared_ptr<const leaf_changes_of_all> frozen{}; ///< null: nothing

  /// Those with first <= path <= last, in path order.
  [[nodiscard]] std::vector<tree_leaf> read(state_namespace ns, const digest& first,
                                            const digest& last) const;
};

/// Single owner: the ledger's.
class leaf_table {
public:
  leaf_table() = default;
  explicit leaf_table(leaf_base base) { layers_.base = std::move(base); }

  /// After the trees have taken these entries: what they set.
  void apply(std::span<const entry> entries);
  void apply(const entry_header& header);
  [[nodiscard]] std::vector<tree_leaf> read(state_namespace ns, const digest& first,
                                            const digest& last) const;
  /// What there is now, for a checkpoint to write. One is written at a time.
  leaf_layers freeze();
  /// `base` has what freeze() gave last. What gives way is the caller's to free, which takes its
  /// time.
  leaf_layers settle(leaf_base base);

private:
  leaf_layers layers_;
  leaf_changes_of_all changed_;
};

} // namespace mneme
