#include "journal/leaf_bucket.hpp"

#include <algorithm>

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

} // namespace

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
  plan.take(made, into);
  return {hashes[made.hash], made.count};
}

bucket_plan::bucket bucket_plan::add(const bucket_view& before, std::span<const tree_leaf> changes,
                                     std::size_t depth, std::vector<tree_leaf>* overwritten) {
  before_ = before;
  depth_ = depth;
  start_ = leaves_.size();
  origins_.clear();
  merge(before, changes, overwritten);
  const std::size_t count = leaves_.size() - start_;
  forks_.resize(leaves_.size());
  breaks_.resize(count);
  std::uint32_t breaks = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool follows = i > 0 && origins_[i] != changed && origins_[i] == origins_[i - 1] + 1;
    if (!follows) ++breaks;
    breaks_[i] = breaks;
  }
  bucket made{static_cast<std::uint32_t>(start_), static_cast<std::uint32_t>(count), 0, false};
  made.same = count == before.leaves.size() && (count == 0 || (breaks == 1 && origins_[0] == 0));
  made.hash = count == 0 ? hashes_.known({}) : hash_of(0, count, depth);
  return made;
}

void bucket_plan::keep(const bucket_view& before, std::size_t first, std::size_t last) {
  const auto kept = before.leaves.subspan(first, last - first);
  leaves_.insert(leaves_.end(), kept.begin(), kept.end());
  for (; first < last; ++first) origins_.push_back(static_cast<std::uint32_t>(first));
}

void bucket_plan::merge(const bucket_view& before, std::span<const tree_leaf> changes,
                        std::vector<tree_leaf>* overwritten) {
  const auto& old = before.leaves;
  std::size_t next = 0; // of the old leaves
  for (const auto& change : changes) {
    const auto behind =
        std::ranges::lower_bound(old.subspan(next), change.path, {}, &tree_leaf::path);
    const auto at = static_cast<std::size_t>(behind - old.subspan(next).begin()) + next;
    const bool there = at < old.size() && old[at].path == change.path;
    if (overwritten != nullptr)
      overwritten->push_back({change.path, there ? old[at].value_hash : digest{}});
    keep(before, next, at);
    next = at;
    if (there && old[at].value_hash == change.value_hash) continue; // kept with those that follow
    if (there) ++next;
    if (change.value_hash.is_zero()) continue;
    leaves_.push_back(change);
    origins_.push_back(changed);
  }
  keep(before, next, old.size());
}

bool bucket_plan::is_as_before(std::size_t first, std::size_t last, std::size_t depth) const {
  if (before_.forks.empty() || origins_[first] == changed || breaks_[first] != breaks_[last - 1])
    return false;
  // Its hash is the one that was kept if the fork above it is where it was.
  const auto& old = before_.leaves;
  const std::size_t old_first = origins_[first];
  const std::size_t old_last = origins_[last - 1];
  std::size_t old_depth = depth_;
  if (old_first > 0)
    old_depth =
        std::max(old_depth, shared_path_bits(old[old_first - 1].path, old[old_first].path) + 1);
  if (old_last + 1 < old.size())
    old_depth =
        std::max(old_depth, shared_path_bits(old[old_last].path, old[old_last + 1].path) + 1);
  return old_depth == depth;
}

hash_rounds::slot bucket_plan::hash_of(std::size_t first, std::size_t last, std::size_t depth) {
  const auto all = std::span<const tree_leaf>(leaves_).subspan(start_ + first, last - first);
  if (all.size() == 1) return hashes_.leaf(all.front());
  const std::size_t fork = top_fork(all);
  if (is_as_before(first, last, depth)) {
    for (std::size_t i = first; i + 1 < last; ++i)
      forks_[start_ + i] = hashes_.known(before_.forks[origins_[i]]);
    return forks_[start_ + first + fork];
  }
  const std::size_t bit = shared_path_bits(all.front().path, all.back().path);
  const auto left = hash_of(first, first + fork + 1, bit + 1);
  const auto right = hash_of(first + fork + 1, last, bit + 1);
  const auto nothing = bit > depth ? hashes_.known({}) : left;
  const auto hash = lifted(hashes_.node(left, right), nothing, all.front().path, bit, depth,
                           [this](auto l, auto r) { return hashes_.node(l, r); });
  forks_[start_ + first + fork] = hash;
  return hash;
}

void bucket_plan::take(const bucket& of, leaf_bucket& into) const {
  const auto found = leaves(of);
  into.leaves.assign(found.begin(), found.end());
  into.forks.clear();
  if (of.count == 0) return;
  into.forks.reserve(of.count - 1);
  for (std::size_t i = 0; i + 1 < of.count; ++i)
    into.forks.push_back(hashes_[forks_[of.first + i]]);
}

} // namespace mneme
