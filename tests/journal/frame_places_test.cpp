// Where frames begin and what the newest say: bounds, and nothing across a rewrite.
// Of: journal/frame_places.cpp
#include <catch2/catch.hpp>

#include "journal/frame_places.hpp"

using namespace mneme;

namespace {

frame_place place_at(std::uint64_t first) {
  return {.first = seq_no{first}, .segment = seq_no{1}, .offset = first * 100};
}

std::shared_ptr<const journal_frame> frame_of(std::uint64_t first, std::uint32_t count,
                                              std::uint64_t bytes = 100) {
  auto frame = std::make_shared<journal_frame>();
  frame->prefix.first_seq = seq_no{first};
  frame->prefix.count = count;
  frame->prefix.payload_bytes = bytes;
  return frame;
}

} // namespace

TEST_CASE("places: the nearest at or before a seq; what was noted longest ago goes first") {
  frame_places places;
  CHECK_FALSE(places.at_or_before(seq_no{9}));
  places.note(place_at(5), 0);
  places.note(place_at(9), 0);
  CHECK_FALSE(places.at_or_before(seq_no{4}));
  CHECK(places.at_or_before(seq_no{8})->first == seq_no{5});
  CHECK(places.at_or_before(seq_no{9})->offset == 900);
  CHECK(places.at_or_before(seq_no{1'000})->first == seq_no{9});
  for (std::uint64_t i = 0; i < frame_places::most - 1; ++i) places.note(place_at(100 + i), 0);
  CHECK_FALSE(places.at_or_before(seq_no{8}));
  CHECK(places.at_or_before(seq_no{50})->first == seq_no{9});
}

TEST_CASE("places: what a rewrite moved is forgotten, and not noted of files of before") {
  frame_places places;
  const std::uint32_t before = places.rewrites();
  places.note(place_at(5), before);
  places.begin_rewrite();
  CHECK_FALSE(places.at_or_before(seq_no{9}));
  places.note(place_at(5), places.rewrites());
  places.end_rewrite();
  places.note(place_at(5), before);
  CHECK_FALSE(places.at_or_before(seq_no{9}));
  places.note(place_at(5), places.rewrites());
  CHECK(places.at_or_before(seq_no{9}));
}

TEST_CASE("kept frames: found by any of their seqs, and the newest stay") {
  frame_places places;
  CHECK(places.kept(seq_no{1}) == nullptr);
  places.keep(frame_of(1, 3), places.rewrites());
  places.keep(frame_of(1, 3), places.rewrites());
  for (const std::uint64_t seq : {1U, 2U, 3U}) CHECK(places.kept(seq_no{seq}) != nullptr);
  CHECK(places.kept(seq_no{4}) == nullptr);
  for (std::uint64_t i = 0; i < frame_places::most_kept; ++i)
    places.keep(frame_of(10 + i, 1), places.rewrites());
  CHECK(places.kept(seq_no{1}) == nullptr);
  CHECK(places.kept(seq_no{10}) != nullptr);
  places.keep(frame_of(2, 1), places.rewrites()); // of somebody who is far behind
  CHECK(places.kept(seq_no{2}) == nullptr);
  places.keep(frame_of(100, 1, frame_places::most_kept_bytes), places.rewrites());
  CHECK(places.kept(seq_no{100}) == nullptr);
}

TEST_CASE("kept frames: nothing that was read before or in a rewrite") {
  frame_places places;
  const std::uint32_t before = places.rewrites();
  places.keep(frame_of(1, 1), before);
  places.begin_rewrite();
  CHECK(places.kept(seq_no{1}) == nullptr);
  places.keep(frame_of(1, 1), places.rewrites());
  places.keep(frame_of(1, 1), before);
  CHECK(places.kept(seq_no{1}) == nullptr);
  places.end_rewrite();
  places.keep(frame_of(1, 1), before);
  CHECK(places.kept(seq_no{1}) == nullptr);
  places.keep(frame_of(1, 1), places.rewrites());
  CHECK(places.kept(seq_no{1}) != nullptr);
}
