// Pieces of texts: they end at lines, are cut between code points and lose nothing.
#include <catch2/catch.hpp>
#include <rapidcheck.h>

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
