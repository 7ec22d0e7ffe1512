// Words and vectors that are loaded behind the opening: the same world, and damage that is found
// when they are needed.
#include <catch2/catch.hpp>

#include "state/checkpoint/world_directory.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/late_images.hpp"
#include "storage/file.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct image_place : site {
  std::unique_ptr<world> open_late() {
    world_options o = options();
    o.may_load_late = true;
    auto w = open_world(o);
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
  [[nodiscard]] std::string image(std::string_view name) const {
    const auto names = files->list("world/images");
    for (const auto& there : *names)
      if (there.ends_with("." + std::string(name))) return "world/images/" + there;
    return {};
  }
  void damage(std::string_view name) const {
    auto bytes = *read_file(*files, image(name));
    bytes[bytes.size() / 2] ^= 0x10;
    REQUIRE(replace_file(*files, image(name), bytes));
  }
};

write_request note_with_vector(const std::string& text, float x) {
  write_request r = note(text);
  r.vector = std::vector<float>{x, 1.0F};
  return r;
}

void write_lamps(world& w, int count) {
  driven d(w);
  for (int i = 0; i < count; ++i)
    REQUIRE(d.apply(note_with_vector("the lamp " + std::to_string(i), static_cast<float>(i))));
}

std::string dump_of_whole(world& w) {
  REQUIRE(w.wait_for_late());
  auto text = canonical_dump(w);
  REQUIRE(text);
  return *text;
}

/// A world of so many memories, all of them in its images; what it holds.
std::string make_checkpointed(image_place& place, int count) {
  auto w = place.open();
  write_lamps(*w, count);
  REQUIRE(checkpoint_world(*w));
  return dump_of_whole(*w);
}

} // namespace

TEST_CASE("words and vectors that come late are what they were") {
  image_place place;
  std::string expected;
  world_counts counts;
  {
    auto w = place.open();
    write_lamps(*w, 20);
    REQUIRE(checkpoint_world(*w));
    expected = dump_of_whole(*w);
    counts = w->published_counts();
  }
  auto w = place.open_late();
  REQUIRE_FALSE(w->generation()->is_whole());
  CHECK(w->views().attributes->row_count() == 20);
  CHECK(w->published_counts().vectors == 0);
  CHECK(w->published_roots().seq == w->published_seq());
  REQUIRE(w->views().wait_for_late());
  CHECK(w->generation()->is_whole());
  CHECK(w->published_counts() == counts);
  CHECK(w->vectors().size() == 20);
  CHECK(w->lexical().size(corpus::memories, w->published_seq()).documents == 20);
  CHECK(dump_of_whole(*w) == expected);
  write_lamps(*w, 1);
  CHECK(w->published_counts().vectors == 21);
  REQUIRE(close_world(*w));
}

TEST_CASE("a world that nobody asked for words or vectors closes without them") {
  image_place place;
  {
    auto w = place.open();
    write_lamps(*w, 3);
    REQUIRE(checkpoint_world(*w));
    REQUIRE(close_world(*w));
  }
  auto w = place.open_late();
  REQUIRE(close_world(*w));
  CHECK_FALSE(w->generation()->is_whole());
}

TEST_CASE("where entries are to be replayed, words and vectors are there from the beginning") {
  image_place place;
  {
    auto w = place.open();
    write_lamps(*w, 3);
    REQUIRE(checkpoint_world(*w));
    write_lamps(*w, 2);
  }
  auto w = place.open_late();
  CHECK(w->generation()->is_whole());
  CHECK(w->vectors().size() == 5);
}

TEST_CASE("an image that is found damaged late is said to be, and made anew by the next opening") {
  const std::string name = GENERATE("lexical", "vectors");
  INFO(name);
  image_place place;
  const std::string expected = make_checkpointed(place, 20);
  place.damage(name);
  {
    auto w = place.open_late();
    for (int i = 0; i < 2; ++i) {
      const auto waited = w->wait_for_late();
      REQUIRE_FALSE(waited);
      CHECK(waited.error().code == errc::corrupt);
      CHECK(waited.error().message.find("." + name) != std::string::npos);
      CHECK(waited.error().message.find("open it again") != std::string::npos);
    }
    CHECK_FALSE(w->generation()->is_whole());
    // No checkpoint is made of what is not there.
    const auto written = checkpoint_world(*w);
    REQUIRE_FALSE(written);
    CHECK(written.error().code == errc::corrupt);
  }
  CHECK(place.image(name).empty());
  auto w = place.open_late();
  CHECK(dump_of_whole(*w) == expected);
}

TEST_CASE("an image of words by other rules is seen by the opening, which makes all anew") {
  image_place place;
  const std::string expected = make_checkpointed(place, 5);
  auto bytes = *read_file(*place.files, place.image("lexical"));
  bytes[bytes.find("mnWORD") + 14] ^= 1; // the first letter of the rules
  REQUIRE(replace_file(*place.files, place.image("lexical"), bytes));
  auto w = place.open_late();
  CHECK(w->generation()->is_whole());
  CHECK(w->report.checkpoint.value == 0);
  CHECK(dump_of_whole(*w) == expected);
}

TEST_CASE("what writes without a committer waits for words and vectors, or writes nothing") {
  image_place place;
  make_checkpointed(place, 5);
  place.damage("vectors");
  auto w = place.open_late();
  const seq_no last = w->journal->last_seq();
  const auto written = commit_directly(*w, {}, true);
  REQUIRE_FALSE(written);
  CHECK(written.error().code == errc::corrupt);
  CHECK(w->journal->last_seq() == last);
}

TEST_CASE("a damaged image that cannot be removed is forgotten with its checkpoint") {
  image_place place;
  const std::string expected = make_checkpointed(place, 5);
  place.damage("vectors");
  {
    auto w = place.open_late();
    place.files->fail_nth(io_operation::directory, 1, false);
    CHECK_FALSE(w->wait_for_late());
  }
  CHECK_FALSE(place.image("vectors").empty());
  auto w = place.open_late();
  CHECK(dump_of_whole(*w) == expected);
}

TEST_CASE("an image that is found damaged late stays where another world is by now") {
  image_place place;
  make_checkpointed(place, 5);
  place.damage("vectors");
  auto w = place.open_late();
  auto other = *read_world_file(*place.files, "world");
  other.id = seeded_world_id("another", 2);
  REQUIRE(replace_file(*place.files, world_path("world"), encode(other)));
  CHECK_FALSE(w->wait_for_late());
  CHECK_FALSE(place.image("vectors").empty());
}
