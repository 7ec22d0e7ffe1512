#pragma once
/// The RFC 6962 Merkle log over entry headers: leaf = H(0x00 ‖ header), node = H(0x01 ‖ l ‖ r),
/// empty = H(""). Keeps the hash of each complete tile of 256 leaves, the nodes above them (64
/// bytes per 256 entries in all) and the nodes of the last, incomplete tile; older leaves are
/// re-hashed from the journal when a proof needs them. Single owner; not thread-safe.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/hash_rules.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// Leaf hashes [first, first + count), read back from the journal. Only complete tiles are asked
/// for; leaves that do not hash to the tile's hash are refused as corrupt.
using log_leaf_source =
    std::function<result<std::vector<digest>>(std::uint64_t first, std::uint64_t count)>;

class merkle_log {
public:
  static constexpr int tile_level = 8;
  static constexpr std::uint64_t tile_leaves = 1ULL << tile_level;

  void append(const digest& leaf);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] digest root() const;

  /// Root of the first `size` leaves, which are there.
  result<digest> root_at(std::uint64_t size, const log_leaf_source& leaves) const;
  /// RFC 6962 audit path of leaf `index` in the tree of `size` leaves, leaf upward.
  /// Precondition: index < size <= this->size().
  result<std::vector<digest>> inclusion(std::uint64_t index, std::uint64_t size,
                                        const log_leaf_source& leaves) const;
  /// The same of several leaves: calls visit(index, path) for each until it refuses. Leaves are
  /// read back in ascending order but for those of the last tile, which may come first.
  /// Preconditions: as of one leaf; `indices` ascend.
  result<void>
  inclusions(std::span<const std::uint64_t> indices, std::uint64_t size,
             const log_leaf_source& leaves,
             const std::function<result<void>(std::uint64_t, std::vector<digest>)>& visit) const;
  /// RFC 6962 consistency proof between two sizes. Precondition: old_size <= new_size <=
  /// this->size().
  result<std::vector<digest>> consistency(std::uint64_t old_size, std::uint64_t new_size,
                                          const log_leaf_source& leaves) const;

  [[nodiscard]] std::string save() const;
  /// corrupt if the image has not exactly the length that its size implies.
  static result<merkle_log> load(std::string_view image);

private:
  class reader;
  void carry(int from_level);

  /// levels_[k] holds the hashes of complete subtrees of 2^k leaves, left to right; below
  /// tile_level only those inside the last, incomplete tile.
  std::vector<std::vector<digest>> levels_;
  std::uint64_t size_ = 0;
};

} // namespace mneme
