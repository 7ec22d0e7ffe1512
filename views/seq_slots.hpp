#pragma once
/// Numbers by seq, for one thread at a time: open addressing, so that to look one up is to look at
/// one line of memory.

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "index/numbers.hpp"
#include "messages/ensure.hpp"
#include "mneme/ids.hpp"

namespace mneme {

class seq_slots {
public:
  /// no_number if there is none.
  [[nodiscard]] std::uint32_t find(seq_no seq) const {
    if (slots_.empty()) return no_number;
    const slot& found = slots_[place_of(seq.value)];
    return found.seq == 0 ? no_number : found.number;
  }
  /// Hints that `seq` is looked up soon.
  void prefetch(seq_no seq) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home_of(seq.value)]);
  }
  /// Precondition: a seq above 0 that is not there.
  void insert(seq_no seq, std::uint32_t number) {
    ensure(seq.value != 0, "seq 0 marks what is free");
    if (2 * (count_ + 1) > slots_.size()) grow();
    slot& free = slots_[place_of(seq.value)];
    ensure(free.seq == 0, "a seq has one number");
    free = {seq.value, number};
    ++count_;
  }
  /// Precondition: it is there.
  void erase(seq_no seq) {
    std::uint64_t hole = place_of(seq.value);
    ensure(slots_[hole].seq == seq.value, "what is taken out is there");
    // What would not be found across the hole moves into it.
    for (std::uint64_t at = next(hole); slots_[at].seq != 0; at = next(at)) {
      const std::uint64_t home = home_of(slots_[at].seq);
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --count_;
  }

private:
  struct slot {
    std::uint64_t seq = 0; ///< 0: free
    std::uint32_t number = 0;
  };
  static constexpr std::uint64_t least_slots = 64;

  [[nodiscard]] std::uint64_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::uint64_t next(std::uint64_t at) const { return (at + 1) & mask(); }
  /// Fibonacci hashing: the upper bits are mixed best.
  [[nodiscard]] std::uint64_t home_of(std::uint64_t seq) const {
    return (seq * 0x9E3779B97F4A7C15U) >> (64 - std::countr_zero(slots_.size()));
  }
  /// Where it is, or would be.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t seq) const {
    std::uint64_t at = home_of(seq);
    while (slots_[at].seq != 0 && slots_[at].seq != seq) at = next(at);
    return at;
  }
  void grow() {
    const auto old =
        std::exchange(slots_, std::vector<slot>(slots_.empty() ? least_slots : 2 * slots_.size()));
    for (const slot& s : old)
      if (s.seq != 0) slots_[place_of(s.seq)] = s;
  }

  std::vector<slot> slots_;
  std::uint64_t count_ = 0;
};

} // namespace mneme
