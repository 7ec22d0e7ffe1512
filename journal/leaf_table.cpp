#include "journal/leaf_table.hpp"

#include <algorithm>
#include <utility>

#include "journal/leaf_bucket.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Of a slot, on average, before all are split.
constexpr std::size_t slot_leaves_most = 32;

constexpr auto by_path = &tree_leaf::path;

/// The first 64 bits of a path.
std::uint64_t begin_of(const digest& path) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) bits = bits << 8 | path.bytes[i];
  return bits;
}

/// The first leaf that is not before `path`. Looked for from where it would be if paths were spread
/// evenly, which they nearly are: a search through the middle would touch a page at each step.
std::size_t place_of_path(std::span<const tree_leaf> leaves, const digest& path) {
  const std::size_t size = leaves.size();
  const std::size_t guess = std::min(size, (begin_of(path) >> 32U) * size >> 32U);
  std::size_t step = 64;
  std::size_t low = guess;
  while (low > 0 && leaves[low - 1].path >= path) {
    low -= std::min(low, step);
    step *= 2;
  }
  step = 64;
  std::size_t high = std::max(low, guess);
  while (high < size && leaves[high].path < path) {
    low = high + 1;
    high += std::min(size - high, step);
    step *= 2;
  }
  const auto part = leaves.subspan(low, high - low);
  return low
         + static_cast<std::size_t>(std::ranges::lower_bound(part, path, {}, by_path)
                                    - part.begin());
}

} // namespace

std::size_t leaf_changes::slot_of(const digest& path) const {
  return slot_bits_ == 0 ? 0 : static_cast<std::size_t>(begin_of(path) >> (64 - slot_bits_));
}

void leaf_changes::put(const tree_leaf& leaf) {
  auto& slot = slots_[slot_of(leaf.path)];
  const auto at = std::ranges::lower_bound(slot, leaf.path, {}, by_path);
  if (at != slot.end() && at->path == leaf.path) {
    at->value_hash = leaf.value_hash;
    return;
  }
  slot.insert(at, leaf);
  if (++size_ > slots_.size() * slot_leaves_most) split_slots();
}

void leaf_changes::split_slots() {
  ensure(slot_bits_ < 32, "there are more slots than a table can have leaves");
  std::vector<std::vector<tree_leaf>> halved(slots_.size() * 2);
  ++slot_bits_;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& slot = slots_[i];
    const auto middle = std::ranges::partition_point(
        slot, [&](const tree_leaf& leaf) { return slot_of(leaf.path) == 2 * i; });
    halved[2 * i].assign(slot.begin(), middle);
    halved[2 * i + 1].assign(middle, slot.end());
  }
  slots_ = std::move(halved);
}

void leaf_changes::append(const digest& first, const digest& last,
                          std::vector<tree_leaf>& to) const {
  ensure(first <= last, "paths are asked for from the first to the last");
  for (std::size_t slot = slot_of(first); slot <= slot_of(last); ++slot) {
    const auto from = std::ranges::lower_bound(slots_[slot], first, {}, by_path);
    const auto end = std::ranges::upper_bound(slots_[slot], last, {}, by_path);
    if (from < end) to.insert(to.end(), from, end);
  }
}

void leaf_changes::put_into(leaf_changes& other) const {
  for (const auto& slot : slots_)
    for (const tree_leaf& leaf : slot) other.put(leaf);
}

std::vector<tree_leaf> leaf_layers::read(state_namespace ns, const digest& first,
                                         const digest& last) const {
  const auto of = static_cast<std::size_t>(ns);
  ensure(of < base.leaves.size(), "leaves are asked for of a namespace");
  const std::span<const tree_leaf> all = base.leaves[of];
  const std::size_t begin = place_of_path(all, first);
  std::size_t end = begin;
  while (end < all.size() && all[end].path <= last) ++end;
  const auto found = all.subspan(begin, end - begin);
  std::vector<tree_leaf> changes;
  if (frozen != nullptr) (*frozen)[of].append(first, last, changes);
  return leaves_with(found, changes);
}

void leaf_table::apply(std::span<const entry> entries) {
  for (const entry& e : entries) apply(e.header);
}

void leaf_table::apply(const entry_header& header) {
  for (const state_leaf& leaf : header.leaves)
    changed_[static_cast<std::size_t>(leaf.ns)].put({leaf.path, leaf.value_hash});
}

std::vector<tree_leaf> leaf_table::read(state_namespace ns, const digest& first,
                                        const digest& last) const {
  std::vector<tree_leaf> changes;
  changed_[static_cast<std::size_t>(ns)].append(first, last, changes);
  return leaves_with(layers_.read(ns, first, last), changes);
}

leaf_layers leaf_table::freeze() {
  auto frozen =
      std::const_pointer_cast<leaf_changes_of_all>(std::exchange(layers_.frozen, nullptr));
  if (frozen == nullptr)
    frozen = std::make_shared<leaf_changes_of_all>();
  else if (frozen.use_count() > 1) // of a checkpoint that failed, and is looked at still
    frozen = std::make_shared<leaf_changes_of_all>(*frozen);
  for (std::size_t of = 0; of < frozen->size(); ++of) {
    leaf_changes since = std::exchange(changed_[of], {});
    leaf_changes& all = (*frozen)[of];
    if (all.size() == 0)
      all = std::move(since);
    else
      since.put_into(all);
  }
  layers_.frozen = std::move(frozen);
  return layers_;
}

leaf_layers leaf_table::settle(leaf_base base) {
  ensure(layers_.frozen != nullptr, "a table settles on what was frozen");
  return std::exchange(layers_, {.base = std::move(base), .frozen = nullptr});
}

} // namespace mneme
