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

void undo_list::append(std::vector<state_leaf> overwritten) {
  entries_.push_back(std::move(overwritten));
}

void undo_list::retain(std::uint64_t count) {
  if (size() > count)
    dropped_ = std::min(saved_.size(), dropped_ + static_cast<std::size_t>(size() - count));
  while (size() > count) entries_.pop_front();
}

tree_changes undo_list::back(std::uint64_t count) const {
  ensure(count <= size(), "only retained entries are undone");
  tree_changes changes;
  const auto change = [&](const state_leaf& leaf) {
    changes[static_cast<std::size_t>(leaf.ns)].push_back({leaf.path, leaf.value_hash});
  };
  for (const auto& overwritten : entries_ | std::views::reverse | std::views::take(count))
    for (const auto& leaf : overwritten | std::views::reverse) change(leaf);
  const std::uint64_t left = count - std::min<std::uint64_t>(count, entries_.size());
  for (std::string_view saved : saved_ | std::views::reverse | std::views::take(left))
    while (!saved.empty()) change(take_last(saved));
  return changes;
}

std::vector<std::string> undo_list::save() const {
  std::vector<std::string> images;
  images.reserve(size());
  for (const std::string_view saved : saved_ | std::views::drop(dropped_))
    images.emplace_back(saved);
  for (const auto& overwritten : entries_) {
    auto& image = images.emplace_back();
    for (const auto& leaf : overwritten) {
      image.push_back(static_cast<char>(leaf.ns));
      image += leaf.path.raw();
      image += leaf.value_hash.raw();
    }
  }
  return images;
}

result<void> undo_list::load(std::vector<std::string_view> images) {
  ensure(size() == 0, "an image is loaded into an empty list");
  for (const std::string_view image : images) {
    if (image.size() % leaf_bytes != 0) return fail(errc::corrupt, "an undo image is cut off");
    for (std::size_t at = 0; at < image.size(); at += leaf_bytes)
      if (static_cast<std::uint8_t>(image[at]) >= state_namespace_count)
        return fail(errc::corrupt, "an undo image names an unknown namespace");
  }
  saved_ = std::move(images);
  dropped_ = 0;
  return {};
}

} // namespace mneme
