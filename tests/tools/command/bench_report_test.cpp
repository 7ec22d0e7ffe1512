// What `mneme bench` prints.
// Of: tools/command/bench_report.cpp
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/command/bench_report.hpp"

using namespace mneme;

namespace {

std::vector<workloads::measured> rows_of_two_sizes() {
  std::vector<workloads::measured> all;
  for (const std::size_t size : {100UL, 10'000UL}) {
    all.push_back({.name = "W5", .what = "a find", .size = size});
    all.back().engine = {.repetitions = 3,
                         .p50_us = static_cast<double>(size),
                         .p99_us = 2e6,
                         .per_second = 10,
                         .right = 1};
    all.back().floor = {.name = "a loop",
                        .repetitions = 3,
                        .p50_us = 50,
                        .p99_us = 60,
                        .per_second = 1,
                        .right = 1};
    all.back().facts = {{"load_us", 1500}};
  }
  all.push_back({.name = "W9", .what = "disk", .size = 100, .engine = {.bytes = 3e6}});
  all.back().peer = {.name = "SQLite", .bytes = 1.5e6};
  return all;
}

} // namespace

TEST_CASE("the benchmark's table has medians, ratios, and how a cost grows") {
  const auto text = command::bench_table(rows_of_two_sizes());
  CHECK(text.find("W5  100       100.0 µs  2.00 s  10        50.0 µs  2.0 ") != std::string::npos);
  CHECK(text.find("50.0 µs  200.0                      N^1.00") != std::string::npos);
  CHECK(text.find("3.0 MB") != std::string::npos);
  CHECK(text.find("1.5 MB  2.0 ") != std::string::npos);
  CHECK(text.find("a find; floor: a loop; load 1.50 ms") != std::string::npos);
}

TEST_CASE("the benchmark's JSON has the sides that were measured") {
  const auto json = nlohmann::json::parse(command::bench_json(rows_of_two_sizes(), 7, 0.5));
  CHECK(json.at("seed") == 7);
  CHECK(json.at("load") == 0.5);
  CHECK(json.at("cores") >= 1);
  const auto& find = json.at("rows").at(0);
  CHECK(find.at("workload") == "W5");
  CHECK(find.at("n") == 100);
  CHECK(find.at("engine").at("p50_us") == 100.0);
  CHECK(find.at("engine").at("right") == 1.0);
  CHECK(find.at("floor").at("what") == "a loop");
  CHECK(find.at("facts").at("load_us") == 1500.0);
  CHECK(!find.contains("sqlite"));
  const auto& disk = json.at("rows").at(2);
  CHECK(disk.at("engine") == nlohmann::json{{"bytes", 3e6}});
  CHECK(disk.at("sqlite").at("bytes") == 1.5e6);
}
