#include "sim/reduce.hpp"

#include <algorithm>

namespace mneme::sim {

namespace {

constexpr int runs_max = 200;

std::set<std::string> names_of(const std::vector<std::string>& plan) {
  std::set<std::string> names;
  for (const auto& line : plan) names.insert(line.substr(0, line.find(':')));
  return names;
}

} // namespace

std::vector<std::string> reduce(const run_options& run, const run_report& failed) {
  run_options smaller = run;
  smaller.keep_log = false;
  std::vector<std::string> plan = failed.plan;
  int runs = 0;
  for (std::size_t chunk = plan.size() / 2; chunk > 0 && runs < runs_max;) {
    bool dropped = false;
    for (std::size_t at = 0; at < plan.size() && runs < runs_max;) {
      std::vector<std::string> without = plan;
      const auto from = without.begin() + static_cast<std::ptrdiff_t>(at);
      const auto left = static_cast<std::size_t>(without.end() - from);
      without.erase(from, from + static_cast<std::ptrdiff_t>(std::min(chunk, left)));
      smaller.only = names_of(without);
      ++runs;
      const auto report = simulate(smaller);
      if (report.failure && report.failure->oracle == failed.failure->oracle) {
        // What was not reached any more is gone too.
        plan = report.plan;
        dropped = true;
      } else {
        at += chunk;
      }
    }
    if (!dropped) chunk /= 2;
  }
  return plan;
}

} // namespace mneme::sim
