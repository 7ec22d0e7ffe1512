#include "journal/undo_list.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t hash_bytes = 32;
constexpr std::size_t leaf_bytes = 1 + 2 * hash_bytes;

/// The last leaf of what was saved, which is taken off.
state_leaf take_last(std::string_view& saved) {
  const std::string_view bytes = saved.substr(saved.size() - leaf_bytes);
  saved.remove_suffix(leaf_bytes);
  state_leaf leaf{};
  leaf.ns = static_cast<state_namespace>(bytes[0]);
  std::ranges::copy(bytes.substr(1, hash_bytes), leaf.path.bytes.begin());
  std::ranges::copy(bytes.substr(1 + hash_bytes), leaf.value_hash.bytes.begin());
  return leaf;
}

} // namespace

tree_changes changes_of(std::span<const entry> entries) {
  tree_changes changes;
  for (const auto& e : entries)
    for (const auto& leaf : e.header.leaves)
      changes[static_cast<std::size_t>(leaf.ns)].push_back({leaf.path, leaf.value_hash});
  return changes;
}

void undo_list::append(std::span<const state_leaf> overwritten) {
  const auto is_full = [](const portion& p) {
    return p.ends.size() >= portion_entries || p.bytes.size() >= portion_bytes;
  };
  if (portions_.empty() || is_full(*portions_.back())) {
    if (!portions_.empty()) portions_.back()->bytes.shrink_to_fit();
    portions_.push_back(std::make_shared<portion>());
  }
  portion& last = *portions_.back();
  for (const state_leaf& leaf : overwritten) {
    last.bytes.push_back(static_cast<char>(leaf.ns));
    last.bytes += leaf.path.raw();
    last.bytes += leaf.value_hash.raw();
  }
  last.ends.push_back(last.bytes.size());
  ++appended_;
}

void undo_list::retain(std::uint64_t count) {
  if (size() <= count) return;
  const std::uint64_t of_saved = std::min(saved_left(), size() - count);
  saved_dropped_ += static_cast<std::size_t>(of_saved);
  if (saved_left() == 0) saved_ = nullptr;
  while (size() > count) {
    --appended_;
    if (++first_dropped_ < portions_.front()->ends.size()) continue;
    portions_.pop_front();
    first_dropped_ = 0;
  }
}

undo_list undo_list::freeze() const {
  undo_list copy = *this;
  if (!copy.portions_.empty())
    copy.portions_.back() = std::make_shared<portion>(*copy.portions_.back());
  return copy;
}

tree_changes undo_list::back(std::uint64_t count) const {
  ensure(count <= size(), "only retained entries are undone");
  tree_changes changes;
  const auto change = [&](std::string_view entry) {
    while (!entry.empty()) {
      const state_leaf leaf = take_last(entry);
      changes[static_cast<std::size_t>(leaf.ns)].push_back({leaf.path, leaf.value_hash});
    }
  };
  std::uint64_t left = count;
  for (const auto& part : portions_ | std::views::reverse) {
    const std::size_t dropped = part == portions_.front() ? first_dropped_ : 0;
    for (std::size_t i = part->ends.size(); i > dropped && left > 0; --i, --left)
      change(part->entry(i - 1));
  }
  for (std::uint64_t i = 0; i < left; ++i) change((*saved_)[saved_->size() - 1 - i]);
  return changes;
}

result<void> undo_list::load(std::vector<std::string_view> images) {
  ensure(size() == 0, "an image is loaded into an empty list");
  for (const std::string_view image : images) {
    if (image.size() % leaf_bytes != 0) return fail(errc::corrupt, "an undo image is cut off");
    for (std::size_t at = 0; at < image.size(); at += leaf_bytes)
      if (static_cast<std::uint8_t>(image[at]) >= state_namespace_count)
        return fail(errc::corrupt, "an undo image names an unknown namespace");
  }
  saved_ = std::make_shared<const std::vector<std::string_view>>(std::move(images));
  saved_dropped_ = 0;
  return {};
}

} // namespace mneme
