// How `mneme bench` measures in turns, and what it takes for a wrong answer.
// Of: bench/workloads/contest.cpp, bench/workloads/contest.hpp
#include <catch2/catch.hpp>

#include "bench/workloads/contest.hpp"

using namespace mneme::workloads;

namespace {

/// A side that does nothing but say in `order` that it was asked.
turn counted(std::string& order, char name, double right = 1) {
  return timed_turn(
      [&order, name](std::size_t i) -> mneme::result<rows> {
        order += name;
        return rows{static_cast<std::uint32_t>(i)};
      },
      [right](std::size_t, const rows&) -> mneme::result<double> { return right; });
}

} // namespace

TEST_CASE("the sides of a contest are asked the same queries in turns") {
  std::string order;
  contest c{.about = {.name = "W0", .floor = {.name = "floor"}}, .warm = 0, .block = 1, .most = 4};
  c.engine = counted(order, 'e', 0.975);
  c.floor = counted(order, 'f');
  c.peer = counted(order, 'p');
  const auto m = measure(c, 60).value();
  CHECK(order == "efpefpefpefp");
  CHECK(m.engine.repetitions == 4);
  CHECK(m.engine.right == Approx(0.975));
  CHECK(m.floor.repetitions == 4);
  CHECK(m.floor.name == "floor");
  CHECK(m.peer.right == 1);
  CHECK(m.engine.p99_us >= m.engine.p50_us);
}

TEST_CASE("what warms a contest up does not count") {
  std::string order;
  contest c{.about = {.name = "W0"}, .warm = 3, .block = 2, .most = 4};
  c.engine = counted(order, 'e');
  const auto m = measure(c, 60).value();
  CHECK(order.size() == 3 + 4);
  CHECK(m.engine.repetitions == 4);
  CHECK(m.floor.repetitions == 0);
}

TEST_CASE("what a turn prepares is given to it") {
  samples taken;
  const turn squares = single_turn(
      [](std::size_t i) { return i * i; },
      [](std::size_t, std::size_t square) -> mneme::result<std::size_t> { return square; },
      [](std::size_t i, std::size_t square) -> mneme::result<double> {
        return square == i * i ? 1.0 : 0.0;
      });
  REQUIRE(squares(3, 2, taken));
  CHECK(taken.us.size() == 2);
  CHECK(taken.right == 2);
}

TEST_CASE("a wrong answer ends the contest and says which") {
  std::string order;
  contest c{.about = {.name = "W0"}, .warm = 0, .block = 1, .most = 4};
  c.engine = timed_turn([](std::size_t) -> mneme::result<rows> { return rows{1, 2}; },
                        [](std::size_t i, const rows& answer) -> mneme::result<double> {
                          if (i < 2) return 1.0;
                          return std::unexpected(wrong("W0", i, "the engine", {2, 1}, answer));
                        });
  const auto m = measure(c, 60);
  REQUIRE(!m);
  CHECK(m.error().at == wrong_answer);
  CHECK(m.error().message
        == "W0, query 2: the engine answered the rows [1 2], but [2 1] are right");
}

TEST_CASE("a contest that the engine answers with too little recall is an error") {
  std::string order;
  contest c{.about = {.name = "W0"}, .warm = 0, .block = 1, .most = 4};
  c.engine = counted(order, 'e', 0.9);
  const auto m = measure(c, 60);
  REQUIRE(!m);
  CHECK(m.error().at == wrong_answer);
  CHECK(m.error().message == "W0: a recall of 0.900, where 0.95 is asked for");
}

TEST_CASE("answers may differ from the truth in the order of what scores the same") {
  const auto score = [](std::uint32_t i) { return i < 10 ? 1.0 : 0.5; };
  CHECK(is_same_order({1, 2, 10}, {1, 2, 10}, score));
  CHECK(is_same_order({1, 2, 10}, {2, 1, 11}, score));
  CHECK(!is_same_order({1, 2, 10}, {1, 10, 2}, score));
  CHECK(!is_same_order({1, 2, 10}, {1, 2}, score));
  CHECK(!is_same_order({1, 2, 10}, {1, 1, 10}, score));
}

TEST_CASE("recall is the share of the truth that was found") {
  CHECK(recall_of({}, {}) == 1);
  CHECK(recall_of({}, {1}) == 0);
  CHECK(recall_of({1, 2, 3, 4}, {4, 9, 1}) == 0.5);
}

TEST_CASE("recall counts what scores as the truth does") {
  const auto score = [](std::uint32_t i) { return i < 10 ? 1.0 : 0.5; };
  CHECK(recall_of({}, {}, score) == 1);
  CHECK(recall_of({1, 2}, {3, 4}, score) == 1);
  CHECK(recall_of({1, 2}, {3, 3}, score) == 0.5);
  CHECK(recall_of({1, 2}, {3, 11}, score) == 0.5);
}

TEST_CASE("the throughput of a contest counts what each repetition does") {
  const auto report = report_of("side", {.us = {1e6, 1e6}, .right = 2}, 50);
  CHECK(report.per_second == Approx(50));
  CHECK(report.p50_us == 1e6);
  CHECK(report.right == 1);
  CHECK(report_of("none", {}).repetitions == 0);
}
