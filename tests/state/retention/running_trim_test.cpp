// A world that is trimmed while it is written to and read answers as one that was closed for it,
// and goes on; whatever breaks the trim off, the next open finishes it.
// Of: state/retention/running_trim.cpp, state/retention/planned_trim.cpp
// Of: state/retention/trimming_note.cpp, state/retention/retention_rule.cpp

#include <catch2/catch.hpp>

#include <map>
#include <utility>

#include "journal/trim_payloads.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/fork.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/replay.hpp"
#include "state/retention/retention_rule.hpp"
#include "state/retention/running_trim.hpp"
#include "tests/state/retention/trimmed_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

result<trim_report> trim_beside(world& w, driven& d, std::optional<seq_no> before,
                                bool dry_run = false, bool versions = false) {
  trim_options t;
  t.versions = versions;
  t.before = before;
  t.by = "ana";
  t.reason = "a year has passed";
  t.dry_run = dry_run;
  return trim_running(w, t, [&](trim_payload payload, seq_no at) {
    std::optional<result<trim_end>> answer;
    d.core.enqueue(trim_command{.payload = std::move(payload),
                                .planned_at = at,
                                .reply = [&](result<trim_end> r) { answer = std::move(r); }});
    d.pump();
    REQUIRE(answer.has_value());
    return std::move(*answer);
  });
}

/// Every record that is current is where its row says that the journal has it.
void require_places(world& w) {
  const read_views views = w.views();
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) {
    const row_no row = views.attributes->row_of({i}, w.published_seq());
    if (row.value == no_number) continue;
    const record_place* place = views.places->find(row);
    if (place == nullptr) continue;
    INFO("node " << i);
    REQUIRE(views.journaled->read(*place).has_value());
  }
}

std::string rest(const std::string& dump) {
  return dump.substr(dump.find('\n'));
}

} // namespace

TEST_CASE("a running world is trimmed beside writes, and answers from the point on what it did") {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    INFO("seed " << seed);
    trimmed_site place;
    auto w = place.open();
    auto d = std::make_unique<driven>(*w, seed);
    assign_eight(*d);
    dice c(seed);
    std::vector<memory_id> ids;
    for (int round = 0; round < 3; ++round) {
      INFO("round " << round);
      random_year year(*d, c, ids);
      for (int step = 0; step < 80; ++step) year.step();
      if (c.below(2) == 0) REQUIRE(d->checkpoint());
      const seq_no last = w->published_seq();
      const seq_no wanted{last.value - c.below(60)};
      const auto before_roots = fold_roots(*place.files, "world", wanted, {});
      const auto planned = trim_beside(*w, *d, wanted, true);
      REQUIRE(planned);
      d->beside_trim = [&] {
        for (auto steps = c.below(4); steps > 0; --steps) year.step();
        require_places(*w);
      };
      const auto done = trim_beside(*w, *d, wanted);
      d->beside_trim = nullptr;
      if (!done) FAIL(done.error().message);
      CHECK(planned->dropped == done->dropped);
      if (done->saved_bytes == 0) break;
      CHECK(done->at == last.next());
      CHECK(w->readable(done->before));
      CHECK(w->readable(seq_no{done->before.value - 1}).error().code == errc::seq_unavailable);
      require_places(*w);
      const auto known = views_from(*w, done->before, w->published_seq());
      const std::string dump = dump_of(*w);
      check_whole(place, *w);
      const auto roots = fold_roots(*place.files, "world", wanted, {});
      REQUIRE((roots && before_roots));
      CHECK(*roots == *before_roots);
      {
        trimmed_site copy;
        auto replayed = copy.open();
        auto ok = replay_journal(*place.files, "world", *replayed, {}, {});
        if (!ok) FAIL(ok.error().message);
        require_views(*replayed, known);
        CHECK(dump_of(*replayed) == dump);
      }
      for (int step = 0; step < 20; ++step) year.step();
      REQUIRE(d->checkpoint());
      require_places(*w);
      const std::string now = dump_of(*w);
      const seq_no end = w->published_seq();
      d.reset();
      REQUIRE(close_world(*w));
      w.reset();
      w = place.open();
      CHECK(w->published_seq() == end);
      CHECK(w->report.replayed_entries == 0);
      CHECK(w->report.store_problem.empty());
      require_views(*w, known);
      CHECK(dump_of(*w) == now);
      CHECK(place.files->exists("world/TRIMMING").value_or(true) == false);
      d = std::make_unique<driven>(*w, seed + 100);
      d->time->set({2'000'000'000'000'000'000});
    }
  }
}

TEST_CASE("a world that was trimmed while it ran reads as one that was closed for it") {
  trimmed_site running;
  trimmed_site closed;
  std::vector<seq_no> ends;
  for (trimmed_site* place : {&running, &closed}) {
    auto w = place->open();
    driven d(*w);
    assign_eight(d);
    dice c(3);
    std::vector<memory_id> ids;
    random_year year(d, c, ids);
    for (int step = 0; step < 150; ++step) year.step();
    ends.push_back(w->published_seq());
  }
  REQUIRE(ends.front() == ends.back());
  const auto expected = closed.trim(seq_no{ends.front().value - 20});
  REQUIRE(expected);
  auto w = running.open();
  driven d(*w);
  const auto done = trim_beside(*w, d, seq_no{ends.front().value - 20});
  REQUIRE(done);
  CHECK(done->before == expected->before);
  CHECK(done->dropped == expected->dropped);
  CHECK(done->dropped_bytes == expected->dropped_bytes);
  CHECK(done->saved_bytes == expected->saved_bytes);
  auto other = closed.open();
  CHECK(rest(dump_of(*w)) == rest(dump_of(*other)));
  for (seq_no at = done->before; at <= done->at; at = at.next())
    REQUIRE(view_at(*w, at) == view_at(*other, at));
}

namespace {

/// A running trim whose `nth` operation of the disk fails, and all behind it or none; then the
/// machine stops.
struct broken_running_trim {
  bool was_done = false;
  bool is_trimmed = false;
};
broken_running_trim break_running_trim(std::uint64_t nth, bool from_then_on) {
  trimmed_site place;
  std::string dump;
  std::optional<result<trim_report>> done;
  seq_no last;
  {
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
    d.fails_quietly = true;
    bool has_written = false;
    d.beside_trim = [&] {
      if (std::exchange(has_written, true)) return;
      find_late_payload late;
      late.accessed = {ids.front()};
      (void)d.touch(late);
    };
    place.files->fail_nth(io_operation::any, nth, from_then_on);
    done = trim_beside(*w, d, {});
    place.files->clear_faults();
    if (!from_then_on && *done) require_places(*w);
    if (nth % 3 == 0) place.files->crash(nth, nth % 2 == 0 ? crash_mode::random : crash_mode::keep);
  }
  const auto as_left = verify_journal(*place.files, "world", {});
  REQUIRE(as_left);
  INFO(as_left->problem);
  CHECK(as_left->ok); // a segment is the old one or the new one
  auto w = place.open();
  CHECK(place.files->exists("world/TRIMMING").value_or(true) == false);
  check_whole(place, *w);
  const bool is_trimmed = w->published_seq() > last;
  if (done->has_value()) CHECK(is_trimmed);
  if (is_trimmed) CHECK(w->readable(last).error().code == errc::seq_unavailable);
  if (!is_trimmed) CHECK(dump_of(*w) == dump);
  const std::string now = dump_of(*w);
  w.reset();
  const auto left = place.trim(last.next(), true);
  REQUIRE(left);
  CHECK((left->dropped == 0) == is_trimmed);
  place.disk = make_memory_disk();
  REQUIRE(remove_images(*place.files, "world"));
  CHECK(dump_of(*place.open()) == now);
  return {done->has_value(), is_trimmed};
}

} // namespace

TEST_CASE("a running trim that was broken off anywhere is finished by the next open") {
  bool was_finished_later = false;
  std::uint64_t operations = 0;
  for (std::uint64_t nth = 1;; nth += operations_apart) {
    INFO("operation " << nth << " and all behind it");
    const broken_running_trim found = break_running_trim(nth, true);
    was_finished_later = was_finished_later || (found.is_trimmed && !found.was_done);
    operations = nth;
    if (found.was_done) break;
  }
  CHECK(was_finished_later);
  // The simulator and the nightly kills break others off.
  for (std::uint64_t nth = 1; nth < operations; nth += 3 * operations_apart) {
    INFO("operation " << nth << " alone");
    break_running_trim(nth, false);
  }
}

TEST_CASE("what was erased or trimmed since a trim was planned is planned anew") {
  trimmed_site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  dice c(5);
  std::vector<memory_id> ids;
  random_year year(d, c, ids);
  for (int step = 0; step < 100; ++step) year.step();
  trim_options t;
  int asked = 0;
  const auto done = trim_running(*w, t, [&](trim_payload payload, seq_no at) {
    if (asked++ == 0) REQUIRE(erase(d, {.ids = {ids.front()}}));
    std::optional<result<trim_end>> answer;
    d.core.enqueue(trim_command{.payload = std::move(payload),
                                .planned_at = at,
                                .reply = [&](result<trim_end> r) { answer = std::move(r); }});
    d.pump();
    REQUIRE(answer.has_value());
    CHECK(answer->has_value() == (asked > 1));
    return std::move(*answer);
  });
  if (!done) FAIL(done.error().message);
  CHECK(asked == 2);
  check_whole(place, *w);
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
  REQUIRE(erase(d, {.ids = {ids.back()}}));
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
}

TEST_CASE("forks and copies that are made in the midst of a trim are whole") {
  trimmed_site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  dice c(11);
  std::vector<memory_id> ids;
  random_year year(d, c, ids);
  for (int step = 0; step < 150; ++step) year.step();
  std::vector<std::pair<std::string, std::string>> made;
  d.beside_trim = [&] {
    year.step();
    const std::string fork = "fork" + std::to_string(made.size());
    const auto done = fork_files(*place.files, "world", fork,
                                 {.at_seq = {}, .random = make_seeded_random(made.size(), 9)},
                                 {.own = fork, .parent = "world", .is_locked = false});
    if (!done) FAIL(done.error().message);
    made.emplace_back(fork, dump_of(*w));
  };
  REQUIRE(trim_beside(*w, d, {}));
  CHECK(made.size() > 4);
  for (const auto& [fork, dump] : made) {
    INFO(fork);
    place.disk = make_memory_disk();
    auto branch = place.open(fork);
    CHECK(dump_of(*branch) == dump);
    check_whole(place, *branch);
  }
}

TEST_CASE("an erasure that was broken off behind a trim that was is finished, and so is the trim") {
  bool is_done = false;
  for (std::uint64_t nth = 1; !is_done; nth += operations_apart) {
    INFO("operation " << nth);
    trimmed_site place;
    std::vector<memory_id> ids;
    seq_no last;
    {
      auto w = place.open();
      driven d(*w);
      assign_eight(d);
      dice c(13);
      random_year year(d, c, ids);
      for (int step = 0; step < 100; ++step) year.step();
      last = w->published_seq();
      d.beside_trim = [&] { place.files->fail_nth(io_operation::any, 1, true); };
      const auto left = trim_beside(*w, d, {});
      REQUIRE_FALSE(left);
      place.files->clear_faults();
      CHECK(w->readable(last).error().code == errc::seq_unavailable);
      CHECK(dump_of(*w) == dump_of_replay(place, *w));
      require_places(*w);
      CHECK(trim_beside(*w, d, seq_no{last.value / 2}).error().code == errc::busy);
      d.fails_quietly = true;
      place.files->fail_nth(io_operation::any, nth, true);
      std::optional<result<erase_result>> erased;
      d.core.enqueue(
          erase_command{.request = {.ids = {ids[1], ids[2]}, .reason = "r", .by = "b"},
                        .reply = [&](result<erase_result> r) { erased = std::move(r); }});
      d.pump();
      is_done = erased.has_value() && erased->has_value();
      place.files->clear_faults();
      place.files->crash(nth, nth % 2 == 0 ? crash_mode::random : crash_mode::keep);
    }
    const std::string once = dump_of(*place.open());
    auto w = place.open();
    CHECK(dump_of(*w) == once);
    CHECK(place.files->exists("world/TRIMMING").value_or(true) == false);
    CHECK(w->readable(last).error().code == errc::seq_unavailable);
    check_whole(place, *w);
    CHECK(dump_of(*w) == dump_of_replay(place, *w));
  }
}

// In another copy of the journal they are dropped, not erased.
TEST_CASE("a trim names what one before it did, also what was erased before that was done") {
  trimmed_site place;
  const auto dropped_by = [&](const world& w, seq_no at) {
    const auto by = read_trim(*place.files, "world/journal", w.info.id, at);
    if (!by) FAIL(by.error().message);
    std::vector<std::uint64_t> dropped;
    for (seq_no seq{1}; seq < by->trim.before; seq = seq.next())
      if (by->trim.drops(seq)) dropped.push_back(seq.value);
    return dropped;
  };
  std::vector<std::uint64_t> before;
  {
    auto w = place.open();
    driven d(*w);
    assign_eight(d);
    dice c(13);
    std::vector<memory_id> ids;
    random_year year(d, c, ids);
    for (int step = 0; step < 100; ++step) year.step();
    d.beside_trim = [&] { place.files->fail_nth(io_operation::any, 1, true); };
    REQUIRE_FALSE(trim_beside(*w, d, {}));
    d.beside_trim = {};
    place.files->clear_faults();
    before = dropped_by(*w, w->published_seq());
    REQUIRE_FALSE(before.empty());
    REQUIRE(erase(d, {.ids = {ids[0], ids[1]}}));
    for (int step = 0; step < 30; ++step) year.step();
  }
  auto w = place.open();
  driven d(*w);
  const auto again = trim_beside(*w, d, {});
  if (!again) FAIL(again.error().message);
  CHECK_THAT(dropped_by(*w, again->at), Catch::Contains(before));
}

TEST_CASE("a trim carries on what one before it carried that is not done") {
  trimmed_site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  const auto written = d.apply(coloured("word1"));
  REQUIRE(written);
  update_request u;
  u.uri = *written->uri;
  u.data["statement"] = std::string("word2");
  REQUIRE(d.apply(u));
  d.beside_trim = [&] { place.files->fail_nth(io_operation::any, 1, true); };
  REQUIRE_FALSE(trim_beside(*w, d, {}, false, true));
  d.beside_trim = {};
  place.files->clear_faults();
  const auto other = d.apply(note("word3"));
  REQUIRE(other);
  for (const std::int64_t importance : {1, 2}) {
    update_head_request h;
    h.uri = *other->uri;
    h.importance = importance;
    REQUIRE(d.apply(h));
  }
  // Without versions: of itself it would not look at what is overwritten.
  const auto again = trim_beside(*w, d, {});
  if (!again) FAIL(again.error().message);
  REQUIRE(again->dropped > 0);
  const auto signals = [&](world& now) {
    const read_views views = now.views();
    return views.attributes->colours().signals_of(views.nodes->find(written->uri->id),
                                                  views.published);
  };
  const auto before = signals(*w);
  REQUIRE(before.has_value());
  w.reset();
  place.disk = make_memory_disk();
  REQUIRE(remove_images(*place.files, "world"));
  CHECK(signals(*place.open()) == before);
}
