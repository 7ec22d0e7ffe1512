#pragma once
/// SipHash-2-4 (Aumasson and Bernstein) of 16 bytes: whoever does not know the key cannot find
/// inputs that meet.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mneme {

struct sip_key {
  std::uint64_t low = 0; ///< of its first eight bytes, little-endian
  std::uint64_t high = 0;
};

constexpr std::uint64_t sip_hash(const sip_key& key, const std::array<std::uint8_t, 16>& bytes) {
  std::uint64_t a = key.low ^ 0x736F6D6570736575ULL;
  std::uint64_t b = key.high ^ 0x646F72616E646F6DULL;
  std::uint64_t c = key.low ^ 0x6C7967656E657261ULL;
  std::uint64_t d = key.high ^ 0x7465646279746573ULL;
  const auto stir = [&](int rounds) {
    while (rounds-- > 0) {
      a += b;
      b = std::rotl(b, 13) ^ a;
      a = std::rotl(a, 32);
      c += d;
      d = std::rotl(d, 16) ^ c;
      a += d;
      d = std::rotl(d, 21) ^ a;
      c += b;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  };
  const auto take = [&](std::uint64_t word) {
    d ^= word;
    stir(2);
    a ^= word;
  };
  const auto word_at = [&](std::size_t first) {
    std::uint64_t word = 0;
    for (std::size_t i = 8; i-- > 0;) word = word << 8 | bytes[first + i];
    return word;
  };
  take(word_at(0));
  take(word_at(8));
  take(std::uint64_t{bytes.size()} << 56);
  c ^= 0xFF;
  stir(4);
  return a ^ b ^ c ^ d;
}

/// The key of std::hash<memory_id>, drawn anew in every process (`seams/id_hash.cpp`). Who lets
/// hashes of ids last takes it along, and shows it to nobody who may choose ids.
const sip_key& id_hash_key();

} // namespace mneme
