#include "journal/tree_overlay.hpp"

#include <algorithm>
#include <utility>

#include "journal/proof.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Sorted by path; of several changes of a path only the last.
std::vector<tree_leaf> sorted_last_wins(std::span<const tree_leaf> changes) {
  std::vector<const tree_leaf*> order;
  order.reserve(changes.size());
  for (const auto& change : changes) order.push_back(&change);
  // Equal paths stay in the order given, which is that of their addresses.
  std::ranges::sort(order, [](const tree_leaf* a, const tree_leaf* b) {
    const auto paths = a->path <=> b->path;
    return paths != 0 ? paths < 0 : a < b;
  });
  std::vector<tree_leaf> sorted;
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || order[i + 1]->path != order[i]->path) sorted.push_back(*order[i]);
  return sorted;
}

std::vector<tree_leaf> merge(std::span<const tree_leaf> leaves,
                             std::span<const tree_leaf> changes) {
  std::vector<tree_leaf> merged;
  merged.reserve(leaves.size() + changes.size());
  auto leaf = leaves.begin();
  for (const auto& change : changes) {
    while (leaf != leaves.end() && leaf->path < change.path) merged.push_back(*leaf++);
    if (leaf != leaves.end() && leaf->path == change.path) ++leaf;
    if (!change.value_hash.is_zero()) merged.push_back(change);
  }
  merged.insert(merged.end(), leaf, leaves.end());
  return merged;
}

std::unexpected<error> stale_source() {
  return fail(errc::corrupt, "the store's state leaves do not fit the state tree");
}

/// The last path below `prefix`: all bits from `depth` on are set.
digest last_path(digest prefix, std::size_t depth) {
  for (std::size_t bit = depth; bit < path_bits && bit % 8 != 0; ++bit)
    prefix = with_path_bit(prefix, bit);
  for (std::size_t byte = (depth + 7) / 8; byte < prefix.bytes.size(); ++byte)
    prefix.bytes[byte] = 0xFF;
  return prefix;
}

} // namespace

result<std::vector<tree_leaf>> read_subtree(const tree_leaf_source& source, const digest& prefix,
                                            std::size_t depth) {
  const digest last = last_path(prefix, depth);
  auto leaves = source(prefix, last);
  if (!leaves) return leaves;
  for (std::size_t i = 0; i < leaves->size(); ++i) {
    const auto& [path, value_hash] = (*leaves)[i];
    const bool in_order = i == 0 ? prefix <= path : (*leaves)[i - 1].path < path;
    if (!in_order || last < path || value_hash.is_zero()) return stale_source();
  }
  return leaves;
}

tree_overlay::tree_overlay(const node_arena& nodes, node_index root, const tree_leaf_source& source,
                           std::span<const tree_leaf> changes, purpose use)
    : nodes_(nodes), root_(root), source_(source), changes_(sorted_last_wins(changes)), use_(use) {
}

tree_overlay::place tree_overlay::top() const {
  return {root_, 0, {}, changes_};
}

tree_overlay::fork tree_overlay::children(const place& at) const {
  const auto [left, right] = halves(at.changes, at.depth);
  const tree_node& node = nodes_[at.node];
  ensure(!node.is_bucket(), "what is below a bucket is in the store");
  return {{node.left, at.depth + 1, at.prefix, left},
          {node.right, at.depth + 1, with_path_bit(at.prefix, at.depth), right}};
}

result<subtree> tree_overlay::root() {
  return evaluate(top());
}

const tree_overlay::changed_node* tree_overlay::changed(node_index node) const {
  const auto found = changed_.find(node);
  return found == changed_.end() ? nullptr : &found->second;
}

result<tree_overlay::bucket_content> tree_overlay::read_bucket(const place& at) const {
  auto stored = read_subtree(source_, at.prefix, at.depth);
  if (!stored) return propagate(stored);
  auto merged = merge(*stored, at.changes);
  const bool holds_changes = merged == *stored;
  if (!holds_changes && stored->size() != nodes_[at.node].whole.count) return stale_source();
  return bucket_content{std::move(*stored), std::move(merged)};
}

result<tree_overlay::changed_node> tree_overlay::evaluate_bucket(const place& at) {
  auto content = read_bucket(at);
  if (!content) return propagate(content);
  auto& [stored, merged] = *content;
  if (use_ == purpose::change) {
    auto leaf = stored.begin();
    for (const auto& change : at.changes) {
      while (leaf != stored.end() && leaf->path < change.path) ++leaf;
      const bool there = leaf != stored.end() && leaf->path == change.path;
      before_.push_back({change.path, there ? leaf->value_hash : digest{}});
    }
  }
  changed_node node{state_tree_shape::of(merged, at.depth), {}};
  if (use_ == purpose::change && merged.size() > bucket_leaves_max) node.leaves = std::move(merged);
  return node;
}

result<subtree> tree_overlay::evaluate(const place& at) {
  const tree_node& node = nodes_[at.node];
  if (at.changes.empty()) return node.whole;
  if (const auto* known = changed(at.node)) return known->whole;
  changed_node becomes;
  if (node.is_bucket()) {
    auto bucket = evaluate_bucket(at);
    if (!bucket) return propagate(bucket);
    becomes = std::move(*bucket);
  } else {
    const auto [left, right] = children(at);
    auto left_whole = evaluate(left);
    if (!left_whole) return left_whole;
    auto right_whole = evaluate(right);
    if (!right_whole) return right_whole;
    const bool same =
        *left_whole == nodes_[left.node].whole && *right_whole == nodes_[right.node].whole;
    becomes.whole = same ? node.whole : state_tree_shape::join(*left_whole, *right_whole);
  }
  const subtree whole = becomes.whole;
  changed_.emplace(at.node, std::move(becomes));
  return whole;
}

result<tree_leaf> tree_overlay::lone_leaf(place at) {
  while (!nodes_[at.node].is_bucket()) {
    const auto [left, right] = children(at);
    auto left_whole = evaluate(left);
    if (!left_whole) return propagate(left_whole);
    at = left_whole->count == 1 ? left : right;
  }
  auto content = read_bucket(at);
  if (!content) return propagate(content);
  if (content->merged.size() != 1) return stale_source();
  return content->merged.front();
}

result<tree_proof> tree_overlay::prove(const digest& path) {
  std::vector<subtree> beside; // downward
  std::vector<place> places;   // of the first ones of `beside`, those above buckets
  place at = top();
  while (!nodes_[at.node].is_bucket()) {
    const auto [left, right] = children(at);
    const bool to_right = path_bit(path, at.depth);
    places.push_back(to_right ? left : right);
    auto whole = evaluate(places.back());
    if (!whole) return propagate(whole);
    beside.push_back(*whole);
    at = to_right ? right : left;
  }
  auto content = read_bucket(at);
  if (!content) return propagate(content);
  const auto end = state_tree_shape::descend(content->merged, at.depth, path, beside);
  std::optional<tree_leaf> terminal;
  if (!end.empty()) terminal = end.front();

  // Changes may leave fewer than two leaves below interior nodes: the terminal moves up.
  while (!beside.empty() && beside.back().count + (terminal ? 1U : 0U) <= 1) {
    if (beside.back().count == 1) {
      auto leaf = lone_leaf(places[beside.size() - 1]);
      if (!leaf) return propagate(leaf);
      terminal = *leaf;
    }
    beside.pop_back();
  }

  tree_proof proof{.path = path, .value_hash = {}, .other = {}, .siblings = {}};
  if (terminal && terminal->path == path)
    proof.value_hash = terminal->value_hash;
  else
    proof.other = terminal;
  for (auto step = beside.rbegin(); step != beside.rend(); ++step)
    proof.siblings.push_back(step->hash);
  auto whole = root();
  if (!whole) return propagate(whole);
  // A source that has drifted from the tree must not pass for a proof.
  if (!verify_tree_proof(proof, whole->hash)) return stale_source();
  return proof;
}

} // namespace mneme
