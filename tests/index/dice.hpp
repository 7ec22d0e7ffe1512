#pragma once
/// Seeded draws for the tests of index/: the same on every machine.

#include <cstdint>
#include <vector>

#include "mneme/ids.hpp"

namespace mneme {

class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// 0 <= result < bound.
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  /// -1 <= result < 1.
  float number() { return static_cast<float>(next() >> 40) / 8388608.0F - 1.0F; }
  /// About normal, by the sum of uniform draws.
  float bell() {
    float sum = 0;
    for (int i = 0; i < 6; ++i) sum += number();
    return sum;
  }

private:
  std::uint64_t state_;
};

/// An id whose order has nothing to do with `n`, and whose first 8 bytes are often shared.
inline memory_id scattered_id(std::uint32_t n) {
  dice d(n);
  memory_id id;
  id.bytes[7] = static_cast<std::uint8_t>(d.below(3));
  for (std::size_t i = 8; i < 16; ++i) id.bytes[i] = static_cast<std::uint8_t>(d.below(256));
  return id;
}

} // namespace mneme
