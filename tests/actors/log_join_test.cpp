// A directory joins a log from a backup of another copy, or from such a directory: it has what that
// has, held against the log, and fetches the rest when it is opened.
// Of: state/branch/join.cpp, state/branch/closed_branches.cpp, state/branch/backup.cpp
#include <filesystem>

#include "mneme/branch.hpp"
#include "mneme/join.hpp"
#include "mneme/recovery.hpp"
#include "state/branch/join.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/recovery/verify.hpp"
#include "storage/memory_file_system.hpp"
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

TEST_CASE("a copy whose journal is damaged does not join", "[log]") {
  joined_site s;
  s.back_up("one", "backup");
  const auto segment =
      std::filesystem::directory_iterator(s.site.at("backup") + "/journal")->path().string();
  auto bytes = *read_file(*make_posix_file_system(), segment);
  const auto text = bytes.find("note", 2000);
  REQUIRE(text != std::string::npos);
  bytes[text] = 'N';
  REQUIRE(replace_file(*make_posix_file_system(), segment, bytes));
  const auto refused = s.join("backup", "two");
  CHECK(code_of(refused) == "corrupt");
  CHECK_FALSE(std::filesystem::exists(s.site.at("two") + "/WORLD"));
  CHECK_FALSE(std::filesystem::exists(s.site.at("two") + "/UNFINISHED"));
}

TEST_CASE("a join that is killed leaves no world or a whole one, and is begun anew", "[log]") {
  joined_site s;
  REQUIRE(s.leader->close());
  memory_file_system disk;
  const std::string from = s.site.at("one");
  for (const std::string part : {"", "/journal", "/images"}) {
    REQUIRE(disk.create_directories("one" + part));
    for (const auto& file : std::filesystem::directory_iterator(from + part)) {
      if (!file.is_regular_file()) continue;
      const auto bytes = read_file(*make_posix_file_system(), file.path().string());
      REQUIRE(bytes);
      REQUIRE(replace_file(disk, "one" + part + "/" + file.path().filename().string(), *bytes));
    }
  }
  const auto log = s.site.server.connect();
  bool is_done = false;
  for (std::uint64_t nth = 1; !is_done; nth += 3) {
    INFO("operation " << nth);
    memory_file_system d(disk.image());
    const auto join = [&] { return join_files(d, "one", "two", log_site::address, *log); };
    d.fail_nth(io_operation::any, nth, true);
    is_done = join().has_value();
    d.clear_faults();
    d.crash(nth, nth % 2 == 0 ? crash_mode::drop : crash_mode::random);
    const auto left = read_world_file(d, "two");
    if (!left) {
      CHECK(code_of(left) == "not_found");
      REQUIRE(code_of(join()) == "ok");
    }
    CHECK(*read_log_file(d, "two") == log_site::address);
    const auto whole = verify_journal(d, "two", {});
    REQUIRE(whole);
    INFO(whole->problem);
    CHECK(whole->ok);
    CHECK(whole->entries == 40);
  }
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
