// Tests for a host to copy: its simulation, run twice or run again from the journal, has to come to
// the same bytes. What a run may draw on is given to it: a seed, a clock that it moves itself, and
// one order of all that is written.

#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "mneme/engine.hpp"
#include "mneme/recovery.hpp"
#include "mneme/tick.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t minute_ns = 60'000'000'000;

/// A directory that goes with the test.
struct scratch {
  fs::path path;
  explicit scratch(const std::string& name)
      : path(fs::temp_directory_path() / ("replay-" + name + "-" + std::to_string(::getpid()))) {
    fs::remove_all(path);
  }
  ~scratch() { fs::remove_all(path); }
};

/// What makes a run repeatable; all else is the default.
mneme::engine_options repeatable(const fs::path& directory,
                                 const std::shared_ptr<mneme::manual_clock>& clock) {
  mneme::engine_options options;
  options.directory = directory.string();
  options.seed = 7;
  options.clock = clock;
  options.commit = mneme::commit_mode::per_request;
  options.exact_near = true;
  return options;
}

/// The host's simulation: put yours here. In each round every agent looks for what is near to its
/// task, and writes down what it makes of that.
void simulate(mneme::engine& world, mneme::manual_clock& clock, int rounds) {
  const std::vector<std::string> agents{"ana", "ben", "cy"};
  for (int round = 0; round < rounds; ++round) {
    mneme::tick_request tick;
    for (const auto& agent : agents) {
      mneme::find_request find;
      find.actor = agent;
      find.near = "tea in the kitchen";
      find.limit = 3;
      tick.reads.emplace_back(std::move(find));
    }
    auto seen = world.tick(std::move(tick));
    REQUIRE(seen);
    tick = {};
    for (std::size_t i = 0; i < agents.size(); ++i) {
      REQUIRE(seen->reads[i]);
      const auto& found = std::get<mneme::find_result>(*seen->reads[i]);
      mneme::write_request note;
      note.type = mneme::memory_type::note;
      note.actor = agents[i];
      note.data["statement"] = agents[i] + " made tea and thought of "
                               + std::to_string(found.memories.size()) + " other cups";
      tick.writes.emplace_back(mneme::scoped_mutation{.request = std::move(note)});
    }
    auto written = world.tick(std::move(tick));
    REQUIRE(written);
    for (const auto& each : written->writes) REQUIRE(each);
    clock.set({clock.now().ns + minute_ns});
  }
}

/// The root over all that the world holds, after so many rounds.
mneme::digest root_of_run(const fs::path& directory, int rounds) {
  const auto clock =
      std::make_shared<mneme::manual_clock>(mneme::timestamp{1'700'000'000'000'000'000});
  auto world = mneme::engine::open(repeatable(directory, clock));
  REQUIRE(world);
  simulate(*world, *clock, rounds);
  return world->root()->overall;
}

} // namespace

TEST_CASE("two runs come to the same root") {
  const scratch one("one");
  const scratch other("other");
  CHECK(root_of_run(one.path, 5) == root_of_run(other.path, 5));
  CHECK(root_of_run(one.path, 5) != mneme::digest{});
}

TEST_CASE("the journal alone makes the same world again") {
  const scratch lived("lived");
  const scratch again("again");
  const auto root = root_of_run(lived.path, 5);
  const auto replayed = mneme::replay_world(lived.path.string(), again.path.string());
  REQUIRE(replayed);
  CHECK(replayed->overall == root);
  CHECK(mneme::verify_world(again.path.string())->ok);
}

TEST_CASE("a run that is broken off goes on to where it would have come") {
  const scratch whole("whole");
  const scratch broken("broken");
  const auto clock =
      std::make_shared<mneme::manual_clock>(mneme::timestamp{1'700'000'000'000'000'000});
  {
    auto world = mneme::engine::open(repeatable(broken.path, clock));
    REQUIRE(world);
    simulate(*world, *clock, 2);
  }
  auto world = mneme::engine::open(repeatable(broken.path, clock));
  REQUIRE(world);
  simulate(*world, *clock, 3);
  // What is drawn after an open is another stream, so that memories have other ids: the same are
  // there, in the same order.
  const auto stats = world->stats();
  REQUIRE(stats);
  CHECK(stats->memories == 15);
  CHECK(mneme::verify_world(broken.path.string())->ok);
}
