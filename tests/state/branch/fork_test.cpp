// Forks, backups and rewinds are whole worlds or none, whatever the disk does meanwhile.
// Of: state/branch/fork.cpp, state/branch/backup.cpp, state/branch/rewind.cpp
// Of: state/branch/branch_files.cpp, state/branch/branch_note.cpp, state/branch/unfinished.cpp
// Of: journal/journal_cut.cpp, state/branch/branch_point.cpp

#include <catch2/catch.hpp>

#include "journal/journal_cut.hpp"
#include "journal/segment.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/branch_note.hpp"
#include "state/branch/branch_point.hpp"
#include "state/branch/diff.hpp"
#include "state/branch/rewind.hpp"
#include "state/recovery/verify.hpp"
#include "tests/sanitized.hpp"
#include "tests/state/branch/disk_of_worlds.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// A batch of three at seqs 13 to 15, a checkpoint at 20, 40 entries, over several segments.
disk_of_worlds parent_world() {
  disk_of_worlds d;
  auto w = d.open("world", true);
  driven run(*w, 1);
  for (int i = 1; i <= 12; ++i) REQUIRE(run.apply(note("first " + std::to_string(i))));
  REQUIRE(run.run({note("batch 1"), note("batch 2"), note("batch 3")}, true));
  for (int i = 16; i <= 20; ++i) REQUIRE(run.apply(note("middle " + std::to_string(i))));
  REQUIRE(run.checkpoint());
  for (int i = 21; i <= 40; ++i) REQUIRE(run.apply(note("last " + std::to_string(i))));
  REQUIRE(close_world(*w));
  w.reset();
  auto segments = list_segments(*d.files, "world/journal");
  REQUIRE(segments);
  REQUIRE(segments->size() >= 4);
  return d;
}

digest root_at(const disk_of_worlds& d, const std::string& directory, seq_no at) {
  auto roots = fold_roots(*d.files, directory, at);
  REQUIRE(roots);
  return roots->overall;
}

} // namespace

TEST_CASE("a fork has the past of its parent up to any frame, and both go on by themselves") {
  const disk_of_worlds d = parent_world();
  const std::string before = d.dump_of("world");
  for (std::uint64_t at = 0; at <= 40; ++at) {
    const std::string to = "fork" + std::to_string(at);
    auto made = fork(d, "world", to, seq_no{at}, at);
    if (at == 13 || at == 14) { // inside the batch
      REQUIRE(!made);
      CHECK(made.error().code == errc::bad_value);
      CHECK(made.error().message.find("12 or 15") != std::string::npos);
      CHECK(!*d.files->exists(to + "/WORLD"));
      continue;
    }
    REQUIRE(made);
    CHECK(made->at.value == at);
    if (made->root) CHECK(*made->root == root_at(d, "world", seq_no{at}));
    CHECK(made->checkpoint.has_value() == (at == 40));
    const auto verified = verify_journal(*d.files, to, {});
    REQUIRE(verified);
    CHECK(verified->ok);
    CHECK(verified->roots.overall == root_at(d, "world", seq_no{at}));
    auto opened = d.open(to);
    CHECK(opened->published_seq().value == at);
    CHECK(opened->info.id == d.open("world")->info.id);
    opened.reset();
    d.write(to, "own " + std::to_string(at) + " ", 12);
    CHECK(d.open(to)->published_seq().value == at + 12);
    CHECK(verify_journal(*d.files, to, {})->ok);
  }
  CHECK(d.dump_of("world") == before);
  CHECK(fork(d, "world", "beyond", seq_no{41}).error().code == errc::seq_unavailable);
  CHECK(fork(d, "world", "fork3").error().code == errc::already_exists);
  // A fork of a fork.
  REQUIRE(fork(d, "fork20", "again", seq_no{25}));
  CHECK(root_at(d, "again", seq_no{25}) == root_at(d, "fork20", seq_no{25}));
  CHECK(root_at(d, "again", seq_no{20}) == root_at(d, "world", seq_no{20}));
  CHECK(root_at(d, "again", seq_no{25}) != root_at(d, "world", seq_no{25}));
  CHECK(read_origin(*d.files, "again")->path == "fork20");
  CHECK(read_forks(*d.files, "fork20")->front().path == "again");
}

TEST_CASE("a time means what was committed whole by then, also where the clock went back") {
  disk_of_worlds d;
  const std::vector<std::int64_t> times = {10, 20, 15, 30, 30, 25};
  std::vector<std::pair<seq_no, std::int64_t>> frames; // the last seq of each, and its time
  {
    auto w = d.open("world", true);
    driven run(*w, 1);
    for (const std::int64_t time : times) {
      run.time->set(timestamp{time});
      REQUIRE(run.run({note("one of two"), note("the other")}, true));
      frames.emplace_back(w->published_seq(), time);
    }
    REQUIRE(close_world(*w));
  }
  const world_id id = d.open("world")->info.id;
  const auto point_at = [&](std::optional<seq_no> seq, std::int64_t time) {
    return branch_point(*d.files, "world", id, seq, timestamp{time});
  };
  for (std::int64_t time = 0; time <= 31; ++time) {
    seq_no last{};
    for (const auto& [seq, made_at] : frames)
      if (made_at <= time) last = seq;
    CHECK(point_at({}, time).value().value() == last);
  }
  CHECK_FALSE(branch_point(*d.files, "world", id, {}, {})->has_value());
  CHECK(point_at(seq_no{2}, 20).error().code == errc::bad_value);
  CHECK(point_at({}, -1).error().code == errc::bad_time);
  const noted_paths paths{.own = "early", .parent = "world", .is_locked = false};
  CHECK(fork_files(*d.files, "world", "early", {.at = timestamp{19}}, paths)->at == seq_no{6});
  const auto apart =
      diff_files(*d.files, {.directory = "world", .at = timestamp{19}},
                 {.directory = "world", .at = timestamp{30}}, {}, [](const auto&) { return true; });
  REQUIRE(apart);
  CHECK(apart->a.at == seq_no{6});
  CHECK(apart->only_b == 6);
}

TEST_CASE("a fork of an open world is as of what it has written") {
  const disk_of_worlds d = parent_world();
  auto w = d.open("world");
  driven run(*w, 5);
  for (int i = 0; i < 7; ++i) {
    REQUIRE(run.apply(note("hot " + std::to_string(i))));
    const std::string to = "hot" + std::to_string(i);
    auto made = fork(d, "world", to);
    REQUIRE(made);
    CHECK(made->at == w->published_seq());
    CHECK(dump(*d.open(to)) == dump(*w));
  }
}

TEST_CASE("segments that other worlds share are not appended to") {
  const disk_of_worlds d = parent_world();
  auto segments = list_segments(*d.files, "world/journal");
  // As somebody copies a directory by links.
  REQUIRE(d.files->create_directories("linked/journal"));
  for (const seq_no first : *segments)
    REQUIRE(d.files->link("world/journal/" + segment_name(first),
                          "linked/journal/" + segment_name(first)));
  REQUIRE(d.files->link("world/WORLD", "linked/WORLD"));
  const std::string before = d.dump_of("world");
  d.write("linked", "elsewhere ", 5);
  CHECK(d.dump_of("world") == before);
  CHECK(verify_journal(*d.files, "world", {})->roots.seq.value == 40);
  CHECK(verify_journal(*d.files, "linked", {})->roots.seq.value == 45);
}

TEST_CASE("a fork that a crash broke off is no world, says so, and can be made again") {
  const disk_of_worlds start = parent_world();
  const std::string parent = start.dump_of("world");
  const auto disk = start.files->image();
  int unfinished = 0;
  for (const std::uint64_t at : {15ULL, 40ULL}) {
    bool is_done = false;
    for (std::uint64_t nth = 1; !is_done; nth += operations_apart) {
      disk_of_worlds d{std::make_shared<memory_file_system>(disk)};
      d.files->fail_nth(io_operation::any, nth, true);
      is_done = fork(d, "world", "fork", seq_no{at}).has_value();
      d.files->clear_faults();
      d.files->crash(nth * 31 + at, nth % 3 == 0 ? crash_mode::drop : crash_mode::random);
      CHECK(d.dump_of("world") == parent);
      if (!*d.files->exists("fork/WORLD")) {
        CHECK(!is_done);
        auto opened = open_world(d.options("fork", false));
        REQUIRE(!opened);
        if (*d.files->exists("fork/UNFINISHED")) {
          ++unfinished;
          CHECK(opened.error().message.find("broken off") != std::string::npos);
          auto made = open_world(d.options("fork", true));
          REQUIRE(!made);
        }
        auto again = fork(d, "world", "fork", seq_no{at});
        if (!again) FAIL("after operation " << nth << ": " << again.error().message);
      }
      CHECK(d.open("fork")->published_roots().overall == root_at(d, "world", seq_no{at}));
      CHECK(verify_journal(*d.files, "fork", {})->ok);
    }
  }
  CHECK(unfinished > (is_sanitized ? 4 : 20));
}

TEST_CASE("a backup is a whole world at every moment, and copies nothing twice") {
  const disk_of_worlds start = parent_world();
  const auto disk = start.files->image();
  bool is_done = false;
  for (std::uint64_t nth = 1; !is_done; nth += operations_apart) {
    disk_of_worlds d{std::make_shared<memory_file_system>(disk)};
    auto first = backup_files(*d.files, "world", "copy");
    REQUIRE(first);
    CHECK(first->shared_segments == 0);
    const seq_no had = d.open("copy")->published_seq();
    d.write("world", "more ", 30);
    const std::uint64_t now = 70;
    d.files->fail_nth(io_operation::any, nth, true);
    auto second = backup_files(*d.files, "world", "copy");
    is_done = second.has_value();
    d.files->clear_faults();
    if (is_done) {
      CHECK(second->kept_segments >= 3);
      CHECK(second->at.value == now);
    }
    d.files->crash(nth, nth % 3 == 0 ? crash_mode::drop : crash_mode::random);
    {
      auto copy = d.open("copy");
      CHECK(copy->published_seq() >= had);
      CHECK(copy->published_roots().overall == root_at(d, "world", copy->published_seq()));
    }
    REQUIRE(backup_files(*d.files, "world", "copy"));
    CHECK(verify_journal(*d.files, "copy", {})->roots.seq.value == now);
    CHECK(d.dump_of("copy") == d.dump_of("world"));
  }
}

TEST_CASE("a backup that went on by itself, or another world, is left as it is") {
  const disk_of_worlds d = parent_world();
  REQUIRE(backup_files(*d.files, "world", "copy"));
  REQUIRE(fork(d, "world", "branch"));
  CHECK(backup_files(*d.files, "world", "branch").error().code == errc::already_exists);
  d.write("copy", "own ", 3);
  const std::string before = d.dump_of("copy");
  CHECK(backup_files(*d.files, "world", "copy").error().code == errc::already_exists);
  d.write("world", "other ", 9);
  CHECK(backup_files(*d.files, "world", "copy").error().code == errc::already_exists);
  CHECK(d.dump_of("copy") == before);
}

TEST_CASE("a rewind puts the past in place of the world and keeps the world, or does nothing") {
  const disk_of_worlds start = parent_world();
  const std::string whole = start.dump_of("world");
  const digest then = root_at(start, "world", seq_no{15});
  const auto disk = start.files->image();
  bool is_done = false;
  for (std::uint64_t nth = 1; !is_done; nth += operations_apart) {
    disk_of_worlds d{std::make_shared<memory_file_system>(disk)};
    const rewind_options options{.keep_as = "kept", .random = make_seeded_random(nth, 1)};
    d.files->fail_nth(io_operation::any, nth, true);
    auto made = rewind_files(*d.files, "world", seq_no{15}, options);
    is_done = made.has_value();
    d.files->clear_faults();
    d.files->crash(nth, nth % 3 == 0 ? crash_mode::drop : crash_mode::random);
    if (d.open("world")->published_seq().value == 40) {
      CHECK(!is_done);
      CHECK(d.dump_of("world") == whole);
      made = rewind_files(*d.files, "world", seq_no{15}, options);
      if (!made) FAIL("after operation " << nth << ": " << made.error().message);
      CHECK(made->kept_at.value == 40);
    }
    CHECK(d.open("world")->published_roots().overall == then);
    CHECK(d.dump_of("kept") == whole);
    CHECK(read_origin(*d.files, "world")->path == "kept");
    auto forks = read_forks(*d.files, "kept");
    REQUIRE(forks);
    CHECK(forks->front().path == "world");
    d.write("world", "another way ", 4);
    CHECK(verify_journal(*d.files, "world", {})->roots.seq.value == 19);
  }
}

TEST_CASE("what finds no room for its first file leaves none") {
  disk_of_worlds d;
  {
    auto w = d.open("world", true);
  }
  d.write("world", "statement ", 3);
  for (const std::uint64_t room : {0U, 10U, 100U}) {
    d.files->limit_bytes(d.files->used_bytes() + room);
    const auto made = fork(d, "world", "branch");
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::disk_full);
    const auto copied = backup_files(*d.files, "world", "copy", true);
    REQUIRE_FALSE(copied);
    CHECK(copied.error().code == errc::disk_full);
    for (const std::string to : {"branch", "copy"})
      for (const std::string part : {"", "/journal", "/images"})
        CHECK(d.files->list(to + part)->empty());
  }
  d.files->limit_bytes({});
  CHECK(fork(d, "world", "branch"));
  CHECK(backup_files(*d.files, "world", "copy", true));
}

TEST_CASE("notes of branches give what was noted, and nothing of other bytes") {
  branch_note note{
      .world = seeded_world_id("w", 1), .branch = {1, 2, 255}, .at = {77}, .path = "/a\nb"};
  const std::string bytes = encode(note);
  CHECK(decode_branch_note(bytes) == note);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = decode_branch_note(std::string_view(bytes).substr(0, size));
    CHECK((!cut || cut->path != note.path));
  }
}
