// Pairs of digests hashed together, by either way, are what OpenSSL makes of their bytes.

#include "messages/hash_pairs.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/hash.hpp"

using namespace mneme;

namespace {

digest hash_of_bytes(std::uint8_t tag, const digest& first, const digest& second) {
  std::string bytes(1, static_cast<char>(tag));
  bytes += first.raw();
  bytes += second.raw();
  return sha256_of(bytes);
}

void check(void (*way)(std::span<const tagged_pair>)) {
  rc::prop("pairs", [way](std::uint64_t seed, std::uint8_t tag) {
    const auto count = *rc::gen::inRange<std::size_t>(0, 9);
    std::vector<digest> digests;
    for (std::size_t i = 0; i <= count; ++i)
      digests.push_back(sha256_of(std::to_string(seed) + " " + std::to_string(i)));
    digests[0].bytes.fill(static_cast<std::uint8_t>(seed % 2 == 0 ? 0 : 0xFF));
    std::vector<digest> hashes(count);
    std::vector<tagged_pair> pairs;
    for (std::size_t i = 0; i < count; ++i)
      pairs.push_back(
          {static_cast<std::uint8_t>(tag + i), &digests[i], &digests[i + 1], &hashes[i]});
    way(pairs);
    for (std::size_t i = 0; i < count; ++i)
      RC_ASSERT(hashes[i]
                == hash_of_bytes(static_cast<std::uint8_t>(tag + i), digests[i], digests[i + 1]));
  });
}

} // namespace

TEST_CASE("pairs are hashed as their bytes are") {
  SECTION("as the processor can") {
    check(sha256_of_pairs);
  }
  SECTION("by OpenSSL") {
    check(sha256_of_pairs_by_openssl);
  }
  SECTION("by the processor's instructions") {
    if (has_sha256_instructions()) check(sha256_of_pairs_by_instructions);
  }
}

TEST_CASE("a hash may take the place of what it is made of") {
  const digest one = sha256_of("one");
  const digest two = sha256_of("two");
  digest a = one;
  digest b = two;
  const std::vector<tagged_pair> pairs{{1, &a, &two, &a}, {2, &one, &b, &b}};
  sha256_of_pairs(pairs);
  CHECK(a == hash_of_bytes(1, one, two));
  CHECK(b == hash_of_bytes(2, one, two));
}
