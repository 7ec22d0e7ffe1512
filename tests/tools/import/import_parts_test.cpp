// The pure parts of the importers: pieces of texts, times of files, derived ids.

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "tools/import/derived_id.hpp"
#include "tools/import/local_time.hpp"
#include "tools/import/text_chunks.hpp"

using namespace mneme;
using namespace mneme::importing;

TEST_CASE("pieces end at lines and lose nothing") {
  const auto chunks = cut_chunks("aaa\nbbb\nccc\nd", 8);
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[0].text == "aaa\nbbb\n");
  CHECK(chunks[1].text == "ccc\nd");
  CHECK(chunks[1].position == 8);
  CHECK(cut_chunks("", 8).empty());
}

TEST_CASE("a long line is cut between code points") {
  const auto chunks = cut_chunks("ääää", 5);
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[0].text == "ää");
  CHECK(chunks[1].text == "ää");
}

TEST_CASE("every byte is in exactly one piece") {
  CHECK(rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "\n", "日", "long line without an end ", "é\n"));
    std::string text;
    for (const auto& w : words) text += w;
    const auto target = *rc::gen::inRange<std::size_t>(4, 40);
    std::string joined;
    for (const auto& chunk : cut_chunks(text, target)) {
      RC_ASSERT(chunk.position == joined.size());
      RC_ASSERT(!chunk.text.empty());
      RC_ASSERT(chunk.text.size() <= target);
      joined += chunk.text;
    }
    RC_ASSERT(joined == text);
  }));
}

TEST_CASE("times without an offset are UTC") {
  const auto text = [](const char* t) { return to_string(parse_local_time(t).value()); };
  CHECK(text("2024-03-15") == "2024-03-15T00:00:00Z");
  CHECK(text("2024-03-15T10:00:00") == "2024-03-15T10:00:00Z");
  CHECK(text("2024-03-15 10:00") == "2024-03-15T10:00:00Z");
  CHECK(text("2024-03-15T10:00:00.25") == "2024-03-15T10:00:00.25Z");
  CHECK(text("2024-03-15T10:00:00+02:00") == "2024-03-15T08:00:00Z");
  CHECK(text("2024-03-15T10:00-01:00") == "2024-03-15T11:00:00Z");
  for (const char* bad : {"", "soon", "2024", "2024-13-01", "2024-03-15T25:00", "2024-03-15Tx"})
    CHECK(parse_local_time(bad).error().code == errc::bad_time);
}

TEST_CASE("derived ids repeat, differ in every part, and carry the time") {
  const timestamp at{1'700'000'000'123'000'000};
  const memory_id id = derived_id("docs", "s", "k", at);
  CHECK(id == derived_id("docs", "s", "k", at));
  CHECK(id != derived_id("git", "s", "k", at));
  CHECK(id != derived_id("docs", "t", "k", at));
  CHECK(id != derived_id("docs", "s", "l", at));
  CHECK(id != derived_id("docs", "sk", "", at));
  std::uint64_t ms = 0;
  for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | id.bytes[i];
  CHECK(ms == 1'700'000'000'123);
}
