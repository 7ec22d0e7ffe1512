// The dimension that a query's vector must have: that of the space as the asker may know it.
// Of: query/find/near_target.cpp
#include <catch2/catch.hpp>

#include "query/context/context.hpp"
#include "query/find/find.hpp"
#include "query/search/search.hpp"
#include "tests/query/retrieve/topic_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// What each door refuses a vector of four numbers with.
template <class Run, class Request>
std::optional<errc> refusal(Request r, const query_context& context, const read_views& views) {
  auto run = Run::compile(std::move(r), context, views);
  return run ? std::nullopt : std::optional(run.error().code);
}

struct asked {
  std::optional<seq_no> at_seq;
  seq_no read_at;
  seq_no published;
};

void check_doors(world& w, const asked& by, std::optional<errc> expected) {
  const query_context context{.at = by.read_at, .now = {}};
  read_views views = w.views();
  views.published = by.published;
  const std::vector<float> four{1, 0, 0, 0};
  find_request f;
  f.near_vector = four;
  f.limit = 5;
  f.at_seq = by.at_seq;
  CHECK(refusal<find_run>(f, context, views) == expected);
  retrieve_request r;
  r.q = "tea";
  r.vector = four;
  r.at_seq = by.at_seq;
  CHECK(refusal<retrieve_run>(r, context, views) == expected);
  search_request s;
  s.query = "tea";
  s.vector = four;
  s.at_seq = by.at_seq;
  CHECK(refusal<search_run>(s, context, views) == expected);
  context_request c;
  c.query = "tea";
  c.vector = four;
  c.at_seq = by.at_seq;
  CHECK(refusal<context_run>(c, context, views) == expected);
}

} // namespace

TEST_CASE("a vector that is not yet published fixes no space for who asks") {
  site here;
  const auto w = here.open();
  driven d(*w);
  REQUIRE(d.apply(note("tea")));
  auto of_five = note("more tea");
  of_five.vector = std::vector<float>{1, 0, 0, 0, 0};
  REQUIRE(d.apply(std::move(of_five)));
  // At work on seq 2 while readers are at seq 1.
  check_doors(*w, {.at_seq = {}, .read_at = {1}, .published = {1}}, {});
  check_doors(*w, {.at_seq = seq_no{0}, .read_at = {0}, .published = {1}}, {});
  // A read that began before it was published goes on as it began.
  check_doors(*w, {.at_seq = {}, .read_at = {1}, .published = {2}}, {});
  // Then a world has one space, whatever seq is asked about.
  check_doors(*w, {.at_seq = {}, .read_at = {2}, .published = {2}}, errc::dim_mismatch);
  check_doors(*w, {.at_seq = seq_no{0}, .read_at = {0}, .published = {2}}, errc::dim_mismatch);
}
