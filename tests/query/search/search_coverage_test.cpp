// The counts of coverage add up, however limits, floors and paths cut.
// Of: query/search/search_merge.cpp
#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("18: candidates = below_floor + cut + returned") {
  search_world w;
  for (int i = 0; i < 70; ++i) {
    std::string text = "tea";
    for (int k = 0; k < i % 7; ++k) text += " tea";
    for (int k = 0; k < i; ++k) text += " w" + std::to_string(k);
    w.note(text);
    w.chunk("p" + std::to_string(i % 9), text, i);
  }
  rc::prop("any limit, floor and budget", [&] {
    search_request r;
    r.query = "tea w3";
    r.limit = *rc::gen::inRange<std::int64_t>(1, 40);
    r.similarity_floor = static_cast<double>(*rc::gen::inRange(0, 11)) / 10.0;
    r.include_low_relevance = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) r.budget_tokens = *rc::gen::inRange<std::int64_t>(1, 400);
    const auto answer = w.search(r);
    RC_ASSERT(answer.coverage.memory.searched == 70);
    RC_ASSERT(static_cast<std::int64_t>(answer.results.size()) <= r.limit);
    const std::int64_t window = std::max<std::int64_t>(4 * r.limit, 50);
    RC_ASSERT(answer.coverage.memory.candidates == std::min<std::int64_t>(window, 70));
  });
}
