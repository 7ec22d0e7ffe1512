#include "journal/tree_overlay.hpp"

#include <algorithm>
#include <utility>

#include "journal/proof.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Sorted by path; of several changes of a path only the last.
void sort_last_wins(std::span<const tree_leaf> changes, std::vector<tree_leaf>& sorted) {
  const auto not_behind = [](const auto& a, const auto& b) { return a.path >= b.path; };
  if (std::ranges::adjacent_find(changes, not_behind) == changes.end()) {
    sorted.assign(changes.begin(), changes.end());
    return;
  }
  std::vector<const tree_leaf*> order;
  order.reserve(changes.size());
  for (const auto& change : changes) order.push_back(&change);
  // Equal paths stay in the order given, which is that of their addresses.
  std::ranges::sort(order, [](const tree_leaf* a, const tree_leaf* b) {
    const auto paths = a->path <=> b->path;
    return paths != 0 ? paths < 0 : a < b;
  });
  sorted.clear();
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || order[i + 1]->path != order[i]->path) sorted.push_back(*order[i]);
}

/// `path` up to `depth`, and zero behind.
digest prefix_of(digest path, std::size_t depth) {
  for (std::size_t bit = depth; bit < path_bits && bit % 8 != 0; ++bit)
    path.bytes[bit / 8] &= static_cast<std::uint8_t>(~(1U << (7 - bit % 8)));
  std::fill(path.bytes.begin() + static_cast<std::ptrdiff_t>((depth + 7) / 8), path.bytes.end(),
            std::uint8_t{0});
  return path;
}

} // namespace

tree_overlay::tree_overlay(const node_arena& nodes, node_index root, const bucket_reader& reader)
    : nodes_(nodes), root_(root), reader_(reader) {
}

void tree_overlay::begin(std::span<const tree_leaf> changes, purpose use, hash_rounds& hashes) {
  sort_last_wins(changes, changes_);
  use_ = use;
  hashes_ = &hashes;
  worked_out_ = false;
}

void tree_overlay::look_at(std::span<const tree_leaf> changes) {
  begin(changes, purpose::view, own_);
}

result<void> tree_overlay::work_out(std::span<const tree_leaf> changes, hash_rounds& hashes) {
  begin(changes, purpose::change, hashes);
  return reach_all();
}

tree_overlay::place tree_overlay::top() const {
  return {root_, 0, {}, changes_};
}

tree_overlay::fork tree_overlay::children(const place& at) const {
  const auto [left, right] = halves(at.changes, at.depth);
  const tree_node& node = nodes_[at.node];
  ensure(!node.is_bucket(), "what is below a bucket is in the source");
  return {{node.left, at.depth + 1, at.prefix, left},
          {node.right, at.depth + 1, with_path_bit(at.prefix, at.depth), right}};
}

result<void> tree_overlay::reach_all() {
  plan_.clear(*hashes_);
  reached_.clear();
  splits_.clear();
  before_.clear();
  if (changes_.empty()) return {};
  if (auto ok = evaluate(root_, 0, changes_); !ok) return propagate(ok);
  return {};
}

result<subtree> tree_overlay::root() {
  ensure(use_ == purpose::view, "changes are looked at before they are made");
  if (!worked_out_) {
    own_.clear();
    if (auto ok = reach_all(); !ok) return propagate(ok);
    own_.run();
    worked_out_ = true;
  }
  return reached_.empty() ? nodes_[root_].whole : whole(reached_.front());
}

result<tree_overlay::part> tree_overlay::evaluate_bucket(reached& here,
                                                         std::span<const tree_leaf> changes) {
  const digest prefix = prefix_of(changes.front().path, here.depth);
  auto stored = reader_.read(here.node, prefix, here.depth);
  if (!stored) return propagate(stored);
  const bool is_view = use_ == purpose::view;
  here.bucket = plan_.add(*stored, changes, here.depth, is_view ? nullptr : &before_);
  const auto& made = here.bucket;
  if (!is_view && made.count > bucket_leaves_max) {
    here.split = static_cast<std::uint32_t>(splits_.size());
    splits_.push_back(plan_.leaves());
  }
  return part{made.hash, made.count, made.same};
}

tree_overlay::part tree_overlay::join(const subtree& was, const part& left, const part& right) {
  if (left.same && right.same) return {hashes_->known(was.hash), was.count, true};
  const std::uint32_t count = left.count + right.count;
  if (count > 1) return {hashes_->node(left.hash, right.hash), count, false};
  return {left.count == 1 ? left.hash : right.hash, count, false};
}

result<tree_overlay::part> tree_overlay::evaluate(node_index index, std::size_t depth,
                                                  std::span<const tree_leaf> changes) {
  const tree_node node = nodes_[index]; // a copy: what is read below may change nodes
  if (changes.empty()) return part{hashes_->known(node.whole.hash), node.whole.count, true};
  const std::size_t place = reached_.size();
  reached_.push_back({.node = index, .depth = static_cast<std::uint32_t>(depth), .bucket = {}});
  part becomes{};
  if (node.is_bucket()) {
    auto bucket = evaluate_bucket(reached_.back(), changes);
    if (!bucket) return bucket;
    becomes = *bucket;
  } else {
    const auto [left, right] = halves(changes, depth);
    auto left_part = evaluate(node.left, depth + 1, left);
    if (!left_part) return left_part;
    auto right_part = evaluate(node.right, depth + 1, right);
    if (!right_part) return right_part;
    becomes = join(node.whole, *left_part, *right_part);
  }
  reached& here = reached_[place];
  here.end = static_cast<std::uint32_t>(reached_.size());
  here.hash = becomes.hash;
  here.count = becomes.count;
  here.same = becomes.same;
  return becomes;
}

const tree_overlay::reached* tree_overlay::find(const place& at) const {
  if (at.changes.empty()) return nullptr;
  std::size_t index = 0;
  while (reached_[index].node != at.node) {
    // The first below it is its left child, if that was reached at all.
    const node_index left = nodes_[reached_[index].node].left;
    const bool left_reached = reached_[index + 1].node == left;
    const bool to_right = path_bit(at.prefix, reached_[index].depth);
    ++index;
    if (to_right && left_reached) index = reached_[index].end;
  }
  return &reached_[index];
}

subtree tree_overlay::whole(const place& at) const {
  const reached* found = find(at);
  return found == nullptr ? nodes_[at.node].whole : whole(*found);
}

result<std::vector<tree_leaf>> tree_overlay::leaves_of(const place& at) {
  auto stored = reader_.read(at.node, at.prefix, at.depth);
  if (!stored) return propagate(stored);
  return leaves_with(stored->leaves, at.changes);
}

result<tree_leaf> tree_overlay::lone_leaf(place at) {
  while (!nodes_[at.node].is_bucket()) {
    const auto [left, right] = children(at);
    at = whole(left).count == 1 ? left : right;
  }
  auto leaves = leaves_of(at);
  if (!leaves) return propagate(leaves);
  if (leaves->size() != 1) return stale_source();
  return leaves->front();
}

result<tree_proof> tree_overlay::prove(const digest& path) {
  auto all = root();
  if (!all) return propagate(all);
  std::vector<subtree> beside; // downward
  std::vector<place> places;   // of the first ones of `beside`, those above buckets
  place at = top();
  while (!nodes_[at.node].is_bucket()) {
    const auto [left, right] = children(at);
    const bool to_right = path_bit(path, at.depth);
    places.push_back(to_right ? left : right);
    beside.push_back(whole(places.back()));
    at = to_right ? right : left;
  }
  auto leaves = leaves_of(at);
  if (!leaves) return propagate(leaves);
  const auto end = state_tree_shape::descend(*leaves, at.depth, path, beside);
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
  // A source that has drifted from the tree must not pass for a proof.
  if (!verify_tree_proof(proof, all->hash)) return stale_source();
  return proof;
}

} // namespace mneme
