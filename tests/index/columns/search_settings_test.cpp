// What searches weigh by, and when entries were made: by seq, and through an image.
#include "index/columns/search_settings.hpp"

#include <catch2/catch.hpp>

#include "index/columns/entry_times.hpp"

namespace mneme {

namespace {

constexpr std::string_view settings_image = "mnTEST10";

search_setting setting_of(std::uint64_t seq) {
  return {.since = {seq},
          .at = {static_cast<std::int64_t>(seq) * 100},
          .by = "ana",
          .weights = "newer=" + std::to_string(seq)};
}

} // namespace

TEST_CASE("a setting of searches holds from its seq on, and what no read needs is forgotten") {
  search_settings settings;
  CHECK(settings.find({9}) == nullptr);
  for (const std::uint64_t seq : {3U, 5U, 9U}) settings.put(setting_of(seq));
  CHECK(settings.find({2}) == nullptr);
  CHECK(*settings.find({3}) == setting_of(3));
  CHECK(*settings.find({8}) == setting_of(5));
  CHECK(*settings.find({100}) == setting_of(9));
  settings.retain_from({6});
  CHECK(settings.find({4}) == nullptr);
  CHECK(*settings.find({6}) == setting_of(5));

  image_writer out(settings_image);
  settings.save(out, {8});
  const std::string image = out.finish();
  auto in = image_reader::open(image, settings_image);
  search_settings loaded;
  REQUIRE(loaded.load(*in, {8}));
  CHECK(in->at_end());
  CHECK(*loaded.find({100}) == setting_of(5));
  auto again = image_reader::open(image, settings_image);
  search_settings refused;
  CHECK_FALSE(refused.load(*again, {4}));
}

TEST_CASE("entries have the time of their batch") {
  entry_times times;
  CHECK_FALSE(times.find({1}));
  for (std::uint64_t seq = 1; seq <= 30; ++seq)
    times.put({seq}, {static_cast<std::int64_t>(seq / 10)});
  CHECK_FALSE(times.find({0}));
  CHECK(times.find({9}) == timestamp{0});
  CHECK(times.find({10}) == timestamp{1});
  CHECK(times.find({29}) == timestamp{2});
  CHECK(times.find({30}) == timestamp{3});
  times.retain_from({15});
  CHECK_FALSE(times.find({9}));
  CHECK(times.find({15}) == timestamp{1});

  image_writer out(settings_image);
  times.save(out, {25});
  const std::string image = out.finish();
  auto in = image_reader::open(image, settings_image);
  entry_times loaded;
  REQUIRE(loaded.load(*in, {25}));
  CHECK(in->at_end());
  CHECK(loaded.find({15}) == timestamp{1});
  CHECK(loaded.find({25}) == timestamp{2});
  loaded.put({26}, {7});
  CHECK(loaded.find({25}) == timestamp{2});
  CHECK(loaded.find({26}) == timestamp{7});
  auto again = image_reader::open(image, settings_image);
  entry_times refused;
  CHECK_FALSE(refused.load(*again, {12}));
}

} // namespace mneme
