// Several engines on one log: seeds that must be clean, the same twice, and a planted bug.
// Of: sim/cluster.cpp, sim/cluster_node.cpp, sim/cluster_evidence.cpp
#include "sim/cluster.hpp"

#include <catch2/catch.hpp>

#include "tests/sanitized.hpp"

using namespace mneme::sim;
using mneme::testing::is_sanitized;

namespace {

std::string verdict(const cluster_report& report) {
  if (!report.failure) return "clean";
  return "step " + std::to_string(report.failed_at_step) + ", " + report.failure->oracle + ": "
         + report.failure->text;
}

} // namespace

TEST_CASE("engines on one log lose nothing, and agree at every seq", "[sim][log]") {
  std::uint64_t acknowledged = 0;
  std::uint64_t epochs = 0;
  std::uint64_t trims = 0;
  for (std::uint64_t seed = 1; seed <= (is_sanitized ? 3 : 12); ++seed) {
    const auto report = simulate_cluster({.seed = seed, .steps = 3000, .engines = 3 + seed % 3});
    INFO("seed " << seed);
    CHECK(verdict(report) == "clean");
    acknowledged += report.acknowledged;
    epochs += report.epochs;
    trims += report.trims;
  }
  CHECK(trims > (is_sanitized ? 3 : 12));
  CHECK(acknowledged > (is_sanitized ? 100 : 500));
  CHECK(epochs > (is_sanitized ? 6 : 24));
}

TEST_CASE("a run of several engines is the same twice", "[sim][log]") {
  const cluster_options options{.seed = 5, .steps = 2000, .engines = 3};
  CHECK(simulate_cluster(options).log_digest == simulate_cluster(options).log_digest);
}

TEST_CASE("an engine that acknowledges before the log has it is found", "[sim][log]") {
  cluster_report report;
  for (std::uint64_t seed = 1; seed <= 10 && !report.failure; ++seed)
    report =
        simulate_cluster({.seed = seed, .steps = 2000, .engines = 3, .reply_before_publish = true});
  REQUIRE(report.failure);
  CHECK((report.failure->oracle == "durable" || report.failure->oracle == "one leader"));
}

// Its last frame was a seal, and who leads then never had it.
TEST_CASE("a log that was rolled back and has the same again halts nobody who did not look",
          "[sim][log]") {
  CHECK(verdict(simulate_cluster({.seed = 1924, .steps = 600, .engines = 3})) == "clean");
  CHECK(verdict(simulate_cluster({.seed = 1220, .steps = 1000, .engines = 4})) == "clean");
}
