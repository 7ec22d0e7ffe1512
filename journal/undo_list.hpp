#pragma once
/// What the newest entries overwrote in the state trees: with it the trees can be seen as they were
/// after any of those entries. Pure; single owner.

#include <array>
#include <cstdint>
#include <deque>
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
  /// Appends what one entry overwrote: per leaf the value before it, in the order of the leaves.
  void append(std::vector<state_leaf> overwritten);
  /// Keeps the newest `count` entries only.
  void retain(std::uint64_t count);
  [[nodiscard]] std::uint64_t size() const { return saved_.size() - dropped_ + entries_.size(); }

  /// The changes that take the trees back by `count` entries; in order, so that the last change of
  /// a path is the value to go back to.
  [[nodiscard]] tree_changes back(std::uint64_t count) const;

  /// One string per entry, oldest first, of 65 bytes per leaf: namespace ‖ path ‖ value.
  [[nodiscard]] std::vector<std::string> save() const;
  /// Entries saved so, into an empty list; their bytes stay where they are. corrupt if malformed.
  result<void> load(std::vector<std::string_view> images);

private:
  /// As they were saved, since most are never asked for; the first `dropped_` are no more.
  std::vector<std::string_view> saved_;
  std::size_t dropped_ = 0;
  std::deque<std::vector<state_leaf>> entries_; // behind those; oldest first
};

} // namespace mneme
