#include "journal/state_tree.hpp"

#include <algorithm>
#include <utility>

#include "journal/tree_overlay.hpp"
#include "messages/ensure.hpp"

namespace mneme {

tree_view::tree_view(std::unique_ptr<tree_overlay> overlay) : overlay_(std::move(overlay)) {
}
tree_view::~tree_view() = default;
tree_view::tree_view(tree_view&&) noexcept = default;
tree_view& tree_view::operator=(tree_view&&) noexcept = default;

result<digest> tree_view::root() {
  auto whole = overlay_->root();
  if (!whole) return propagate(whole);
  return whole->hash;
}

result<tree_proof> tree_view::prove(const digest& path) {
  return overlay_->prove(path);
}

tree_change::tree_change(std::unique_ptr<tree_overlay> overlay) : overlay_(std::move(overlay)) {
}
tree_change::~tree_change() = default;
tree_change::tree_change(tree_change&&) noexcept = default;
tree_change& tree_change::operator=(tree_change&&) noexcept = default;

const std::vector<tree_leaf>& tree_change::before() const {
  return overlay_->before();
}

namespace {

constexpr std::size_t portion_depth = 8;
/// The room that a change of more nodes took is given back.
constexpr std::size_t spare_nodes_max = 1 << 15;
/// In an image a node is this mark and its two children, or a bucket's leaf count and, unless that
/// is 0, its hash.
constexpr char interior_mark = '\xFF';

void save_node(const frozen_nodes& nodes, node_index index, std::string& image) {
  const tree_node& node = nodes[index];
  if (!node.is_bucket()) {
    image.push_back(interior_mark);
    save_node(nodes, node.left, image);
    save_node(nodes, node.right, image);
    return;
  }
  ensure(node.whole.count <= bucket_leaves_max, "a bucket has few leaves");
  image.push_back(static_cast<char>(node.whole.count));
  if (node.whole.count > 0) image += node.whole.hash.raw();
}

} // namespace

struct frozen_tree::impl {
  frozen_nodes nodes;
  node_index root;
};
frozen_tree::frozen_tree(std::shared_ptr<const impl> tree) : impl_(std::move(tree)) {
}
std::string frozen_tree::save() const {
  std::string image;
  save_node(impl_->nodes, impl_->root, image);
  return image;
}

struct state_tree::impl {
  tree_leaf_source source;
  std::shared_ptr<leaf_cache> kept;
  node_arena nodes;
  node_index root;
  std::unique_ptr<tree_overlay> spare; ///< of an earlier change: its room is taken for the next

  impl(tree_leaf_source leaves, std::shared_ptr<leaf_cache> cache)
      : source(std::move(leaves)), kept(std::move(cache)), root(nodes.add({})) {}

  /// Turns the bucket `index` into the nodes over `leaves`, which hash to `whole`. Some `forks` are
  /// changed where a node comes between.
  void grow(node_index index, std::span<const tree_leaf> leaves, std::span<digest> forks,
            const digest& whole, std::size_t depth) {
    tree_node& node = nodes.change(index);
    node.whole = {whole, static_cast<std::uint32_t>(leaves.size())};
    if (leaves.size() <= bucket_leaves_max) {
      node.page = kept->put(node.page, {leaves, forks});
      return;
    }
    const auto [left, right] = halves(leaves, depth);
    attach(index);
    const auto [left_child, right_child] = std::pair(nodes[index].left, nodes[index].right);
    if (left.empty() || right.empty()) {
      digest& top = forks[top_fork(leaves)];
      top = hash_at_depth({leaves, forks}, depth + 1);
      grow(right.empty() ? left_child : right_child, leaves, forks, top, depth + 1);
      return;
    }
    const auto left_forks = forks.first(left.size() - 1);
    const auto right_forks = forks.subspan(left.size());
    grow(left_child, left, left_forks, hash_at_fork({left, left_forks}), depth + 1);
    grow(right_child, right, right_forks, hash_at_fork({right, right_forks}), depth + 1);
  }

  void attach(node_index index) {
    ensure(nodes[index].is_bucket(), "children are given to a bucket");
    const node_index left = nodes.add({});
    const node_index right = nodes.add({});
    tree_node& node = nodes.change(index);
    kept->drop(std::exchange(node.page, {}));
    node.left = left;
    node.right = right;
  }

  void rejoin(node_index index) {
    tree_node& node = nodes.change(index);
    node.whole = state_tree_shape::join(nodes[node.left].whole, nodes[node.right].whole);
  }

  /// Makes the change that `overlay` worked out.
  void take(tree_overlay& overlay) {
    const auto all = overlay.all();
    for (std::size_t i = 0; i < all.size();) {
      const auto& reached = all[i];
      i = reached.same ? reached.end : i + 1;
      if (reached.same) continue;
      const auto whole = overlay.whole(reached);
      nodes.change(reached.node).whole = whole;
      if (nodes[reached.node].is_bucket()) {
        take_bucket(overlay, reached);
      } else if (whole.count < interior_leaves_min) {
        nodes.collapse(reached.node, *kept);
        i = reached.end;
      }
    }
  }

  void take_bucket(tree_overlay& overlay, const tree_overlay::reached& reached) {
    const leaf_page page = nodes[reached.node].page;
    leaf_bucket* bucket = kept->find(page);
    if (reached.split == tree_overlay::no_split) {
      if (bucket == nullptr) return; // the source will have it
      overlay.edit(reached, *bucket);
      kept->changed(page);
      return;
    }
    leaf_bucket split;
    if (bucket == nullptr) {
      hash_bucket(overlay.split_leaves(reached), reached.depth, split);
    } else {
      overlay.edit(reached, *bucket);
      split = std::move(*bucket);
    }
    grow(reached.node, split.leaves, split.forks, overlay.whole(reached).hash, reached.depth);
  }

  /// Fills the bucket `index` with all that the source has below `prefix`, in portions of the
  /// paths that share a first byte, so that the leaves are never in memory all at once.
  result<void> fill(node_index index, const digest& prefix, std::size_t depth) {
    if (depth == portion_depth) {
      auto leaves = read_subtree(source, prefix, depth);
      if (!leaves) return propagate(leaves);
      leaf_bucket all;
      const auto whole = hash_bucket(std::move(*leaves), depth, all);
      grow(index, all.leaves, all.forks, whole.hash, depth);
      return {};
    }
    attach(index);
    if (auto ok = fill(nodes[index].left, prefix, depth + 1); !ok) return ok;
    if (auto ok = fill(nodes[index].right, with_path_bit(prefix, depth), depth + 1); !ok) return ok;
    rejoin(index);
    if (nodes[index].whole.count <= bucket_leaves_max) nodes.collapse(index, *kept);
    return {};
  }

  /// False if what comes next in `image` is no node at this depth.
  bool load(node_index index, std::string_view& image, std::size_t depth) {
    if (image.empty()) return false;
    const char mark = image.front();
    image.remove_prefix(1);
    if (mark == interior_mark) {
      if (depth == path_bits) return false;
      attach(index);
      if (!load(nodes[index].left, image, depth + 1)) return false;
      if (!load(nodes[index].right, image, depth + 1)) return false;
      rejoin(index);
      return nodes[index].whole.count >= interior_leaves_min;
    }
    subtree& whole = nodes.change(index).whole;
    whole.count = static_cast<std::uint8_t>(mark);
    if (whole.count > bucket_leaves_max) return false;
    if (whole.count == 0) return true;
    if (image.size() < whole.hash.bytes.size()) return false;
    std::ranges::copy(image.substr(0, whole.hash.bytes.size()), whole.hash.bytes.begin());
    image.remove_prefix(whole.hash.bytes.size());
    return !whole.hash.is_zero();
  }

  [[nodiscard]] std::unique_ptr<tree_overlay> overlay() {
    if (spare) return std::move(spare);
    return std::make_unique<tree_overlay>(nodes, root, bucket_reader(nodes, source, *kept));
  }
};

state_tree::state_tree(tree_leaf_source leaves, std::shared_ptr<leaf_cache> kept)
    : impl_(std::make_unique<impl>(std::move(leaves), std::move(kept))) {
}
state_tree::~state_tree() = default;
state_tree::state_tree(state_tree&&) noexcept = default;
state_tree& state_tree::operator=(state_tree&&) noexcept = default;

result<tree_change> state_tree::prepare(std::span<const tree_leaf> changes,
                                        hash_rounds& hashes) const {
  auto overlay = impl_->overlay();
  if (auto ok = overlay->work_out(changes, hashes); !ok) return propagate(ok);
  return tree_change(std::move(overlay));
}

void state_tree::commit(tree_change change) {
  ensure(change.overlay_ != nullptr, "a change is made once");
  impl_->take(*change.overlay_);
  if (change.overlay_->all().size() <= spare_nodes_max) impl_->spare = std::move(change.overlay_);
}

result<std::vector<tree_leaf>> state_tree::apply(std::span<const tree_leaf> changes) {
  hash_rounds hashes;
  auto change = prepare(changes, hashes);
  if (!change) return propagate(change);
  hashes.run();
  auto before = change->before();
  commit(std::move(*change));
  return before;
}

digest state_tree::root() const {
  return impl_->nodes[impl_->root].whole.hash;
}

std::uint64_t state_tree::leaf_count() const {
  return impl_->nodes[impl_->root].whole.count;
}

tree_view state_tree::with(std::span<const tree_leaf> changes) const {
  auto overlay = impl_->overlay();
  overlay->look_at(changes);
  return tree_view(std::move(overlay));
}

result<digest> state_tree::root_with(std::span<const tree_leaf> changes) const {
  return with(changes).root();
}

result<tree_proof> state_tree::prove(const digest& path, std::span<const tree_leaf> changes) const {
  return with(changes).prove(path);
}

result<void> state_tree::rebuild() {
  auto fresh = std::make_unique<impl>(impl_->source, impl_->kept);
  if (auto ok = fresh->fill(fresh->root, {}, 0); !ok) return ok;
  impl_ = std::move(fresh);
  return {};
}

frozen_tree state_tree::freeze() const {
  return frozen_tree(std::make_shared<const frozen_tree::impl>(
      frozen_tree::impl{.nodes = impl_->nodes.freeze(), .root = impl_->root}));
}

std::string state_tree::save() const {
  return freeze().save();
}

result<void> state_tree::load(std::string_view image) {
  auto fresh = std::make_unique<impl>(impl_->source, impl_->kept);
  // A bucket that has leaves takes 33 bytes, what joins two of them one.
  fresh->nodes.reserve(image.size() / 17 + 1);
  if (!fresh->load(fresh->root, image, 0) || !image.empty())
    return fail(errc::corrupt, "an image of a state tree is malformed");
  impl_ = std::move(fresh);
  return {};
}

digest tree_root_of(std::vector<tree_leaf> leaves) {
  std::ranges::sort(leaves, {}, &tree_leaf::path);
  return state_tree_shape::of(leaves, 0).hash;
}

} // namespace mneme
