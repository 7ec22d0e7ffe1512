#include "journal/undo_list.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

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
  while (entries_.size() > count) entries_.pop_front();
}

tree_changes undo_list::back(std::uint64_t count) const {
  ensure(count <= entries_.size(), "only retained entries are undone");
  tree_changes changes;
  for (const auto& overwritten : entries_ | std::views::reverse | std::views::take(count))
    for (const auto& leaf : overwritten | std::views::reverse)
      changes[static_cast<std::size_t>(leaf.ns)].push_back({leaf.path, leaf.value_hash});
  return changes;
}

std::vector<std::string> undo_list::save() const {
  std::vector<std::string> images;
  images.reserve(entries_.size());
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

result<void> undo_list::load(std::string_view image) {
  constexpr std::size_t hash_bytes = 32;
  constexpr std::size_t leaf_bytes = 1 + 2 * hash_bytes;
  if (image.size() % leaf_bytes != 0) return fail(errc::corrupt, "an undo image is cut off");
  std::vector<state_leaf> overwritten;
  overwritten.reserve(image.size() / leaf_bytes);
  for (; !image.empty(); image.remove_prefix(leaf_bytes)) {
    const auto ns = static_cast<std::uint8_t>(image[0]);
    if (ns >= state_namespace_count)
      return fail(errc::corrupt, "an undo image names an unknown namespace");
    auto& leaf = overwritten.emplace_back();
    leaf.ns = static_cast<state_namespace>(ns);
    std::ranges::copy(image.substr(1, hash_bytes), leaf.path.bytes.begin());
    std::ranges::copy(image.substr(1 + hash_bytes, hash_bytes), leaf.value_hash.bytes.begin());
  }
  append(std::move(overwritten));
  return {};
}

} // namespace mneme
