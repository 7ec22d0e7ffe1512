// The hash of ids in memory: keyed, so that nobody can choose ids that meet.
// Of: messages/sip_hash.hpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <vector>

#include "messages/sip_hash.hpp"
#include "mneme/ids.hpp"

using namespace mneme;

namespace {

void put_u64be(std::uint64_t value, std::uint8_t* to) {
  for (int shift = 56; shift >= 0; shift -= 8) *to++ = static_cast<std::uint8_t>(value >> shift);
}

/// Ids that are one under a multiplication whose factor everybody knows: what the high half adds,
/// the low half takes away.
memory_id meeting_id(std::uint64_t low) {
  memory_id id;
  put_u64be(low * 0x9E3779B97F4A7C15ULL, id.bytes.data());
  put_u64be(low, id.bytes.data() + 8);
  return id;
}

} // namespace

TEST_CASE("SipHash-2-4 of 16 bytes: the reference's value") {
  constexpr sip_key key{0x0706050403020100ULL, 0x0F0E0D0C0B0A0908ULL};
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  CHECK(sip_hash(key, bytes) == 0x3F2ACC7F57C29BDBULL);
  CHECK(sip_hash({key.low, key.high + 1}, bytes) != sip_hash(key, bytes));
}

TEST_CASE("ids that were chosen to meet fall apart") {
  constexpr std::size_t count = 1U << 16U;
  std::vector<std::uint32_t> in_bucket(count);
  const std::hash<memory_id> hash;
  for (std::uint64_t n = 1; n <= count; ++n) {
    const std::size_t h = hash(meeting_id(n));
    REQUIRE(h == hash(meeting_id(n)));
    ++in_bucket[(h ^ (h >> 32U)) % count];
  }
  // With one bucket an id, of a good hash: no more than 10 in all but one of a million runs.
  CHECK(*std::ranges::max_element(in_bucket) < 24);
}
