#pragma once
/// Hashes of a state tree that build on each other: noted while a change is worked out, computed
/// together, in rounds of those that wait for none of the same round.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "journal/hash_rules.hpp"

namespace mneme {

class hash_rounds {
public:
  using slot = std::uint32_t;

  /// A hash that is there already.
  slot known(const digest& hash);
  /// Hashes to be computed.
  slot leaf(const tree_leaf& leaf);
  slot node(slot left, slot right);

  /// How many are to be computed.
  [[nodiscard]] std::size_t waiting() const { return jobs_.size(); }
  void run();
  /// A known one, or any after run().
  [[nodiscard]] const digest& operator[](slot at) const { return hashes_[at]; }

  /// Forgets all, but not the room that it took.
  void clear();
  void reserve(std::size_t hashes);

private:
  struct job {
    bool is_leaf;
    slot first; ///< path or left
    slot second;
    slot result;
  };
  std::vector<digest> hashes_;
  std::vector<job> jobs_;
};

} // namespace mneme
