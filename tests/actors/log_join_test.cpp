// A directory joins a log from a backup of another copy, or from such a directory: it has what that
// has, held against the log, and fetches the rest when it is opened.
// Of: state/branch/join.cpp, state/branch/closed_branches.cpp, state/branch/backup.cpp
#include <filesystem>

#include "mneme/branch.hpp"
#include "mneme/join.hpp"
#include "mneme/recovery.hpp"
#include "tests/actors/log_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct joined_site {
  log_site site;
  std::optional<engine> leader;

  joined_site() : leader(site.open("one")) {
    for (int i = 0; i < 30; ++i) REQUIRE(note(*leader, "note"));
    REQUIRE(leader->checkpoint());
    for (int i = 0; i < 10; ++i) REQUIRE(note(*leader, "more"));
  }
  result<branch_report> join(const std::string& from, const std::string& into) {
    return join_world(site.at(from), site.at(into), log_site::address, site.options(into).logs);
  }
  void back_up(const std::string& from, const std::string& into) {
    const auto made = backup_world(site.at(from), site.at(into));
    REQUIRE(code_of(made) == "ok");
  }
  engine follow(const std::string& name) {
    auto o = site.options(name);
    o.follow = true;
    return opened(o);
  }
};

} // namespace

TEST_CASE("a copy joins from a backup, and fetches what that lacks", "[log]") {
  joined_site s;
  s.back_up("one", "backup");
  for (int i = 0; i < 5; ++i) REQUIRE(note(*s.leader, "behind the backup"));
  const auto joined = s.join("backup", "two");
  REQUIRE(code_of(joined) == "ok");
  CHECK(joined->at == seq_no{40});
  CHECK(joined->checkpoint == seq_no{30});
  CHECK(std::filesystem::exists(s.site.at("two") + "/LOG"));
  const auto here = *s.leader->position();
  auto two = s.follow("two");
  CHECK(two.stats()->checkpoint_seq == seq_no{30}); // not made anew
  CHECK(root_of(two) == to_hex(here.root));
  REQUIRE(note(*s.leader, "while it runs"));
  const auto last = *s.leader->position();
  REQUIRE(code_of(two.reach(last.seq)) == "ok");
  CHECK(root_of(two) == to_hex(last.root));
  REQUIRE(two.close());
  const auto verified = verify_world(s.site.at("two"));
  REQUIRE(verified);
  CHECK(verified->ok);
}

TEST_CASE("a copy joins from a directory that is open, a follower's too", "[log]") {
  joined_site s;
  REQUIRE(code_of(s.join("one", "two")) == "ok");
  auto two = s.follow("two");
  s.back_up("two", "of a follower");
  REQUIRE(code_of(s.join("of a follower", "three")) == "ok");
  REQUIRE(code_of(s.join("two", "four")) == "ok");
  REQUIRE(s.leader->close()); // with a seal, which is in the log
  s.leader.reset();
  s.back_up("one", "sealed");
  REQUIRE(code_of(s.join("sealed", "five")) == "ok");
  s.leader.emplace(s.site.open("five")); // which may lead as well
  REQUIRE(note(*s.leader, "by another"));
  const auto here = *s.leader->position();
  for (const char* name : {"three", "four"}) {
    auto e = s.follow(name);
    CHECK(root_of(e) == to_hex(here.root));
  }
}

TEST_CASE("what was erased since a backup is in no copy that joins from it", "[log]") {
  joined_site s;
  const auto written = note(*s.leader, "erase-me-everywhere");
  REQUIRE(written);
  REQUIRE(s.leader->checkpoint());
  s.back_up("one", "backup");
  erase_request r;
  r.by = "somebody";
  r.reason = "asked for";
  r.ids.push_back(written->uri->id);
  REQUIRE(code_of(s.leader->erase(r)) == "ok");
  REQUIRE(code_of(s.join("backup", "two")) == "ok");
  auto two = s.follow("two");
  CHECK(root_of(two) == to_hex(s.leader->position()->root));
  CHECK(code_of(two.get(written->uri->id)) == "erased");
  CHECK(s.site.in_files("two", "erase-me-everywhere") == 0);
}

TEST_CASE("what is no copy of the log does not join it", "[log]") {
  joined_site s;
  engine_options other;
  other.directory = s.site.at("other");
  other.embedder_spec = "none";
  {
    auto e = opened(other);
    REQUIRE(note(e, "of another world"));
    REQUIRE(e.close());
  }
  const auto refused = s.join("other", "two");
  CHECK(code_of(refused) == "bad_value");
  CHECK(refused.error().message.contains("two worlds"));
  s.back_up("one", "went on");
  {
    other.directory = s.site.at("went on");
    auto e = opened(other);
    REQUIRE(note(e, "in no log"));
    REQUIRE(e.close());
  }
  CHECK(code_of(s.join("went on", "two")) == "corrupt");
  CHECK_FALSE(std::filesystem::exists(s.site.at("two") + "/WORLD"));
  REQUIRE(code_of(s.join("one", "two")) == "ok");
  CHECK(code_of(s.join("one", "two")) == "already_exists");
  CHECK(code_of(s.join("nowhere", "three")) != "ok");
}
