#include "journal/merkle_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// The nodes of one complete tile, level by level from the leaves.
using tile_nodes = std::array<std::vector<digest>, merkle_log::tile_level>;

std::vector<digest> pair_up(const std::vector<digest>& below) {
  std::vector<digest> above;
  above.reserve(below.size() / 2);
  for (std::size_t i = 0; i + 1 < below.size(); i += 2)
    above.push_back(log_node_hash(below[i], below[i + 1]));
  return above;
}

/// Folds subtrees from left (largest) to right (smallest) to the hash over all of them.
digest fold_right(const std::vector<digest>& peaks) {
  ensure(!peaks.empty(), "a hash is asked for over some leaves");
  digest hash = peaks.back();
  for (std::size_t i = peaks.size() - 1; i > 0; --i) hash = log_node_hash(peaks[i - 1], hash);
  return hash;
}

void append_hashes(std::string& out, const std::vector<digest>& hashes) {
  for (const auto& hash : hashes) out += hash.raw();
}

} // namespace

/// Node hashes of the log at any place; reads back the leaves of each old tile at most once.
class merkle_log::reader {
public:
  reader(const merkle_log& log, const log_leaf_source& leaves) : log_(log), leaves_(leaves) {}

  /// MTH of the leaves [first, last), where `first` starts a subtree of at least that many.
  result<digest> range(std::uint64_t first, std::uint64_t last) {
    std::vector<digest> peaks;
    while (first < last) {
      const int level = static_cast<int>(std::bit_width(last - first)) - 1;
      ensure((first & ((1ULL << level) - 1)) == 0, "a subtree begins at a multiple of its size");
      auto hash = node(level, first >> level);
      if (!hash) return hash;
      peaks.push_back(*hash);
      first += 1ULL << level;
    }
    return fold_right(peaks);
  }

  /// RFC 6962 audit path of leaf `index` among the first `size`, leaf upward.
  result<std::vector<digest>> inclusion(std::uint64_t index, std::uint64_t size) {
    std::vector<digest> path;
    std::uint64_t first = 0;
    std::uint64_t last = size;
    while (last - first > 1) {
      const std::uint64_t middle = first + std::bit_floor(last - first - 1);
      const bool to_left = index < middle;
      auto beside = to_left ? range(middle, last) : range(first, middle);
      if (!beside) return propagate(beside);
      path.push_back(*beside);
      (to_left ? last : first) = middle;
    }
    std::ranges::reverse(path);
    return path;
  }

  /// No leaf before that of `index` is asked about any more.
  void pass(std::uint64_t index) {
    tiles_.erase(tiles_.begin(), tiles_.lower_bound(index >> tile_level));
  }

private:
  result<digest> node(int level, std::uint64_t index) {
    const auto at = static_cast<std::size_t>(level);
    if (level >= tile_level) return log_.levels_[at][index];
    const int levels_up = tile_level - level;
    const std::uint64_t tile = index >> levels_up;
    const std::uint64_t inside = index - (tile << levels_up);
    if (tile == log_.size_ >> tile_level) return log_.levels_[at][inside];
    auto nodes = load(tile);
    if (!nodes) return propagate(nodes);
    return (**nodes)[at][inside];
  }

  result<const tile_nodes*> load(std::uint64_t tile) {
    const auto [place, fresh] = tiles_.try_emplace(tile);
    if (!fresh) return &place->second;
    auto leaves = leaves_(tile << tile_level, tile_leaves);
    if (!leaves) return propagate(leaves);
    if (leaves->size() != tile_leaves)
      return fail(errc::corrupt, "the journal gave " + std::to_string(leaves->size())
                                     + " headers of a tile of 256");
    tile_nodes& nodes = place->second;
    nodes[0] = std::move(*leaves);
    for (std::size_t level = 1; level < nodes.size(); ++level)
      nodes[level] = pair_up(nodes[level - 1]);
    if (pair_up(nodes.back()).front() != log_.levels_[tile_level][tile])
      return fail(errc::corrupt, "the journal's headers from entry "
                                     + std::to_string((tile << tile_level) + 1)
                                     + " on are not those that were hashed");
    return &nodes;
  }

  const merkle_log& log_;
  const log_leaf_source& leaves_;
  std::map<std::uint64_t, tile_nodes> tiles_;
};

void merkle_log::carry(int from_level) {
  auto level = static_cast<std::size_t>(from_level);
  for (;; ++level) {
    // Size counts the node just added at `level`: an even count there completes a pair.
    if (((size_ >> level) & 1) != 0) return;
    const auto& nodes = levels_[level];
    ensure(nodes.size() >= 2, "an even number of nodes ends with a pair");
    const digest pair = log_node_hash(nodes[nodes.size() - 2], nodes.back());
    if (levels_.size() == level + 1) levels_.emplace_back();
    levels_[level + 1].push_back(pair);
    if (level + 1 == tile_level)
      for (std::size_t below = 0; below < tile_level; ++below) levels_[below].clear();
  }
}

void merkle_log::append(const digest& leaf) {
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].push_back(leaf);
  ++size_;
  carry(0);
}

digest merkle_log::root() const {
  if (size_ == 0) return empty_log_root();
  ensure(levels_.size() >= static_cast<std::size_t>(std::bit_width(size_)),
         "each bit of a log's size has its level");
  std::optional<digest> hash;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (((size_ >> level) & 1) == 0) continue;
    const digest& peak = levels_[level].back();
    hash = hash ? log_node_hash(peak, *hash) : peak;
  }
  return *hash;
}

result<digest> merkle_log::root_at(std::uint64_t size, const log_leaf_source& leaves) const {
  ensure(size <= size_, "a log root is asked for within the log");
  if (size == size_) return root();
  if (size == 0) return empty_log_root();
  return reader(*this, leaves).range(0, size);
}

result<std::vector<digest>> merkle_log::inclusion(std::uint64_t index, std::uint64_t size,
                                                  const log_leaf_source& leaves) const {
  ensure(index < size && size <= size_, "an audit path is asked for within the log");
  return reader(*this, leaves).inclusion(index, size);
}

result<void> merkle_log::inclusions(
    std::span<const std::uint64_t> indices, std::uint64_t size, const log_leaf_source& leaves,
    const std::function<result<void>(std::uint64_t, std::vector<digest>)>& visit) const {
  ensure(std::ranges::is_sorted(indices), "audit paths are asked for in the order of the leaves");
  reader nodes(*this, leaves);
  for (const std::uint64_t index : indices) {
    ensure(index < size && size <= size_, "an audit path is asked for within the log");
    nodes.pass(index);
    auto path = nodes.inclusion(index, size);
    if (!path) return propagate(path);
    if (auto ok = visit(index, std::move(*path)); !ok) return ok;
  }
  return {};
}

result<std::vector<digest>> merkle_log::consistency(std::uint64_t old_size, std::uint64_t new_size,
                                                    const log_leaf_source& leaves) const {
  ensure(old_size <= new_size && new_size <= size_, "a consistency proof stays within the log");
  std::vector<digest> path;
  if (old_size == 0) return path;
  reader nodes(*this, leaves);
  std::uint64_t first = 0;
  std::uint64_t last = new_size;
  while (last != old_size) {
    const std::uint64_t middle = first + std::bit_floor(last - first - 1);
    const bool to_left = old_size <= middle;
    auto beside = to_left ? nodes.range(middle, last) : nodes.range(first, middle);
    if (!beside) return propagate(beside);
    path.push_back(*beside);
    (to_left ? last : first) = middle;
  }
  // Starting from the first leaf the subtree is the whole old log, whose root is known.
  if (first != 0) {
    auto seed = nodes.range(first, last);
    if (!seed) return propagate(seed);
    path.push_back(*seed);
  }
  std::ranges::reverse(path);
  return path;
}

// Image: u64be size ‖ tile hashes ‖ leaf hashes of the incomplete tile.
std::string merkle_log::save() const {
  std::string image;
  for (int shift = 56; shift >= 0; shift -= 8)
    image.push_back(static_cast<char>((size_ >> shift) & 0xFF));
  if (levels_.size() > tile_level) append_hashes(image, levels_[tile_level]);
  if (!levels_.empty()) append_hashes(image, levels_[0]);
  return image;
}

result<merkle_log> merkle_log::load(std::string_view image) {
  constexpr std::size_t head = 8;
  constexpr std::size_t hash_bytes = 32;
  std::uint64_t size = 0;
  if (image.size() < head) return fail(errc::corrupt, "a log image is cut off");
  for (std::size_t i = 0; i < head; ++i) size = (size << 8) | static_cast<std::uint8_t>(image[i]);
  const std::uint64_t tiles = size >> tile_level;
  const std::uint64_t hashes = tiles + size % tile_leaves;
  image.remove_prefix(head);
  if (image.size() % hash_bytes != 0 || image.size() / hash_bytes != hashes)
    return fail(errc::corrupt, "a log image has another length than its size says");

  const auto next = [&image] {
    digest hash;
    std::ranges::copy(image.substr(0, hash_bytes), hash.bytes.begin());
    image.remove_prefix(hash_bytes);
    return hash;
  };
  merkle_log log;
  if (tiles > 0) log.levels_.resize(tile_level + 1);
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    log.levels_[tile_level].push_back(next());
    log.size_ += tile_leaves;
    log.carry(tile_level);
  }
  while (log.size_ < size) log.append(next());
  return log;
}

} // namespace mneme
