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
  [[nodiscard]] const digest& operator[](slot at) const { return places_[at].hash; }

  /// Forgets all, but not the room that it took.
  void clear();
  /// Gives room for more than `most` hashes back, and forgets all then.
  void give_back(std::size_t most);

private:
  struct place {
    digest hash;
    std::uint32_t round; ///< that it is computed in; 0: known
  };
  struct job {
    bool is_leaf;
    slot first; ///< path or left
    slot second;
    slot result;
  };
  slot add(const digest& hash, std::uint32_t round);
  slot wait(bool is_leaf, slot first, slot second);

  std::vector<place> places_;
  std::vector<job> jobs_;
  std::vector<std::uint32_t> ends_; ///< [i]: where the jobs up to round i end among pairs_
  std::vector<tagged_pair> pairs_;  ///< of the jobs, round by round
};

} // namespace mneme
