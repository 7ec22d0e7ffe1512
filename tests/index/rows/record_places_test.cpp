// record_places: by row; images of the rows that are kept; damage and what fits no rows is refused.
#include "index/rows/record_places.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/index/damage.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

namespace {

const std::vector<std::uint64_t> segments{1, 500, 1700};

record_place place_of_number(std::uint32_t n) {
  record_place place{};
  if (n % 7 == 3) return place; // none is known
  place.is_known = 1;
  place.head_offset = (std::uint64_t{n} * 1000 + 7) & segment_offset_bits;
  place.head_segment = (n % 3) & segment_number_bits;
  place.version_offset = segment_offset_bits - n;
  place.version_segment = (n % 2) & segment_number_bits;
  place.is_coloured = n % 5 == 0 ? 1U : 0U;
  place.head_size = n;
  place.version_size = n + 1;
  place.head_check = ~n;
  place.version_check = n * 3;
  place.head_held = n + 2;
  place.version_held = n + 3;
  return place;
}

void add_row(row_store& rows, std::uint64_t seq) {
  row_line line{};
  line.begin = seq;
  line.end = forever;
  line.slot = no_number;
  rows.append(line, {});
}

/// Rows with gaps between their seqs, and a place for each.
struct placed_rows {
  row_store rows;
  record_places places;
  dice d{1};
  std::uint64_t seq = 0;

  void add(std::uint32_t count) {
    for (std::uint32_t n = 0; n < count; ++n) {
      seq += 1 + (d.below(50) == 0 ? d.below(5000) : d.below(3));
      places.append(place_of_number(rows.size()));
      add_row(rows, seq);
    }
  }
  /// Each with the given chance in ten, and their rows.
  std::vector<row_no> some(std::uint64_t chance, row_store& its_rows) {
    std::vector<row_no> kept;
    for (row_no row{0}; row.value < rows.size(); ++row.value) {
      if (d.below(10) >= chance) continue;
      kept.push_back(row);
      add_row(its_rows, rows.line(row).begin);
    }
    return kept;
  }
};

void check(const record_places& places, row_no row, std::uint32_t number) {
  const record_place* found = places.find(row);
  const record_place expected = place_of_number(number);
  REQUIRE((found != nullptr) == (expected.is_known != 0));
  if (found != nullptr) REQUIRE(*found == expected);
}

} // namespace

TEST_CASE("a place is found by its row, if one is known") {
  placed_rows all;
  CHECK(all.places.find({0}) == nullptr);
  CHECK(all.places.find({}) == nullptr);
  all.add(3000);
  CHECK(all.places.size() == 3000);
  for (row_no row{0}; row.value < 3000; ++row.value) check(all.places, row, row.value);
  CHECK(all.places.find({3000}) == nullptr);
  CHECK(all.places.find({}) == nullptr);
  all.places.prefetch({2999});
  all.places.prefetch({});
}

TEST_CASE("an image has the places of the rows that are kept, and the writer goes on behind them") {
  placed_rows all;
  all.add(2500);
  for (const std::uint64_t chance : {0U, 1U, 5U, 10U}) {
    INFO("chance " << chance);
    row_store rows;
    const std::vector<row_no> kept = all.some(chance, rows);
    const std::string image = all.places.save(segments, all.rows, kept);
    const auto saved = saved_places::open(image);
    REQUIRE(saved);
    CHECK(std::vector(saved->segments.begin(), saved->segments.end()) == segments);
    CHECK(saved->are_of(rows));
    CHECK(saved->are_of(all.rows) == (chance == 10));
    record_places loaded;
    loaded.fill(saved->places);
    REQUIRE(loaded.size() == kept.size());
    for (std::uint32_t n = 0; n < kept.size(); ++n) check(loaded, {n}, kept[n].value);
    loaded.append(place_of_number(0));
    check(loaded, {static_cast<std::uint32_t>(kept.size())}, 0);
  }
}

TEST_CASE("an image of as many other rows fits none of them") {
  placed_rows all;
  all.add(3);
  const std::vector<row_no> kept{{0}, {1}, {2}};
  const std::string image = all.places.save(segments, all.rows, kept);
  row_store others;
  for (const std::uint64_t seq : {1U, 2U, 70'000U}) add_row(others, seq);
  REQUIRE(saved_places::open(image));
  CHECK(saved_places::open(image)->are_of(all.rows));
  CHECK_FALSE(saved_places::open(image)->are_of(others));
}

TEST_CASE("a damaged image of places is refused") {
  placed_rows all;
  all.add(40);
  row_store rows;
  const std::string image = all.places.save(segments, all.rows, all.some(10, rows));
  check_damage_is_refused(image, [](const std::string& damaged) -> result<void> {
    auto saved = saved_places::open(damaged);
    if (!saved) return propagate(saved);
    return {};
  });
}

TEST_CASE("an image that is whole and does not fit together is refused") {
  placed_rows all;
  all.add(2);
  const std::vector<row_no> kept{{0}, {1}};
  const auto saved = [&](const std::vector<std::uint64_t>& firsts) {
    return all.places.save(firsts, all.rows, kept);
  };
  const auto code = [](const std::string& image) { return saved_places::open(image).error().code; };
  REQUIRE(saved_places::open(saved({1, 2})));
  CHECK(code(saved({1})) == errc::corrupt); // a place names another
  CHECK(code(saved({2, 2})) == errc::corrupt);
  CHECK(code(saved({3, 2})) == errc::corrupt);
  std::string fewer = saved({1, 2});
  fewer[16] = 1; // of two places
  CHECK(code(with_checksum(fewer)) == errc::corrupt);
}

} // namespace mneme
