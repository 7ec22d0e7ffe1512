#pragma once
/// What the newest entries overwrote in the state trees: with it the trees can be seen as they were
/// after any of those entries. Pure; single owner, but for copies by freeze().
///
/// Entries lie in portions, as they are saved: 65 bytes per leaf, namespace ‖ path ‖ value.

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/proof.hpp"

namespace mneme {

/// Changes per state tree.
using tree_changes = std::array<std::vector<tree_leaf>, state_namespace_count>;

/// The leaves that `entries` change, in order.
tree_changes changes_of(std::span<const entry> entries);

class undo_list {
public:
  undo_list() = default;
  undo_list(undo_list&&) = default;
  undo_list& operator=(undo_list&&) = default;
  undo_list& operator=(const undo_list&) = delete;

  /// Appends what one entry overwrote: per leaf the value before it, in the order of the leaves.
  void append(std::span<const state_leaf> overwritten);
  /// Keeps the newest `count` entries only.
  void retain(std::uint64_t count);
  [[nodiscard]] std::uint64_t size() const { return saved_left() + appended_; }

  /// The changes that take the trees back by `count` entries; in order, so that the last change of
  /// a path is the value to go back to.
  [[nodiscard]] tree_changes back(std::uint64_t count) const;

  /// The list as it is now, whatever becomes of this one; from any thread. Shares all but the last
  /// portion.
  [[nodiscard]] undo_list freeze() const;
  /// The bytes of each entry, oldest first.
  template <class Visit>
  void each_saved(Visit visit) const;
  /// Entries saved so, into an empty list; their bytes stay where they are. corrupt if malformed.
  result<void> load(std::vector<std::string_view> images);

private:
  /// Some entries that follow one another.
  struct portion {
    std::string bytes;
    std::vector<std::size_t> ends; ///< of each entry

    [[nodiscard]] std::string_view entry(std::size_t i) const {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      return std::string_view(bytes).substr(begin, ends[i] - begin);
    }
  };
  /// A portion is full with one of them.
  static constexpr std::size_t portion_entries = 256;
  static constexpr std::size_t portion_bytes = 64 << 10;

  /// Shares the portion that still grows: for freeze().
  undo_list(const undo_list&) = default;

  [[nodiscard]] std::uint64_t saved_left() const {
    return saved_ == nullptr ? 0 : saved_->size() - saved_dropped_;
  }

  /// Those that were loaded; the first `saved_dropped_` are no more.
  std::shared_ptr<const std::vector<std::string_view>> saved_;
  std::size_t saved_dropped_ = 0;
  /// Behind those, oldest first: all but the last one are full, and no more change.
  std::deque<std::shared_ptr<portion>> portions_;
  std::size_t first_dropped_ = 0; ///< entries of the first portion that are no more
  std::uint64_t appended_ = 0;    ///< entries of all portions that are
};

template <class Visit>
void undo_list::each_saved(Visit visit) const {
  if (saved_ != nullptr)
    for (std::size_t i = saved_dropped_; i < saved_->size(); ++i) visit((*saved_)[i]);
  std::size_t from = first_dropped_;
  for (const auto& part : portions_) {
    for (std::size_t i = from; i < part->ends.size(); ++i) visit(part->entry(i));
    from = 0;
  }
}

} // namespace mneme
