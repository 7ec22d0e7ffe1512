#include <algorithm>
#include <array>
#include <bit>

#include <unistd.h>

#include "messages/ensure.hpp"
#include "mneme/seams.hpp"

namespace mneme {

namespace {

class system_random final : public random_source {
public:
  void fill(std::span<std::uint8_t> out) override {
    constexpr std::size_t max_request_bytes = 256; // of one getentropy call
    while (!out.empty()) {
      const auto piece = out.first(std::min(out.size(), max_request_bytes));
      ensure(getentropy(piece.data(), piece.size()) == 0, "the system gives no entropy");
      out = out.subspan(piece.size());
    }
  }
};

/// The finaliser of splitmix64.
std::uint64_t finalised(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// xoshiro256** (Blackman and Vigna), seeded from splitmix64 as its authors advise.
class seeded_random final : public random_source {
public:
  seeded_random(std::uint64_t seed, std::uint64_t stream) {
    // Both are mixed before they meet, so that (1, 2) and (2, 1) are different streams.
    std::uint64_t x =
        finalised(seed + golden_ratio) + finalised(finalised(stream + 2 * golden_ratio));
    for (std::uint64_t& word : state_) {
      x += golden_ratio;
      word = finalised(x);
    }
    if (std::ranges::all_of(state_, [](std::uint64_t word) { return word == 0; })) state_[0] = 1;
  }

  void fill(std::span<std::uint8_t> out) override {
    for (std::size_t i = 0; i < out.size(); i += 8) {
      const std::uint64_t word = next();
      for (std::size_t k = 0; k < 8 && i + k < out.size(); ++k)
        out[i + k] = static_cast<std::uint8_t>(word >> (8 * k));
    }
  }

private:
  static constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15ULL;

  std::uint64_t next() {
    const std::uint64_t value = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return value;
  }

  std::array<std::uint64_t, 4> state_{};
};

} // namespace

std::shared_ptr<random_source> make_system_random() {
  return std::make_shared<system_random>();
}

std::shared_ptr<random_source> make_seeded_random(std::uint64_t seed, std::uint64_t stream) {
  return std::make_shared<seeded_random>(seed, stream);
}

} // namespace mneme
