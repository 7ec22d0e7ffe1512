#pragma once
/// The RFC 6962 Merkle log over entry headers: leaf = H(0x00 ‖ header), node = H(0x01 ‖ l ‖ r),
/// empty = H(""). Keeps only the hash of each complete tile of 256 leaves (32 bytes per 256
/// entries) and the leaves of the last, partial one; older leaves are re-hashed from the journal
/// when a proof needs them. Single owner; not thread-safe.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"

namespace mneme {

digest log_leaf_hash(std::string_view header_bytes);
digest log_node_hash(const digest& left, const digest& right);

/// Leaf hashes [first, first + count), read back from the journal.
using log_leaf_source =
    std::function<result<std::vector<digest>>(std::uint64_t first, std::uint64_t count)>;

class merkle_log {
public:
  void append(const digest& leaf);
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] digest root() const;

  /// Root of the first `size` leaves. Precondition: size <= this->size().
  result<digest> root_at(std::uint64_t size, const log_leaf_source& leaves) const;
  /// RFC 6962 audit path of leaf `index` in the tree of `size` leaves, leaf upward.
  result<std::vector<digest>> inclusion(std::uint64_t index, std::uint64_t size,
                                        const log_leaf_source& leaves) const;
  /// RFC 6962 consistency proof between two sizes.
  result<std::vector<digest>> consistency(std::uint64_t old_size, std::uint64_t new_size,
                                          const log_leaf_source& leaves) const;

  [[nodiscard]] std::string save() const;
  static result<merkle_log> load(std::string_view image);

private:
  std::vector<digest> tiles_;   // roots of complete 256-leaf tiles
  std::vector<digest> partial_; // leaves after the last complete tile
};

} // namespace mneme
