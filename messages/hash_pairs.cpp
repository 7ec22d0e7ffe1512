#include "messages/hash_pairs.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "messages/ensure.hpp"
#include "messages/hash.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace mneme {

void sha256_of_pairs_by_openssl(std::span<const tagged_pair> pairs) {
  std::array<char, 65> message;
  for (const auto& [tag, first, second, hash] : pairs) {
    message[0] = static_cast<char>(tag);
    auto* end = std::ranges::copy(first->raw(), message.begin() + 1).out;
    std::ranges::copy(second->raw(), end);
    *hash = sha256_of({message.data(), message.size()});
  }
}

#if defined(__x86_64__)

namespace {

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t block_bytes = 64;
constexpr std::size_t blocks = 2;
using padded_message = std::array<std::uint8_t, blocks * block_bytes>;

padded_message padded(const tagged_pair& pair) {
  constexpr std::size_t bits = 65 * 8;
  padded_message message{};
  message[0] = pair.tag;
  std::memcpy(&message[1], pair.first->bytes.data(), 32);
  std::memcpy(&message[33], pair.second->bytes.data(), 32);
  message[65] = 0x80;
  message[126] = bits >> 8;
  message[127] = bits & 0xFF;
  return message;
}

#define MNEME_SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

/// The state as the instructions want it: a, b, e, f and c, d, g, h, from the highest word down.
struct lane {
  __m128i abef;
  __m128i cdgh;
};

/// So many messages side by side: a round waits for the one before it, and while it does the other
/// message's goes on.
template <std::size_t Lanes>
MNEME_SHA_TARGET void hash_side_by_side(const tagged_pair* pairs) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  padded_message messages[Lanes];
  lane now[Lanes];
  for (std::size_t k = 0; k < Lanes; ++k) {
    messages[k] = padded(pairs[k]);
    now[k].abef = _mm_set_epi32(0x6a09e667, static_cast<int>(0xbb67ae85), 0x510e527f,
                                static_cast<int>(0x9b05688c));
    now[k].cdgh = _mm_set_epi32(0x3c6ef372, static_cast<int>(0xa54ff53a), 0x1f83d9ab, 0x5be0cd19);
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    lane before[Lanes];
    __m128i words[Lanes][4];
    for (std::size_t k = 0; k < Lanes; ++k) {
      before[k] = now[k];
      for (std::size_t i = 0; i < 4; ++i) {
        const auto* at = &messages[k][block * block_bytes + i * 16];
        words[k][i] =
            _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), big_endian);
      }
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 16; ++i) { // four rounds each
      const __m128i constants =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(&round_constants[i * 4]));
#pragma GCC unroll 4
      for (std::size_t k = 0; k < Lanes; ++k) {
        auto& w = words[k];
        if (i >= 4) {
          const __m128i older = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
          const __m128i middle = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
          w[i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(older, middle), w[(i + 3) % 4]);
        }
        const __m128i added = _mm_add_epi32(w[i % 4], constants);
        now[k].cdgh = _mm_sha256rnds2_epu32(now[k].cdgh, now[k].abef, added);
        now[k].abef =
            _mm_sha256rnds2_epu32(now[k].abef, now[k].cdgh, _mm_shuffle_epi32(added, 0x0E));
      }
    }
    for (std::size_t k = 0; k < Lanes; ++k) {
      now[k].abef = _mm_add_epi32(now[k].abef, before[k].abef);
      now[k].cdgh = _mm_add_epi32(now[k].cdgh, before[k].cdgh);
    }
  }
  for (std::size_t k = 0; k < Lanes; ++k) {
    const __m128i feba = _mm_shuffle_epi32(now[k].abef, 0x1B);
    const __m128i dchg = _mm_shuffle_epi32(now[k].cdgh, 0xB1);
    auto* out = reinterpret_cast<__m128i*>(pairs[k].hash->bytes.data());
    _mm_storeu_si128(out, _mm_shuffle_epi8(_mm_blend_epi16(feba, dchg, 0xF0), big_endian));
    _mm_storeu_si128(out + 1, _mm_shuffle_epi8(_mm_alignr_epi8(dchg, feba, 8), big_endian));
  }
}

bool cpu_has_them() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned ssse3_and_sse41 = (1U << 9) | (1U << 19);
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & ssse3_and_sse41) != ssse3_and_sse41) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 29)) != 0;
}

#undef MNEME_SHA_TARGET

} // namespace

bool has_sha256_instructions() {
  static const bool there = cpu_has_them();
  return there;
}

void sha256_of_pairs_by_instructions(std::span<const tagged_pair> pairs) {
  for (; pairs.size() > 1; pairs = pairs.subspan(2)) hash_side_by_side<2>(pairs.data());
  if (!pairs.empty()) hash_side_by_side<1>(pairs.data());
}

#else

bool has_sha256_instructions() {
  return false;
}

void sha256_of_pairs_by_instructions(std::span<const tagged_pair>) {
  ensure(false, "only processors that have instructions for SHA-256 are asked to use them");
}

#endif

void sha256_of_pairs(std::span<const tagged_pair> pairs) {
  if (has_sha256_instructions())
    sha256_of_pairs_by_instructions(pairs);
  else
    sha256_of_pairs_by_openssl(pairs);
}

} // namespace mneme
