#include "tools/import/talk_shape.hpp"

#include <catch2/catch.hpp>

using namespace mneme::importing;

namespace {

talk_shape talk(std::initializer_list<std::pair<const char*, std::size_t>> turns) {
  talk_shape t;
  for (const auto& [speaker, bytes] : turns) t.add(speaker, std::string(bytes, 'x'));
  return t;
}

} // namespace

TEST_CASE("people who talk with each other in short turns are peers") {
  CHECK(talk({{"Ana", 80}, {"Bo", 120}, {"Ana", 900}}).is_among_peers());
  CHECK_FALSE(talk({{"Ana", 80}, {"Ana", 120}}).is_among_peers());
  CHECK_FALSE(talk({{"Ana", 900}, {"Bo", 700}}).is_among_peers());
  CHECK_FALSE(talk({}).is_among_peers());
}

TEST_CASE("an assistant is no peer") {
  CHECK_FALSE(talk({{"user", 80}, {"assistant", 120}}).is_among_peers());
  CHECK_FALSE(talk({{"Ana", 80}, {"Assistant", 120}}).is_among_peers());
}

TEST_CASE("a turn asks if it ends with a question mark") {
  CHECK(asks("How are you?"));
  CHECK(asks("\"How are you?\" \n"));
  CHECK_FALSE(asks("How are you? Fine."));
  CHECK_FALSE(asks(""));
  CHECK_FALSE(asks("  "));
}
