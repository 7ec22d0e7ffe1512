// What explain says: the driver chosen by cardinality, the stages with their candidate counts, and
// that records are fetched last and only as far as needed.
// Of: query/find/row_filter.cpp

#include <algorithm>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "query/find/find.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

/// 60 notes and 20 facts in a ring of edges; every note has "often", every tenth memory "seldom".
struct planned_world : small_world {
  planned_world() {
    for (std::uint64_t n = 1; n <= 80; ++n) {
      auto s = draft(n, n <= 60 ? memory_type::note : memory_type::fact, fmt::format("text {}", n));
      if (n <= 60) s.head.tags.push_back("often");
      if (n % 10 == 0) s.head.tags.push_back("seldom");
      if (n % 2 == 0) s.vector = {static_cast<float>(n), 1, 0};
      put(s);
    }
    for (std::uint64_t n = 1; n <= 80; ++n)
      put_edge(numbered_id(n), edge_type::references, numbered_id(n % 80 + 1));
  }

  query_plan plan_of(find_request r) const {
    r.explain = true;
    if (!r.limit) r.limit = 5;
    auto answer = find_inline(*this, r);
    REQUIRE(answer.has_value());
    REQUIRE(answer->plan.has_value());
    return *answer->plan;
  }
};

std::string stages_of(const query_plan& plan) {
  std::string text;
  for (const auto& s : plan.stages) {
    CHECK(s.time_ns == 0); // no stopwatch was given
    text += fmt::format("{}{} {}>{}", text.empty() ? "" : ", ", s.name, s.in, s.out);
  }
  return text;
}

TEST_CASE("the cheapest driver is chosen") {
  const planned_world world;
  find_request r;
  r.types = {memory_type::note};
  SECTION("types alone") {
    const auto plan = world.plan_of(r);
    CHECK(plan.driver == "types");
    CHECK(stages_of(plan) == "type 60>60, filter 60>60, order 60>5, fetch 5>5");
  }
  SECTION("a union of types") {
    r.types = {memory_type::note, memory_type::fact, memory_type::note};
    CHECK(stages_of(world.plan_of(r)) == "type 80>80, filter 80>80, order 80>5, fetch 5>5");
  }
  SECTION("a rare tag before types") {
    r.where = all_of({has_tag("often"), has_tag("seldom")});
    const auto plan = world.plan_of(r);
    CHECK(plan.driver == "tags");
    CHECK(plan.stages.front().detail == "seldom");
    CHECK(plan.predicate == R"((and (has_tag "often") (has_tag "seldom")))");
    CHECK(stages_of(plan) == "tag 8>8, filter 8>6, order 6>5, fetch 5>5");
  }
  SECTION("types before a frequent tag") {
    r.types = {memory_type::fact};
    r.where = has_tag("often");
    const auto plan = world.plan_of(r);
    CHECK(plan.driver == "types");
    CHECK(stages_of(plan) == "type 20>20, filter 20>0, order 0>0");
  }
  SECTION("an unknown tag ends the query at once") {
    r.where = has_tag("never");
    CHECK(stages_of(world.plan_of(r)) == "tag 0>0, filter 0>0, order 0>0");
  }
  SECTION("a short walk before all") {
    r.where = has_tag("seldom");
    r.from = numbered_id(8);
    r.follow = follow_spec{.max_hops = 3};
    const auto plan = world.plan_of(r);
    CHECK(plan.driver == "bfs");
    CHECK(stages_of(plan) == "bfs 1>3, filter 3>1, order 1>1, fetch 1>1");
  }
  SECTION("near within a walk") {
    r.from = numbered_id(8);
    r.follow = follow_spec{.max_hops = 6};
    r.near_vector = std::vector<float>{1, 0, 0};
    r.limit = 2;
    r.near_k = 2;
    const auto plan = world.plan_of(r);
    CHECK(plan.driver == "bfs");
    CHECK(stages_of(plan) == "bfs 1>6, filter 6>3, near 3>2, order 2>2, fetch 2>2");
    CHECK(plan.stages[2].detail == "exact");
  }
  SECTION("near alone") {
    r.types.clear();
    r.near = "east";
    const auto plan = world.plan_of(r);
    CHECK(plan.driver == "near");
    CHECK(stages_of(plan) == "near 80>20, order 20>5, fetch 5>5");
  }
}

TEST_CASE("a posting drives where the walk is wide") {
  small_world world;
  for (std::uint64_t n = 1; n <= 400; ++n) {
    auto s = small_world::draft(n, memory_type::note, "text");
    if (n % 100 == 0) s.head.tags.push_back("seldom");
    world.put(s);
    if (n > 1) world.put_edge(numbered_id(1), edge_type::references, numbered_id(n));
  }
  find_request r;
  r.limit = 10;
  r.from = numbered_id(1);
  r.where = has_tag("seldom");
  r.explain = true;
  const auto answer = find_inline(world, r);
  REQUIRE(answer.has_value());
  CHECK(answer->plan->driver == "tags");
  CHECK(answer->memories.size() == 4);
  CHECK(answer->hops == std::vector<std::int64_t>{1, 1, 1, 1});
  CHECK(answer->candidates_scanned == 4);
}

TEST_CASE("what an asker may see drives where others have more") {
  small_world world;
  for (std::uint64_t n = 1; n <= 400; ++n) {
    auto s = small_world::draft(n, memory_type::note, "text");
    s.head.actor_scope = "agent " + std::to_string(n % 40);
    // Agent 20 has ten of its own and sees eight that are for all, of which four are its own.
    if (n % 100 == 0 || n % 100 == 60) s.head.visibility = visibility::actor_public;
    world.put(s);
  }
  find_request r;
  r.types = {memory_type::note};
  r.limit = 100;
  r.actor = "agent 20";
  r.explain = true;
  const auto answer = find_inline(world, r);
  REQUIRE(answer.has_value());
  CHECK(answer->plan->driver == "visible");
  CHECK(answer->plan->stages.front().detail == "agent 20");
  CHECK(answer->memories.size() == 14);
  CHECK(answer->candidates_scanned == 14);
  r.types = {memory_type::fact};
  CHECK(find_inline(world, r)->plan->driver == "types");
}

TEST_CASE("records are fetched only until the answer is fixed") {
  const planned_world world;
  find_request r;
  r.types = {memory_type::note};
  r.limit = 2;
  r.where = compare(comparison::ne, "data.statement", std::string("text 1"));
  const auto fetched = [&] {
    const auto plan = world.plan_of(r);
    const auto stage = std::ranges::find(plan.stages, "fetch", &plan_stage::name);
    REQUIRE(stage != plan.stages.end());
    return stage->detail;
  };
  CHECK(fetched() == "3 records"); // 1 fails, 2 and 3 pass
  r.count = true;
  CHECK(fetched() == "60 records");
  r.count = false;
  r.where = compare(comparison::lte, "head.current_version", std::int64_t{1});
  CHECK(fetched() == "2 records"); // decided by the columns
  r.where = all_of({compare(comparison::gt, "head.current_version", std::int64_t{1}), *r.where,
                    compare(comparison::ne, "data.statement", std::string("x"))});
  CHECK(stages_of(world.plan_of(r)) == "type 60>60, filter 60>0, order 0>0");
}

TEST_CASE("explain names trim and touch, and measures with the stopwatch") {
  const planned_world world;
  find_request r;
  r.types = {memory_type::note};
  r.budget_tokens = 8;
  r.late_binding = true;
  r.explain = true;
  std::int64_t time_ns = 0;
  const read_views views = world.views();
  auto run = find_run::compile(r, {world.seq(), {}, [&] { return time_ns += 10; }}, views);
  REQUIRE(run.has_value());
  REQUIRE(run_inline(**run, views).has_value());
  const auto answer = (*run)->take();
  std::vector<std::string> names;
  for (const auto& s : answer.plan->stages) {
    names.push_back(s.name);
    CHECK(s.time_ns > 0);
  }
  CHECK(names == std::vector<std::string>{"type", "filter", "order", "fetch", "trim", "touch"});
  CHECK(answer.plan->stages[4].in == 60);
  CHECK(answer.plan->stages[4].out == answer.memories.size());
}

} // namespace
} // namespace mneme::testing
