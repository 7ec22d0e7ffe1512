// Crashes and failing I/O against a model: after reopening, the journal is a prefix of what was
// appended, at least as long as what was synced, and goes on from there. A disk that lies about
// syncs must be caught by the same check, or the check sees nothing.
#include "tests/journal/journal_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

const std::string crash_dir = "/w/journal";
const journal_options small_segments{.segment_bytes = 2000, .extend_bytes = 700};

/// What the caller of a journal was told.
struct told {
  std::uint64_t appended = 0; ///< may be there
  std::uint64_t synced = 0;   ///< must be there
};

/// The last seq of what a crash left; nullopt if it is not a prefix that holds all that was synced.
std::optional<seq_no> survivors(memory_file_system& fs, const told& t, std::uint64_t seed) {
  auto frames = read_frames(fs, crash_dir);
  if (!frames) return std::nullopt;
  const auto last = require_frames(*frames, seed, 900);
  if (last.value < t.synced || last.value > t.appended) return std::nullopt;
  return last;
}

/// One random action; false when the journal refused it.
bool act(journal& j, dice& roll, std::uint64_t seed, told& t) {
  const auto choice = roll.below(10);
  if (choice < 6) {
    // A frame whose write failed may be whole all the same.
    const auto size = entries_of(seed, j.last_seq().next(), 900).size();
    t.appended = std::max(t.appended, j.last_seq().value + size);
    return append_next(j, seed, 900).has_value();
  }
  if (choice < 8) {
    if (!j.sync()) return false;
    t.synced = j.last_seq().value;
    return true;
  }
  if (choice == 8) return j.append_seal(root_at(j.last_seq())).has_value();
  if (!j.trim()) return false;
  t.synced = j.last_seq().value;
  return true;
}

} // namespace

TEST_CASE("crashes keep what was synced and invent nothing", "[journal][crash]") {
  std::uint64_t lost = 0;
  std::uint64_t torn = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    INFO("seed " << seed);
    dice roll(seed);
    auto fs = std::make_shared<memory_file_system>();
    told t;
    for (int life = 0; life < 5; ++life) {
      auto opened =
          journal::open(fs, crash_dir, test_world, test_branch, seq_no{t.synced}, small_segments);
      if (!opened) FAIL(opened.error().message);
      auto& j = **opened;
      if (j.tail().torn_bytes > 0) ++torn;
      const auto there = survivors(*fs, t, seed);
      REQUIRE(there);
      REQUIRE(j.last_seq() == *there);
      REQUIRE(j.durable_through() == *there);
      lost += t.appended - there->value;
      t = {.appended = there->value, .synced = there->value};
      for (auto steps = roll.below(25); steps > 0; --steps) REQUIRE(act(j, roll, seed, t));
      REQUIRE(j.durable_through().value >= t.synced);
      opened->reset();
      // Without a crash in between now and then.
      if (roll.below(5) != 0) fs->crash(roll.next());
    }
  }
  // The sweep means nothing unless it loses and tears things.
  CHECK(lost > 100);
  CHECK(torn > 100);
}

TEST_CASE("every crash of one moment", "[journal][crash]") {
  auto fs = std::make_shared<memory_file_system>();
  told t;
  auto j = open_journal(fs, crash_dir, small_segments);
  dice roll(5);
  for (int i = 0; i < 40; ++i) REQUIRE(act(*j, roll, 3, t));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(append_next(*j, 3, 900));
    t.appended = j->last_seq().value;
  }
  t.synced = j->durable_through().value; // a new segment syncs the one before
  const auto image = fs->image();
  std::vector<std::uint64_t> ends;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto crashed = std::make_shared<memory_file_system>(image);
    crashed->crash(seed);
    auto opened = journal::open(crashed, crash_dir, test_world, test_branch, seq_no{t.synced});
    if (!opened) FAIL(opened.error().message);
    REQUIRE(survivors(*crashed, t, 3) == (*opened)->last_seq());
    ends.push_back((*opened)->last_seq().value);
  }
  std::ranges::sort(ends);
  CHECK(ends.front() == t.synced);
  CHECK(ends.back() == t.appended);
}

TEST_CASE("the nth I/O fails: refused for good, nothing lost, nothing invented",
          "[journal][crash]") {
  for (const bool from_then_on : {false, true}) {
    bool finished = false;
    std::uint64_t nth = 1;
    for (; !finished; ++nth) {
      INFO("operation " << nth << (from_then_on ? " and later" : ""));
      auto fs = std::make_shared<memory_file_system>();
      told t;
      dice roll(11);
      bool failed = false;
      {
        auto first = open_journal(fs, crash_dir, small_segments);
        for (int i = 0; i < 10; ++i) REQUIRE(act(*first, roll, 7, t));
      }
      fs->crash(nth, crash_mode::keep);
      t.synced = t.appended;
      fs->fail_nth(io_operation::any, nth, from_then_on);
      auto opened = journal::open(fs, crash_dir, test_world, test_branch, {}, small_segments);
      if (!opened) {
        REQUIRE(opened.error().code == errc::io);
        failed = true;
      }
      for (int i = 0; opened && !failed && i < 30; ++i) failed = !act(**opened, roll, 7, t);
      if (opened && failed) {
        // Only a write or a sync can have failed; what is on the disk is unknown from now on.
        REQUIRE(append_next(**opened, 7, 900).error().code == errc::io);
        REQUIRE((*opened)->sync().error().code == errc::io);
        REQUIRE((*opened)->trim().error().code == errc::io);
        REQUIRE((*opened)->append_seal({}).error().code == errc::io);
      }
      finished = !failed;
      opened = fail(errc::shutdown, "closed");
      fs->clear_faults();
      const auto image = fs->image();
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        auto crashed = std::make_shared<memory_file_system>(image);
        if (seed > 0) crashed->crash(seed);
        auto again = journal::open(crashed, crash_dir, test_world, test_branch, seq_no{t.synced},
                                   small_segments);
        if (!again) FAIL(again.error().message);
        REQUIRE(survivors(*crashed, t, 7) == (*again)->last_seq());
        REQUIRE(append_next(**again, 7, 900));
        REQUIRE((*again)->sync());
      }
    }
    CHECK(nth > 40);
  }
}

TEST_CASE("reading reports failing I/O and changes nothing", "[journal][crash]") {
  auto fs = std::make_shared<memory_file_system>();
  told t;
  dice roll(11);
  auto j = open_journal(fs, crash_dir, small_segments);
  for (int i = 0; i < 30; ++i) REQUIRE(act(*j, roll, 7, t));
  bool finished = false;
  for (std::uint64_t nth = 1; !finished; ++nth) {
    fs->fail_nth(io_operation::any, nth);
    const auto frames = read_frames(*fs, crash_dir);
    finished = frames.has_value();
    if (!finished) REQUIRE(frames.error().code == errc::io);
  }
  fs->clear_faults();
  CHECK(require_frames(read_frames(*fs, crash_dir).value(), 7, 900) == j->last_seq());
}

TEST_CASE("a frame without room is cut at once, and the next one tries again", "[journal][crash]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    dice roll(seed);
    auto fs = std::make_shared<memory_file_system>();
    auto j = open_journal(fs, crash_dir, small_segments);
    told t;
    for (int i = 0; i < 10; ++i) REQUIRE(act(*j, roll, seed, t));
    int refused = 0;
    for (int full = 0; full < 4; ++full) {
      fs->limit_bytes(fs->used_bytes() + roll.below(1200));
      for (int i = 0; i < 12; ++i) {
        const seq_no before = j->last_seq();
        const std::uint64_t bytes = j->bytes();
        // With and without its room made before.
        auto appended =
            roll.below(2) == 0 ? j->reserve(entries_of(seed, before.next(), 900)) : result<void>();
        if (appended) appended = append_next(*j, seed, 900);
        if (appended) continue;
        ++refused;
        REQUIRE(appended.error().code == errc::disk_full);
        REQUIRE(j->last_seq() == before);
        REQUIRE(j->bytes() == bytes);
        if (roll.below(3) > 0) continue;
        REQUIRE(require_frames(read_frames(*fs, crash_dir).value(), seed, 900) == before);
        REQUIRE(j->sync());
        t.synced = before.value;
      }
      fs->limit_bytes(std::nullopt);
      REQUIRE(append_next(*j, seed, 900));
    }
    t.appended = j->last_seq().value;
    j.reset();
    auto crashed = std::make_shared<memory_file_system>(fs->image());
    crashed->crash(seed + 1);
    auto again = journal::open(crashed, crash_dir, test_world, test_branch, seq_no{t.synced});
    REQUIRE(again);
    REQUIRE(survivors(*crashed, t, seed) == (*again)->last_seq());
    REQUIRE(append_next(**again, seed, 900));
    CHECK(refused > 0);
  }
}

TEST_CASE("what was cut for lack of room is cut for good before the next segment begins",
          "[journal][crash]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    auto fs = std::make_shared<memory_file_system>();
    // Of the zeros that are written ahead there is room for some.
    auto j = open_journal(fs, crash_dir, {.extend_bytes = 256 << 10});
    REQUIRE(append_next(*j, seed));
    REQUIRE(j->sync());
    REQUIRE(j->trim());
    fs->limit_bytes(fs->used_bytes() + (100 << 10));
    REQUIRE(append_next(*j, seed, 900).error().code == errc::disk_full);
    fs->limit_bytes(std::nullopt);
    j->begin_segment();
    REQUIRE(append_next(*j, seed));
    REQUIRE(j->sync());
    const seq_no last = j->last_seq();
    j.reset();
    fs->crash(seed);
    const auto again = journal::open(fs, crash_dir, test_world, test_branch, {});
    if (!again) FAIL(again.error().message);
    REQUIRE((*again)->last_seq() == last);
  }
}

TEST_CASE("a sync that finds no room is final like any other", "[journal][crash]") {
  auto fs = std::make_shared<memory_file_system>();
  auto j = open_journal(fs, crash_dir);
  REQUIRE(append_next(*j, 1));
  fs->fail_nth(io_operation::sync, 1);
  REQUIRE_FALSE(j->sync());
  fs->limit_bytes(0);
  CHECK(append_next(*j, 1).error().code == errc::io);
}

TEST_CASE("a failed sync is never believed later", "[journal][crash]") {
  auto fs = std::make_shared<memory_file_system>();
  auto j = open_journal(fs, crash_dir);
  REQUIRE(append_next(*j, 1));
  REQUIRE(j->sync());
  const auto durable = j->durable_through();
  REQUIRE(append_next(*j, 1));
  fs->fail_nth(io_operation::sync, 1);
  REQUIRE_FALSE(j->sync());
  CHECK(j->sync().error().code == errc::io);
  CHECK(j->durable_through() == durable);
  fs->crash(1, crash_mode::keep);
  CHECK(open_journal(fs, crash_dir)->last_seq() == durable);
}

TEST_CASE("what a killed process left in the cache is synced before it counts",
          "[journal][crash]") {
  auto fs = std::make_shared<memory_file_system>();
  auto j = open_journal(fs, crash_dir);
  REQUIRE(append_next(*j, 1));
  j.reset();
  // The next process reads the unsynced frame; then the power goes.
  j = open_journal(fs, crash_dir);
  const auto durable = j->durable_through();
  CHECK(durable.value > 0);
  fs->crash(1, crash_mode::drop);
  CHECK(open_journal(fs, crash_dir)->last_seq() == durable);
}

TEST_CASE("a segment whose name was not synced is made durable by the next opening",
          "[journal][crash]") {
  auto fs = std::make_shared<memory_file_system>();
  auto j = open_journal(fs, crash_dir);
  fs->fail_nth(io_operation::directory, 1);
  REQUIRE_FALSE(append_next(*j, 1));
  j = open_journal(fs, crash_dir);
  REQUIRE(append_next(*j, 1));
  REQUIRE(j->sync());
  const auto durable = j->durable_through();
  fs->crash(1, crash_mode::drop);
  CHECK(open_journal(fs, crash_dir)->last_seq() == durable);
}

TEST_CASE("the sweep finds a disk that lies about syncs", "[journal][crash]") {
  int caught = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    dice roll(seed);
    auto fs = std::make_shared<memory_file_system>();
    fs->lie_about_sync(true);
    told t;
    auto j = open_journal(fs, crash_dir, small_segments);
    for (int i = 0; i < 20; ++i) REQUIRE(act(*j, roll, seed, t));
    fs->crash(seed);
    fs->lie_about_sync(false);
    auto opened = journal::open(fs, crash_dir, test_world, test_branch, seq_no{t.synced});
    if (!opened || !survivors(*fs, t, seed)) ++caught;
  }
  CHECK(caught > 20);
}
