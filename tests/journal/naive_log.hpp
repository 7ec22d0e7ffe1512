#pragma once
/// RFC 6962 section 2.1 word for word, over all leaves at hand: the reference for the log.

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "messages/hash.hpp"

namespace mneme::naive_log {

inline digest node(const digest& left, const digest& right) {
  sha256 hasher;
  return hasher.update(std::uint8_t{1}).update(left.raw()).update(right.raw()).finish();
}

/// MTH(D[n]) over leaf hashes.
inline digest root(std::span<const digest> leaves) {
  if (leaves.empty()) return sha256_of("");
  if (leaves.size() == 1) return leaves[0];
  const std::size_t k = std::bit_floor(leaves.size() - 1);
  return node(root(leaves.first(k)), root(leaves.subspan(k)));
}

/// PATH(m, D[n])
inline std::vector<digest> path(std::size_t m, std::span<const digest> leaves) {
  if (leaves.size() == 1) return {};
  const std::size_t k = std::bit_floor(leaves.size() - 1);
  auto proof = m < k ? path(m, leaves.first(k)) : path(m - k, leaves.subspan(k));
  proof.push_back(m < k ? root(leaves.subspan(k)) : root(leaves.first(k)));
  return proof;
}

/// SUBPROOF(m, D[n], b)
inline std::vector<digest> subproof(std::size_t m, std::span<const digest> leaves, bool whole) {
  if (m == leaves.size()) return whole ? std::vector<digest>{} : std::vector{root(leaves)};
  const std::size_t k = std::bit_floor(leaves.size() - 1);
  auto proof =
      m <= k ? subproof(m, leaves.first(k), whole) : subproof(m - k, leaves.subspan(k), false);
  proof.push_back(m <= k ? root(leaves.subspan(k)) : root(leaves.first(k)));
  return proof;
}

} // namespace mneme::naive_log
