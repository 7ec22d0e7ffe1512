// The built-in clock, random sources and token counter.
// Of: messages/seams/clock.cpp, messages/seams/random.cpp, messages/seams/token_counter.cpp

#include <array>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "messages/text/time_text.hpp"
#include "mneme/seams.hpp"

using namespace mneme;

namespace {

template <std::size_t Size>
std::array<std::uint8_t, Size> drawn(random_source& source) {
  std::array<std::uint8_t, Size> bytes{};
  source.fill(bytes);
  return bytes;
}

} // namespace

TEST_CASE("a manual clock stands where it was set") {
  manual_clock clock(timestamp{5});
  CHECK(clock.now() == timestamp{5});
  CHECK(clock.now() == timestamp{5});
  clock.set(timestamp{3});
  CHECK(clock.now() == timestamp{3});
  clock.set(timestamp{-1});
  CHECK(clock.now() == timestamp{0});
  clock.set(timestamp{max_timestamp.ns + 1});
  CHECK(clock.now() == max_timestamp);
}

TEST_CASE("a manual clock may be read while it is set") {
  manual_clock clock(timestamp{0});
  std::thread setter([&] {
    for (std::int64_t i = 1; i <= 20'000; ++i) clock.set(timestamp{i});
  });
  timestamp last;
  bool is_ordered = true;
  while (last.ns < 20'000) {
    const timestamp t = clock.now();
    is_ordered = is_ordered && t >= last;
    last = t;
  }
  setter.join();
  CHECK(is_ordered);
}

TEST_CASE("the system clock is in the range of times") {
  const auto clock = make_system_clock();
  const timestamp t = clock->now();
  CHECK(is_valid(t));
  CHECK(t > parse_timestamp("2020-01-01T00:00:00Z").value());
}

TEST_CASE("seeded random repeats, and differs by seed and by stream") {
  std::set<std::array<std::uint8_t, 16>> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      const auto bytes = drawn<16>(*make_seeded_random(seed, stream));
      CHECK(bytes == drawn<16>(*make_seeded_random(seed, stream)));
      seen.insert(bytes);
    }
  CHECK(seen.size() == 400U);
}

TEST_CASE("seeded random is fixed for ever") {
  const auto source = make_seeded_random(1, 2);
  const auto bytes = drawn<8>(*source);
  CHECK(bytes == std::array<std::uint8_t, 8>{0x1B, 0x98, 0x8E, 0x5E, 0x58, 0x19, 0x39, 0xA6});
  // Requests of any size draw whole words, so that the next one starts at a word.
  const auto a = make_seeded_random(9, 9);
  const auto b = make_seeded_random(9, 9);
  drawn<3>(*a);
  drawn<8>(*b);
  CHECK(drawn<20>(*a) == drawn<20>(*b));
  std::span<std::uint8_t> nothing;
  a->fill(nothing);
  b->fill(nothing);
  CHECK(drawn<4>(*a) == drawn<4>(*b));
}

TEST_CASE("seeded random looks uniform") {
  const auto source = make_seeded_random(7, 0);
  std::array<int, 256> counts{};
  for (int i = 0; i < 1000; ++i)
    for (const std::uint8_t byte : drawn<256>(*source)) ++counts[byte];
  for (const int count : counts) {
    CHECK(count > 800);
    CHECK(count < 1200);
  }
}

TEST_CASE("system random fills requests of any size") {
  const auto source = make_system_random();
  const auto a = drawn<1000>(*source);
  const auto b = drawn<1000>(*source);
  CHECK(a != b);
  CHECK(std::set<std::uint8_t>(a.begin() + 900, a.end()).size() > 10);
  std::span<std::uint8_t> nothing;
  source->fill(nothing);
}

TEST_CASE("tokens are quarters of bytes, rounded up") {
  const auto counter = make_default_token_counter();
  CHECK(counter->count("") == 0);
  CHECK(counter->count("a") == 1);
  CHECK(counter->count("abcd") == 1);
  CHECK(counter->count("abcde") == 2);
  CHECK(counter->count("éé") == 1);
  CHECK(counter->count(std::string(1000, 'x')) == 250);
}
