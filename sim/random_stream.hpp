#pragma once
/// The simulator's own randomness: one seed, many streams told apart by name, so that a change in
/// the draws of one (say, the faults) does not shift those of another. splitmix64, no <random>
/// distributions: they differ between standard libraries.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mneme::sim {

class random_stream {
public:
  random_stream(std::uint64_t seed, std::string_view name) : state_(mix(seed) ^ hash(name)) {}

  std::uint64_t next() { return mix(state_ += golden_ratio); }
  /// 0 .. bound - 1. Precondition: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// low .. high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  bool percent(std::uint64_t p) { return below(100) < p; }
  /// Precondition: the list is not empty.
  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(below(list.size()))];
  }

private:
  static constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15ULL;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  static constexpr std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 0xCBF29CE484222325ULL;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return h;
  }

  std::uint64_t state_;
};

} // namespace mneme::sim
