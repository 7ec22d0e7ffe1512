#include "journal/leaf_bucket.hpp"

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Calls node(left, right) up from `depth` of a subtree on `path` to `top`, beside nothing.
template <class Hash, class Node>
Hash lifted(Hash hash, const Hash& nothing, const digest& path, std::size_t depth, std::size_t top,
            Node node) {
  while (depth > top) {
    --depth;
    hash = path_bit(path, depth) ? node(nothing, hash) : node(hash, nothing);
  }
  return hash;
}

/// Buckets grow leaf by leaf: every few times, room is made for the next ones.
template <class T>
void put_in_place(const std::vector<T>& what, std::vector<T>& place) {
  constexpr std::size_t step = 4;
  place.clear();
  if (place.capacity() < what.size()) place.reserve((what.size() + step - 1) / step * step);
  place.insert(place.end(), what.begin(), what.end());
}

} // namespace

std::vector<tree_leaf> leaves_with(std::span<const tree_leaf> leaves,
                                   std::span<const tree_leaf> changes) {
  std::vector<tree_leaf> all;
  all.reserve(leaves.size() + changes.size());
  auto leaf = leaves.begin();
  for (const tree_leaf& change : changes) {
    while (leaf != leaves.end() && leaf->path < change.path) all.push_back(*leaf++);
    if (leaf != leaves.end() && leaf->path == change.path) ++leaf;
    if (!change.value_hash.is_zero()) all.push_back(change);
  }
  all.insert(all.end(), leaf, leaves.end());
  return all;
}

std::size_t top_fork(std::span<const tree_leaf> leaves) {
  ensure(leaves.size() > 1, "a fork needs two leaves");
  const std::size_t bit = shared_path_bits(leaves.front().path, leaves.back().path);
  return halves(leaves, bit).left.size() - 1;
}

digest hash_at_fork(const bucket_view& bucket) {
  ensure(!bucket.leaves.empty(), "what hangs from a fork has leaves");
  const auto& [leaves, forks] = bucket;
  return leaves.size() == 1 ? tree_leaf_hash(leaves.front()) : forks[top_fork(leaves)];
}

digest hash_at_depth(const bucket_view& bucket, std::size_t depth) {
  const auto& [leaves, forks] = bucket;
  const std::size_t fork = top_fork(leaves);
  const digest left = hash_at_fork({leaves.first(fork + 1), forks.first(fork)});
  const digest right = hash_at_fork({leaves.subspan(fork + 1), forks.subspan(fork + 1)});
  const std::size_t bit = shared_path_bits(leaves.front().path, leaves.back().path);
  ensure(depth <= bit, "leaves have one hash down to where they part");
  return lifted(tree_node_hash(left, right), digest{}, leaves.front().path, bit, depth,
                tree_node_hash);
}

subtree hash_bucket(std::vector<tree_leaf> leaves, std::size_t depth, leaf_bucket& into) {
  hash_rounds hashes;
  bucket_plan plan(hashes);
  // Nothing is known of their forks, and nothing changes.
  const auto made = plan.add({leaves, {}}, {}, depth, nullptr);
  hashes.run();
  into.leaves = std::move(leaves);
  into.forks.resize(made.count > 1 ? made.count - 1 : 0);
  plan.edit(made, into);
  return {hashes[made.hash], made.count};
}

const tree_leaf& bucket_plan::leaf(std::size_t index) const {
  const std::uint32_t place = leaves_[start_ + index];
  return (place & is_new) != 0 ? new_leaves_[place - is_new] : before_.leaves[place];
}

bucket_plan::bucket bucket_plan::add(const bucket_view& before, std::span<const tree_leaf> changes,
                                     std::size_t depth, std::vector<tree_leaf>* overwritten) {
  ensure(before.leaves.size() < is_new, "a place among a bucket's leaves fits its number");
  before_ = before;
  depth_ = depth;
  start_ = leaves_.size();
  keeps_paths_ = true;
  const std::size_t new_before = new_leaves_.size();
  const std::size_t forks_before = forks_.size();
  merge(changes, overwritten);
  note_breaks();
  const std::size_t count = leaves_.size() - start_;
  const auto hash = count == 0 ? hashes_->known({}) : hash_of(0, count, depth);
  return {.first = static_cast<std::uint32_t>(start_),
          .count = static_cast<std::uint32_t>(count),
          .first_fork = static_cast<std::uint32_t>(forks_before),
          .forks = static_cast<std::uint32_t>(forks_.size() - forks_before),
          .hash = hash,
          .same = keeps_paths_ && new_leaves_.size() == new_before,
          .keeps_paths = keeps_paths_};
}

void bucket_plan::keep(std::size_t first, std::size_t last) {
  for (; first < last; ++first) leaves_.push_back(static_cast<std::uint32_t>(first));
}

void bucket_plan::merge(std::span<const tree_leaf> changes, std::vector<tree_leaf>* overwritten) {
  const auto& old = before_.leaves;
  std::size_t next = 0; // of the old leaves
  for (const auto& change : changes) {
    const auto rest = old.subspan(next);
    const auto found = std::ranges::lower_bound(rest, change.path, {}, &tree_leaf::path);
    const auto at = next + static_cast<std::size_t>(found - rest.begin());
    const bool there = at < old.size() && old[at].path == change.path;
    const digest value = there ? old[at].value_hash : digest{};
    if (overwritten != nullptr) overwritten->push_back({change.path, value});
    keep(next, at);
    next = at;
    if (value == change.value_hash) continue; // if it is there, kept with those that follow
    if (there) ++next;
    if (!there || change.value_hash.is_zero()) keeps_paths_ = false;
    if (change.value_hash.is_zero()) continue;
    leaves_.push_back(is_new + static_cast<std::uint32_t>(new_leaves_.size()));
    new_leaves_.push_back(change);
  }
  keep(next, old.size());
}

void bucket_plan::note_breaks() {
  breaks_.clear();
  std::uint32_t breaks = 0;
  std::uint32_t expected = is_new;
  for (std::size_t i = start_; i < leaves_.size(); ++i) {
    if (leaves_[i] != expected || leaves_[i] >= is_new) ++breaks;
    expected = leaves_[i] + 1;
    breaks_.push_back(breaks);
  }
}

std::size_t bucket_plan::first_with_bit(std::size_t first, std::size_t last,
                                        std::size_t bit) const {
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (path_bit(leaf(middle).path, bit))
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

bool bucket_plan::is_as_before(std::size_t first, std::size_t last, std::size_t depth) const {
  if (before_.forks.empty() || leaves_[start_ + first] >= is_new
      || breaks_[first] != breaks_[last - 1])
    return false;
  if (keeps_paths_) return true;
  // Its hash is the one that was kept if the fork above it is where it was.
  const auto& old = before_.leaves;
  const std::size_t old_first = leaves_[start_ + first];
  const std::size_t old_last = leaves_[start_ + last - 1];
  std::size_t old_depth = depth_;
  const auto parted_from = [&](std::size_t left) {
    old_depth = std::max(old_depth, shared_path_bits(old[left].path, old[left + 1].path) + 1);
  };
  if (old_first > 0) parted_from(old_first - 1);
  if (old_last + 1 < old.size()) parted_from(old_last);
  return old_depth == depth;
}

hash_rounds::slot bucket_plan::hash_of(std::size_t first, std::size_t last, std::size_t depth) {
  if (last - first == 1) return hashes_->leaf(leaf(first));
  const digest& path = leaf(first).path;
  const std::size_t bit = shared_path_bits(path, leaf(last - 1).path);
  const std::size_t middle = first_with_bit(first + 1, last - 1, bit);
  if (is_as_before(first, last, depth))
    return hashes_->known(before_.forks[leaves_[start_ + middle - 1]]);
  const auto left = hash_of(first, middle, bit + 1);
  const auto right = hash_of(middle, last, bit + 1);
  const auto nothing = bit > depth ? hashes_->known({}) : left;
  const auto hash = lifted(hashes_->node(left, right), nothing, path, bit, depth,
                           [this](auto l, auto r) { return hashes_->node(l, r); });
  forks_.push_back({static_cast<std::uint32_t>(middle - 1), hash});
  return hash;
}

std::vector<tree_leaf> bucket_plan::leaves() const {
  std::vector<tree_leaf> found;
  found.reserve(leaves_.size() - start_);
  for (std::size_t i = 0; start_ + i < leaves_.size(); ++i) found.push_back(leaf(i));
  return found;
}

void bucket_plan::edit(const bucket& of, leaf_bucket& before) {
  const auto places = std::span(leaves_).subspan(of.first, of.count);
  if (of.keeps_paths) {
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] >= is_new) before.leaves[i] = new_leaves_[places[i] - is_new];
  } else {
    rearrange(places, before);
  }
  for (const auto& [fork, hash] : std::span(forks_).subspan(of.first_fork, of.forks))
    before.forks[fork] = (*hashes_)[hash];
}

void bucket_plan::rearrange(std::span<const std::uint32_t> places, leaf_bucket& before) {
  auto& [leaves, forks] = rearranged_;
  leaves.clear();
  forks.clear();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool was_there = places[i] < is_new;
    leaves.push_back(was_there ? before.leaves[places[i]] : new_leaves_[places[i] - is_new]);
    if (i + 1 == places.size()) break;
    const bool fork_was = was_there && places[i + 1] == places[i] + 1;
    forks.push_back(fork_was ? before.forks[places[i]] : digest{});
  }
  put_in_place(leaves, before.leaves);
  put_in_place(forks, before.forks);
}

void bucket_plan::clear(hash_rounds& hashes) {
  hashes_ = &hashes;
  leaves_.clear();
  new_leaves_.clear();
  forks_.clear();
}

} // namespace mneme
