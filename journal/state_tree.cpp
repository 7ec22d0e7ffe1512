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
/// In an image a node is this mark and its two children, or a bucket's leaf count and, unless that
/// is 0, its hash.
constexpr char interior_mark = '\xFF';

} // namespace

struct state_tree::impl {
  tree_leaf_source source;
  node_arena nodes;
  node_index root;

  explicit impl(tree_leaf_source leaves) : source(std::move(leaves)), root(nodes.add({})) {}

  /// Turns the bucket `index` into the nodes over `leaves`, whose hashes are computed on the way.
  void grow(node_index index, std::span<const tree_leaf> leaves, std::size_t depth) {
    if (leaves.size() <= bucket_leaves_max) {
      nodes[index].whole = state_tree_shape::of(leaves, depth);
      return;
    }
    const auto [left, right] = halves(leaves, depth);
    attach(index);
    grow(nodes[index].left, left, depth + 1);
    grow(nodes[index].right, right, depth + 1);
    rejoin(index);
  }

  void attach(node_index index) {
    ensure(nodes[index].is_bucket(), "children are given to a bucket");
    const node_index left = nodes.add({});
    const node_index right = nodes.add({});
    nodes[index].left = left;
    nodes[index].right = right;
  }

  void rejoin(node_index index) {
    tree_node& node = nodes[index];
    node.whole = state_tree_shape::join(nodes[node.left].whole, nodes[node.right].whole);
  }

  /// Makes the change that `overlay` worked out.
  void take(const tree_overlay& overlay, node_index index, std::size_t depth) {
    const auto* becomes = overlay.changed(index);
    if (becomes == nullptr) return;
    nodes[index].whole = becomes->whole;
    if (nodes[index].is_bucket()) {
      if (!becomes->leaves.empty()) grow(index, becomes->leaves, depth);
      ensure(nodes[index].whole == becomes->whole, "a bucket that splits keeps its hash");
    } else if (becomes->whole.count < interior_leaves_min) {
      nodes.collapse(index);
    } else {
      take(overlay, nodes[index].left, depth + 1);
      take(overlay, nodes[index].right, depth + 1);
    }
  }

  /// Fills the bucket `index` with all that the source has below `prefix`, in portions of the
  /// paths that share a first byte, so that the leaves are never in memory all at once.
  result<void> fill(node_index index, const digest& prefix, std::size_t depth) {
    if (depth == portion_depth) {
      auto leaves = read_subtree(source, prefix, depth);
      if (!leaves) return propagate(leaves);
      grow(index, *leaves, depth);
      return {};
    }
    attach(index);
    if (auto ok = fill(nodes[index].left, prefix, depth + 1); !ok) return ok;
    if (auto ok = fill(nodes[index].right, with_path_bit(prefix, depth), depth + 1); !ok) return ok;
    rejoin(index);
    if (nodes[index].whole.count <= bucket_leaves_max) nodes.collapse(index);
    return {};
  }

  void save(node_index index, std::string& image) const {
    const tree_node& node = nodes[index];
    if (!node.is_bucket()) {
      image.push_back(interior_mark);
      save(node.left, image);
      save(node.right, image);
      return;
    }
    ensure(node.whole.count <= bucket_leaves_max, "a bucket has few leaves");
    image.push_back(static_cast<char>(node.whole.count));
    if (node.whole.count > 0) image += node.whole.hash.raw();
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
    subtree& whole = nodes[index].whole;
    whole.count = static_cast<std::uint8_t>(mark);
    if (whole.count > bucket_leaves_max) return false;
    if (whole.count == 0) return true;
    if (image.size() < whole.hash.bytes.size()) return false;
    std::ranges::copy(image.substr(0, whole.hash.bytes.size()), whole.hash.bytes.begin());
    image.remove_prefix(whole.hash.bytes.size());
    return !whole.hash.is_zero();
  }

  [[nodiscard]] std::unique_ptr<tree_overlay> look(std::span<const tree_leaf> changes,
                                                   tree_overlay::purpose use) const {
    return std::make_unique<tree_overlay>(nodes, root, source, changes, use);
  }
};

state_tree::state_tree(tree_leaf_source leaves) : impl_(std::make_unique<impl>(std::move(leaves))) {
}
state_tree::~state_tree() = default;
state_tree::state_tree(state_tree&&) noexcept = default;
state_tree& state_tree::operator=(state_tree&&) noexcept = default;

result<tree_change> state_tree::prepare(std::span<const tree_leaf> changes) const {
  auto overlay = impl_->look(changes, tree_overlay::purpose::change);
  if (auto whole = overlay->root(); !whole) return propagate(whole);
  return tree_change(std::move(overlay));
}

void state_tree::commit(tree_change change) {
  ensure(change.overlay_ != nullptr, "a change is made once");
  impl_->take(*change.overlay_, impl_->root, 0);
}

result<std::vector<tree_leaf>> state_tree::apply(std::span<const tree_leaf> changes) {
  auto change = prepare(changes);
  if (!change) return propagate(change);
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
  return tree_view(impl_->look(changes, tree_overlay::purpose::view));
}

result<digest> state_tree::root_with(std::span<const tree_leaf> changes) const {
  return with(changes).root();
}

result<tree_proof> state_tree::prove(const digest& path, std::span<const tree_leaf> changes) const {
  return with(changes).prove(path);
}

result<void> state_tree::rebuild() {
  auto fresh = std::make_unique<impl>(impl_->source);
  if (auto ok = fresh->fill(fresh->root, {}, 0); !ok) return ok;
  impl_ = std::move(fresh);
  return {};
}

std::string state_tree::save() const {
  std::string image;
  impl_->save(impl_->root, image);
  return image;
}

result<void> state_tree::load(std::string_view image) {
  auto fresh = std::make_unique<impl>(impl_->source);
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
