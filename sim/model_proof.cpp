/// Proofs of membership as a scope carries them, made from the records that there were.

#include <algorithm>

#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

namespace {

using leaf_span = std::span<const tree_leaf>; // by ascending path

bool goes_right(const digest& path, std::size_t depth) {
  return ((unsigned{path.bytes[depth / 8]} >> (7 - depth % 8)) & 1U) != 0;
}

digest hashed(std::uint8_t tag, const digest& a, const digest& b) {
  std::string bytes(1, static_cast<char>(tag));
  bytes.append(a.bytes.begin(), a.bytes.end());
  bytes.append(b.bytes.begin(), b.bytes.end());
  return sha256_of(bytes);
}

/// Those that go left at `depth`; the others follow them.
leaf_span left_of(leaf_span all, std::size_t depth) {
  const auto right = std::ranges::partition_point(
      all, [&](const tree_leaf& l) { return !goes_right(l.path, depth); });
  return {all.begin(), right};
}

digest subtree_root(leaf_span all, std::size_t depth) {
  if (all.empty()) return {};
  if (all.size() == 1) return hashed(0, all[0].path, all[0].value_hash);
  const leaf_span left = left_of(all, depth);
  return hashed(1, subtree_root(left, depth + 1),
                subtree_root(all.subspan(left.size()), depth + 1));
}

tree_proof membership(leaf_span all, const tree_leaf& leaf) {
  tree_proof p;
  p.path = leaf.path;
  p.value_hash = leaf.value_hash;
  for (std::size_t depth = 0; all.size() > 1; ++depth) {
    const leaf_span left = left_of(all, depth);
    const leaf_span right = all.subspan(left.size());
    const bool is_right = goes_right(leaf.path, depth);
    p.siblings.push_back(subtree_root(is_right ? left : right, depth + 1));
    all = is_right ? right : left;
  }
  std::ranges::reverse(p.siblings);
  return p;
}

} // namespace

std::optional<std::vector<tree_proof>> proofs_of(const model& state, const digest& snapshot,
                                                 std::vector<memory_id> ids) {
  const auto at = state.snapshot_seq(snapshot);
  if (!at) return std::nullopt;
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  std::vector<tree_leaf> leaves;
  for (const auto& [id, hash] : state.head_hashes_at(*at))
    leaves.push_back({state_path(state_namespace::memories, id.raw()), hash});
  std::ranges::sort(leaves, {}, &tree_leaf::path);
  std::vector<tree_proof> proofs;
  for (const auto& id : ids) {
    const auto path = state_path(state_namespace::memories, id.raw());
    const auto leaf = std::ranges::lower_bound(leaves, path, {}, &tree_leaf::path);
    if (leaf == leaves.end() || leaf->path != path) return std::nullopt;
    proofs.push_back(membership(leaves, *leaf));
  }
  return proofs;
}

} // namespace mneme::sim
