#pragma once
/// Random vectors in clusters, with duplicates, and the naive search over them.

#include <functional>
#include <vector>

#include "index/vectors/vectors.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

class vector_cloud {
public:
  /// `count` vectors; some slots are left out, some vectors are equal to earlier ones.
  vector_cloud(std::uint64_t seed, std::size_t dim, std::size_t count, std::size_t clusters,
               bool with_duplicates);

  void append_to(vectors& index, std::size_t from, std::size_t to) const;
  /// A point near a random cluster.
  [[nodiscard]] std::vector<float> query(dice& d) const;
  /// Brute force over the first `count` vectors.
  [[nodiscard]] std::vector<near_hit> nearest(std::span<const float> query, std::size_t k,
                                              const std::function<bool(slot_no)>& accept,
                                              std::size_t count) const;
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] slot_no slot(std::size_t i) const { return slots_[i]; }
  [[nodiscard]] const std::vector<slot_no>& slots() const { return slots_; }
  [[nodiscard]] const std::vector<float>& values(std::size_t i) const { return values_[i]; }

private:
  [[nodiscard]] std::vector<float> near_center(dice& d) const;

  std::size_t dim_;
  std::vector<std::vector<float>> centers_;
  std::vector<slot_no> slots_;
  std::vector<std::vector<float>> values_;
};

/// An image where a mapped file would have it: what is loaded of it stays there.
image_bytes in_place(const std::string& image);

/// The id that ties are decided by: its order has nothing to do with the slot's.
memory_id tie_of(slot_no slot);

bool operator==(const near_hit& a, const near_hit& b);

} // namespace mneme
