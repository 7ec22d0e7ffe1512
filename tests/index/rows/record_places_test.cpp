// record_places: against a map, whatever gaps there are; images as of a seq; damage is refused.
#include "index/rows/record_places.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>

#include "tests/index/damage.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

namespace {

record_place place_of_number(std::uint32_t n, std::uint32_t segment) {
  record_place place{};
  place.offset = (std::uint64_t{n} * 1000 + 7) & segment_offset_bits;
  place.segment = segment & segment_number_bits;
  place.head_size = n;
  place.check = ~n;
  place.content = no_number;
  return place;
}

/// Places by their seq, and the segments, as they should be.
struct expected_places {
  std::map<std::uint64_t, std::uint32_t> number_of_seq;
  std::map<std::uint32_t, std::uint64_t> first_of_segment;
};

/// With gaps from nothing to many lines.
expected_places fill(record_places& places, dice& d, std::uint32_t count) {
  expected_places expected;
  std::uint64_t seq = 0;
  std::uint64_t segment_first = 1;
  for (std::uint32_t n = 0; n < count; ++n) {
    seq += 1 + (d.below(50) == 0 ? d.below(5000) : d.below(3));
    if (d.below(100) == 0) segment_first = seq;
    const std::uint32_t segment = places.enter_segment({segment_first});
    expected.first_of_segment[segment] = segment_first;
    places.note({seq}, place_of_number(n, segment));
    expected.number_of_seq[seq] = n;
  }
  return expected;
}

void check(const record_places& places, const expected_places& expected, std::uint64_t up_to) {
  std::uint32_t count = 0;
  for (std::uint64_t seq = 0; seq <= up_to + 1000; ++seq) {
    const auto at = expected.number_of_seq.find(seq);
    const bool is_there = at != expected.number_of_seq.end() && seq <= up_to;
    const std::uint32_t found = places.find({seq});
    REQUIRE(found == (is_there ? at->second : no_number));
    if (!is_there) continue;
    ++count;
    REQUIRE(places[found].head_size == found);
    REQUIRE(places[found].content == found);
    const auto segment = static_cast<std::uint32_t>(places[found].segment);
    REQUIRE(places.first_of(segment).value == expected.first_of_segment.at(segment));
  }
  CHECK(places.size() == count);
}

} // namespace

TEST_CASE("a place is found by its seq, and none by any other") {
  record_places places;
  CHECK(places.find({0}) == no_number);
  CHECK(places.find({12'345}) == no_number);
  dice d(1);
  const auto expected = fill(places, d, 3000);
  check(places, expected, expected.number_of_seq.rbegin()->first);
}

TEST_CASE("an image has the places up to a seq, and the writer goes on behind them") {
  record_places places;
  dice d(2);
  const auto expected = fill(places, d, 600);
  const std::uint64_t last = expected.number_of_seq.rbegin()->first;
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{447}, std::uint64_t{448},
                                 std::uint64_t{63}, last / 2, last - 1, last, last + 5000}) {
    INFO("at " << at);
    record_places loaded;
    REQUIRE(loaded.load(places.save({at})));
    check(loaded, expected, std::min(at, last));
    const std::uint32_t segment = loaded.enter_segment({last + 6000});
    loaded.note({last + 6000}, place_of_number(loaded.size(), segment));
    CHECK(loaded.find({last + 6000}) == loaded.size() - 1);
  }
}

TEST_CASE("a damaged image of places is refused") {
  record_places places;
  dice d(3);
  const auto expected = fill(places, d, 40);
  check_damage_is_refused(places.save({expected.number_of_seq.rbegin()->first}),
                          [](const std::string& damaged) {
                            record_places fresh;
                            auto loaded = fresh.load(damaged);
                            REQUIRE(fresh.size() == 0);
                            return loaded;
                          });
}

TEST_CASE("an image whose places name no segment or content is refused") {
  record_places places;
  const std::uint32_t segment = places.enter_segment({1});
  places.note({1}, place_of_number(0, segment));
  const std::string image = places.save({1});
  const record_place there = places[0];
  const std::size_t place_at =
      image.rfind({reinterpret_cast<const char*>(&there), sizeof there}); // the only one
  const auto with = [&](const record_place& place) {
    std::string changed = image;
    changed.replace(place_at, sizeof place,
                    std::string_view(reinterpret_cast<const char*>(&place), sizeof place));
    record_places fresh;
    return fresh.load(with_checksum(changed));
  };
  record_place place = places[0];
  REQUIRE(with(place));
  place.segment = 1;
  CHECK(with(place).error().code == errc::corrupt);
  place.segment = 0;
  place.content = 1;
  CHECK(with(place).error().code == errc::corrupt);
}

} // namespace mneme
