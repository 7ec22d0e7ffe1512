// A world that was trimmed answers from the point on what it answered before, has the same roots,
// and is made anew from its journal; whatever breaks a trim off, the next open finishes it.
// Of: state/retention/trim.cpp, state/retention/trim_plan.cpp, state/retention/trim_follower.cpp
// Of: state/retention/carried_state.cpp, journal/trim_payloads.cpp

#include <catch2/catch.hpp>
#include <map>

#include "journal/trim_payloads.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/fork.hpp"
#include "state/branch/rewind.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "tests/state/retention/trimmed_site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("what reads need from the point on is what it was, also anew from the journal alone") {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    INFO("seed " << seed);
    trimmed_site place;
    auto w = place.open();
    auto d = std::make_unique<driven>(*w, seed);
    assign_eight(*d);
    dice c(seed);
    std::vector<memory_id> ids;
    std::map<seq_no, std::string> known;
    for (int round = 0; round < 3; ++round) {
      INFO("round " << round);
      random_year year(*d, c, ids);
      for (int step = 0; step < 80; ++step) year.step();
      const seq_no last = w->published_seq();
      const seq_no wanted{last.value - c.below(60)};
      const auto before_roots = fold_roots(*place.files, "world", wanted, {});
      const std::string dump = dump_of(*w);
      known = views_from(*w, wanted, last);
      d.reset();
      if (c.below(2) == 0) REQUIRE(close_world(*w));
      w.reset();
      const auto planned = place.trim(wanted, true);
      REQUIRE(planned);
      const auto done = place.trim(wanted);
      if (!done) FAIL(done.error().message);
      CHECK(done->dropped > 0);
      CHECK(planned->dropped == done->dropped);
      CHECK(planned->saved_bytes == done->saved_bytes);
      CHECK(done->before <= wanted);
      if (done->saved_bytes == 0) {
        CHECK(done->at == seq_no{0});
        break;
      }
      CHECK(done->at == last.next());
      CHECK(done->journal_bytes < done->journal_bytes_before + 4 * frame_prefix_bytes);
      w = place.open();
      CHECK(w->readable(done->before));
      CHECK(w->readable(seq_no{done->before.value - 1}).error().code == errc::seq_unavailable);
      require_views(*w, known);
      // The dump of before has another seq and root alone.
      const auto rest = [](const std::string& text) { return text.substr(text.find('\n')); };
      CHECK(rest(dump_of(*w)) == rest(dump));
      check_whole(place, *w);
      const auto roots = fold_roots(*place.files, "world", wanted, {});
      REQUIRE((roots && before_roots));
      CHECK(*roots == *before_roots);
      {
        trimmed_site copy;
        auto replayed = copy.open();
        auto ok = replay_journal(*place.files, "world", *replayed, {}, {});
        if (!ok) FAIL(ok.error().message);
        CHECK(replayed->published_roots() == w->published_roots());
        require_views(*replayed, known);
        CHECK(dump_of(*replayed) == dump_of(*w));
        check_whole(copy, *replayed);
        replayed.reset();
        const auto again = copy.trim(wanted, true);
        REQUIRE(again);
        CHECK(again->dropped == 0);
      }
      // Without images and store.
      w.reset();
      REQUIRE(remove_images(*place.files, "world"));
      place.disk = make_memory_disk();
      w = place.open();
      require_views(*w, known);
      CHECK(rest(dump_of(*w)) == rest(dump));
      d = std::make_unique<driven>(*w, seed + 100);
      d->time->set({2'000'000'000'000'000'000});
    }
  }
}

namespace {

/// A world that was touched often.
struct touched_world {
  trimmed_site place;
  seq_no last;
  std::string dump;
  std::map<seq_no, std::string> views;

  touched_world() {
    auto w = place.open();
    driven d(*w);
    assign_eight(d);
    dice c(7);
    std::vector<memory_id> ids;
    random_year year(d, c, ids);
    for (int step = 0; step < 120; ++step) year.step();
    REQUIRE(d.checkpoint());
    last = w->published_seq();
    dump = dump_of(*w);
    views = views_from(*w, last, last);
  }
};

} // namespace

namespace {

/// A trim whose `nth` operation of the disk fails, and all behind it or none; then the machine
/// stops. Whether it was done, and whether whoever opened the world next did the rest.
struct broken_trim {
  bool was_done = false;
  bool is_trimmed = false;
};
broken_trim break_trim(std::uint64_t nth, bool from_then_on) {
  touched_world touched;
  trimmed_site& place = touched.place;
  place.files->fail_nth(io_operation::any, nth, from_then_on);
  const auto done = place.trim({});
  place.files->clear_faults();
  place.files->crash(nth, nth % 2 == 0 ? crash_mode::random : crash_mode::keep);
  const auto as_left = verify_journal(*place.files, "world", {});
  REQUIRE(as_left);
  INFO(as_left->problem);
  CHECK(as_left->ok); // a segment is the old one or the new one
  const world_id id = seeded_world_id("test", 1);
  auto w = place.open();
  CHECK(check_not_erasing(*place.files, "world", id));
  check_whole(place, *w);
  const bool is_trimmed = w->published_seq() > touched.last;
  if (is_trimmed) {
    CHECK(w->readable(touched.last).error().code == errc::seq_unavailable);
    CHECK(place.trim({}, true).error().code == errc::busy);
  } else {
    CHECK_FALSE(done.has_value());
    require_views(*w, touched.views);
  }
  CHECK(dump_of(*w).substr(touched.dump.find('\n'))
        == touched.dump.substr(touched.dump.find('\n')));
  w.reset();
  const auto rest = place.trim(touched.last.next(), true);
  REQUIRE(rest);
  CHECK((rest->dropped == 0) == is_trimmed);
  return {done.has_value(), is_trimmed};
}

} // namespace

TEST_CASE("a trim that was broken off anywhere is finished by the next open, or was never begun") {
  bool was_finished_later = false;
  std::uint64_t operations = 0;
  for (std::uint64_t nth = 1;; nth += operations_apart) {
    INFO("operation " << nth << " and all behind it");
    const broken_trim found = break_trim(nth, true);
    was_finished_later = was_finished_later || (found.is_trimmed && !found.was_done);
    operations = nth;
    if (found.was_done) break;
  }
  CHECK(was_finished_later);
  // The simulator and the nightly kills break others off.
  for (std::uint64_t nth = 1; nth < operations; nth += 3 * operations_apart) {
    INFO("operation " << nth << " alone");
    break_trim(nth, false);
  }
}

TEST_CASE("branches of a trimmed world begin behind the trim") {
  touched_world touched;
  trimmed_site& place = touched.place;
  memory_file_system& files = *place.files;
  REQUIRE(fork_files(files, "world", "early", {.at_seq = touched.last, .random = {}},
                     {.own = "early", .parent = "world", .is_locked = false}));
  REQUIRE(backup_files(files, "world", "copy"));
  const auto done = place.trim({});
  REQUIRE(done);
  // What shares the segments as they were has them still.
  {
    place.disk = make_memory_disk();
    auto w = place.open("early");
    CHECK(dump_of(*w) == touched.dump);
    require_views(*w, touched.views);
  }
  const auto refused = fork_files(files, "world", "late", {.at_seq = touched.last, .random = {}},
                                  {.own = "late", .parent = "world", .is_locked = false});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::seq_unavailable);
  const auto rewound =
      rewind_files(files, "world", touched.last, {.keep_as = "kept", .random = {}});
  REQUIRE_FALSE(rewound);
  CHECK(rewound.error().code == errc::seq_unavailable);
  {
    trimmed_site copy;
    auto w = copy.open();
    const auto short_of = replay_journal(files, "world", *w, touched.last, {});
    REQUIRE_FALSE(short_of);
    CHECK(short_of.error().code == errc::seq_unavailable);
  }
  REQUIRE(fork_files(files, "world", "now", {.at_seq = {}, .random = {}},
                     {.own = "now", .parent = "world", .is_locked = false}));
  REQUIRE(backup_files(files, "world", "copy"));
  for (const std::string name : {"world", "now", "copy"}) {
    INFO(name);
    place.disk = make_memory_disk();
    auto w = place.open(name);
    CHECK(w->published_seq() == done->at);
    CHECK(w->readable(touched.last).error().code == errc::seq_unavailable);
    CHECK(dump_of(*w).substr(touched.dump.find('\n'))
          == touched.dump.substr(touched.dump.find('\n')));
    check_whole(place, *w);
  }
}

TEST_CASE("a backup behind a trim is made beside the one before, which is whole until then") {
  touched_world touched;
  memory_file_system& files = *touched.place.files;
  REQUIRE(backup_files(files, "world", "copy"));
  const auto before = verify_journal(files, "copy", {});
  REQUIRE(touched.place.trim({}));
  const auto disk = files.image();
  const io_operation kind = GENERATE(io_operation::any, io_operation::directory);
  bool is_done = false;
  for (std::uint64_t nth = 1; !is_done; nth += operations_apart) {
    INFO("operation " << nth << " of kind " << static_cast<int>(kind));
    memory_file_system broken(disk);
    broken.fail_nth(kind, nth, true);
    is_done = backup_files(broken, "world", "copy").has_value();
    broken.clear_faults();
    broken.crash(nth, nth % 3 == 0 ? crash_mode::drop : crash_mode::random);
    const auto now = verify_journal(broken, "world", {});
    const auto left = verify_journal(broken, "copy", {});
    REQUIRE((now && left));
    INFO(left->problem);
    CHECK(left->ok);
    CHECK((left->roots == before->roots || left->roots == now->roots));
    REQUIRE(backup_files(broken, "world", "copy"));
    CHECK(verify_journal(broken, "copy", {})->roots == now->roots);
    for (const std::string part : {"", "/journal", "/images"})
      CHECK(broken.list("copy.backup" + part)->empty());
  }
}

TEST_CASE("a backup touches nothing beside it that is somebody else's") {
  touched_world touched;
  memory_file_system& files = *touched.place.files;
  for (const char* to : {"copy", "copy.backup", "copy"}) REQUIRE(backup_files(files, "world", to));
  const auto before = verify_journal(files, "copy.backup", {});
  REQUIRE((before && before->ok));
  REQUIRE(touched.place.trim({}));
  // There is no place beside it: it is made anew where it is.
  REQUIRE(backup_files(files, "world", "copy"));
  CHECK(verify_journal(files, "copy", {})->roots == verify_journal(files, "world", {})->roots);
  CHECK(verify_journal(files, "copy.backup", {})->roots == before->roots);
  // Of one that is called so a backup may be made beside it.
  const auto refused = backup_files(files, "copy.backup", "copy");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::already_exists);
  CHECK(verify_journal(files, "copy.backup", {})->roots == before->roots);
}

TEST_CASE("what is erased behind a trim is gone, and a payload that no trim dropped is damage") {
  touched_world touched;
  trimmed_site& place = touched.place;
  REQUIRE(place.trim({}));
  {
    auto w = place.open();
    driven d(*w);
    const memory_id id = w->nodes.id({0});
    auto gone = ask<erase_result, erase_command>(
        d, erase_request{.ids = {id}, .reason = "asked for", .by = "ana"});
    if (!gone) FAIL(gone.error().message);
    check_whole(place, *w);
    trimmed_site copy;
    auto replayed = copy.open();
    auto ok = replay_journal(*place.files, "world", *replayed, {}, {});
    if (!ok) FAIL(ok.error().message);
    CHECK(dump_of(*replayed) == dump_of(*w));
  }
  // And a trim behind that.
  {
    auto w = place.open();
    driven d(*w);
    find_late_payload late;
    late.accessed = {w->nodes.id({1})};
    for (int i = 0; i < 5; ++i) REQUIRE(d.touch(late));
  }
  auto again = place.trim({});
  if (!again) FAIL(again.error().message);
  CHECK(again->dropped == 6); // and the trim before
  auto w = place.open();
  check_whole(place, *w);
}

TEST_CASE("a trim of a world that is open, or of nothing, changes nothing") {
  trimmed_site place;
  {
    auto w = place.open();
    driven d(*w);
    REQUIRE(d.apply(note("once")));
    CHECK(place.trim({}).error().code == errc::busy);
    CHECK(place.trim({}, true).error().code == errc::busy);
  }
  const auto nothing = place.trim({});
  REQUIRE(nothing);
  CHECK(nothing->dropped == 0);
  CHECK(nothing->at == seq_no{0});
  CHECK(place.open()->published_seq() == seq_no{1});
  CHECK(place.trim(seq_no{9}).error().code == errc::seq_unavailable);
  trim_options both;
  both.before = seq_no{1};
  both.before_time = timestamp{1};
  CHECK(trim_files(place.options(), both).error().code == errc::bad_value);
}

TEST_CASE("a world is trimmed when it opens, where that is worth its while") {
  trimmed_site place;
  const auto open_keeping = [&](const kept_history& kept) {
    world_options o = place.options();
    o.time = std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'100});
    trim_if_worth_it(o, kept);
    return place.open();
  };
  const auto touch_often = [](world& w, int times) {
    driven d(w);
    if (w.published_seq().value == 0) REQUIRE(d.apply(note("once")));
    find_late_payload late;
    late.accessed = {w.nodes.id({0})};
    late.predicate = std::string(60'000, 'x');
    for (int i = 0; i < times; ++i) REQUIRE(d.touch(late));
  };
  touch_often(*place.open(), 10);
  CHECK(open_keeping({.entries = 5, .ns = 0})->published_seq() == seq_no{11}); // it is small
  touch_often(*place.open(), 90);
  CHECK(open_keeping({})->published_seq() == seq_no{101});
  CHECK(open_keeping({.entries = 200, .ns = 0})->published_seq() == seq_no{101});
  // What either keeps stays: by their time all are new.
  CHECK(open_keeping({.entries = 50, .ns = 1'000'000'000})->published_seq() == seq_no{101});
  REQUIRE(place.files->remove("world/TRIMMED")); // it was looked at
  {
    auto w = open_keeping({.entries = 50, .ns = 0});
    CHECK(w->published_seq() == seq_no{102});
    CHECK(w->readable(seq_no{52}));
    CHECK(w->readable(seq_no{51}).error().code == errc::seq_unavailable);
    CHECK(w->attributes().activation_of({0}, seq_no{102}).access_count == 100);
    check_whole(place, *w);
  }
  // It has not grown since.
  CHECK(open_keeping({.entries = 5, .ns = 0})->published_seq() == seq_no{102});
}
