// The EMBEDDER file: a world says so when its vectors were made by other rules of text.
#include "state/checkpoint/embedder_file.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "messages/seams/hash_embedder.hpp"
#include "state/inspection/stats.hpp"
#include "state/recovery/replay.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("a world with a hash embedder names the rules of its first vectors") {
  site place;
  place.embedder = "hash:8";
  const std::string path = embedder_path("world");
  CHECK(place.open()->report.vectors_problem.empty());
  CHECK(read_file(*place.files, path) == hash_embedder_rules() + "\n");

  // Other tables: it opens, says so each time, and the file stays.
  REQUIRE(replace_file(*place.files, path, "utf8proc 1 unicode 2\n"));
  for (int i = 0; i < 2; ++i) {
    auto w = place.open();
    const std::string& problem = w->report.vectors_problem;
    CHECK(problem.find("(utf8proc 1 unicode 2, now " + hash_embedder_rules() + ")")
          != std::string::npos);
    CHECK(read_stats(*w).embedder_problem == problem);
    driven d(*w);
    CHECK(d.apply(note("still written")));
  }
  CHECK(read_file(*place.files, path) == "utf8proc 1 unicode 2\n");

  // Nothing is known of a world of before, or that has lost the file.
  REQUIRE(place.files->remove(path));
  CHECK(place.open()->report.vectors_problem.empty());
  CHECK(read_file(*place.files, path) == hash_embedder_rules() + "\n");
}

TEST_CASE("a damaged file is said to be so, and nothing of it is shown") {
  site place;
  place.embedder = "hash:8";
  const std::string path = embedder_path("world");
  place.open();
  for (const std::string& damaged :
       {std::string(), std::string("\n"), hash_embedder_rules(), std::string("utf8\x01proc 2\n"),
        std::string("utf8proc \xff\n"), std::string("a\nb\n"), std::string(100'000, 'x') + "\n",
        std::string(3, '\0')}) {
    REQUIRE(replace_file(*place.files, path, damaged));
    const std::string problem = place.open()->report.vectors_problem;
    CHECK_THAT(problem, Catch::Contains("the file world/EMBEDDER is damaged"));
    CHECK(problem.size() < 400);
    CHECK(std::ranges::all_of(problem, [](char c) { return c >= ' ' && c <= '~'; }));
    CHECK(read_file(*place.files, path) == damaged);
  }
}

TEST_CASE("a replayed copy names the rules by which its source's vectors were made") {
  site place;
  place.embedder = "hash:8";
  {
    auto w = place.open();
    driven d(*w);
    REQUIRE(d.apply(note("an old vector")));
  }
  const std::string of_before = "utf8proc 1 unicode 2\n";
  REQUIRE(replace_file(*place.files, embedder_path("world"), of_before));
  site other;
  other.embedder = "hash:8";
  auto copy = other.open();
  CHECK(copy->report.vectors_problem.empty());
  REQUIRE(replay_journal(*place.files, "world", *copy, {}, {}));
  CHECK(read_file(*other.files, embedder_path("world")) == of_before);
  CHECK(copy->report.vectors_problem.find("utf8proc 1") != std::string::npos);
  copy.reset();
  CHECK(other.open()->report.vectors_problem.find("utf8proc 1") != std::string::npos);
}

TEST_CASE("a world with another embedder has no file about rules of text") {
  site place; // embedder "none"
  CHECK(place.open()->report.vectors_problem.empty());
  CHECK(place.files->exists(embedder_path("world")) == false);
}
