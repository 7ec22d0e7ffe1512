// Cost against size, as curves.
// Of: bench/workloads/cost_plot.cpp
#include <catch2/catch.hpp>

#include "bench/workloads/cost_plot.hpp"

using namespace mneme::workloads;

namespace {

std::vector<measured> two_sizes() {
  std::vector<measured> all;
  for (const std::size_t size : {100UL, 10'000UL}) {
    all.push_back(
        {.name = "W1 & <more>", .size = size, .engine = {.p50_us = static_cast<double>(size)}});
    all.back().floor = {.name = "floor", .p50_us = 3};
    all.push_back({.name = "W9", .size = size, .engine = {.bytes = 1e6}});
  }
  return all;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

} // namespace

TEST_CASE("costs are gathered by workload, in the order of the rows") {
  const auto costs = costs_by_workload(two_sizes());
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].name == "W1 & <more>");
  CHECK(costs[0].engine == cost_line{{100, 100}, {10'000, 10'000}});
  CHECK(costs[0].floor.size() == 2);
  CHECK(costs[0].peer.empty());
  CHECK(costs[1].engine == cost_line{{100, 1e6}, {10'000, 1e6}});
}

TEST_CASE("the plot has a panel for each workload, with the exponents of its curves") {
  const auto svg = cost_plot(two_sizes());
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<g ") == 2);
  CHECK(count(svg, "<circle ") == 6);
  CHECK(svg.find("W1 &amp; &lt;more>") != std::string::npos);
  CHECK(svg.find("mneme N^1.00, floor N^0.00") != std::string::npos);
  CHECK(svg.find("1.0 MB") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("a plot of one size has points and no exponents") {
  const auto svg = cost_plot({{.name = "W5", .size = 100, .engine = {.p50_us = 5}}});
  CHECK(count(svg, "<circle ") == 1);
  CHECK(svg.find("N^") == std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}
