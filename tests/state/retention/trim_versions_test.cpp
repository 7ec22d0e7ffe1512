// A trim that also drops what memories said before and have said otherwise since: all that is read
// from the point on is what it was, but for the versions themselves, which are known to be trimmed.
// Of: state/retention/overwritten_contents.cpp, state/retention/named_versions.cpp
// Of: state/retention/trim_plan.cpp

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "messages/codec/entry.hpp"
#include "query/context/compact_record.hpp"
#include "query/records/history_reads.hpp"
#include "query/records/point_reads.hpp"
#include "state/branch/diff.hpp"
#include "state/branch/fork.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "state/retention/planned_trim.hpp"
#include "state/retention/running_trim.hpp"
#include "tests/state/retention/trimmed_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr lineage_shown what_is_read = lineage_shown::read;

/// A dump without seq and root, and of each memory with its newest version alone.
std::string of_newest(const std::string& dump) {
  constexpr std::string_view of_version = "\n  version ";
  std::string made;
  for (std::size_t begin = dump.find('\n'); begin < dump.size();) {
    const std::size_t end = std::min(dump.find('\n', begin + 1), dump.size());
    const bool is_past = dump.compare(begin, of_version.size(), of_version) == 0
                         && dump.compare(end, of_version.size(), of_version) == 0;
    if (!is_past) made.append(dump, begin, end - begin);
    begin = end;
  }
  return made;
}

/// What comes of a planned trim.
result<trim_end> trimmed_by(driven& d, trim_payload payload, seq_no planned_at) {
  std::optional<result<trim_end>> answer;
  d.core.enqueue(trim_command{.payload = std::move(payload),
                              .planned_at = planned_at,
                              .reply = [&](result<trim_end> r) { answer = std::move(r); }});
  d.pump();
  REQUIRE(answer.has_value());
  return std::move(*answer);
}

result<trim_report> trim_versions_beside(world& w, driven& d, std::optional<seq_no> before) {
  trim_options t;
  t.before = before;
  t.by = "ana";
  t.versions = true;
  return trim_running(
      w, t, [&](trim_payload payload, seq_no at) { return trimmed_by(d, std::move(payload), at); });
}

memory_uri written(driven& d, const std::string& text,
                   const std::vector<std::string>& derived_from = {}) {
  write_request r = note(text);
  r.provenance.derived_from = derived_from;
  auto done = d.apply(r);
  if (!done) FAIL(done.error().message);
  return *done->uri;
}
memory_uri updated(driven& d, const memory_uri& uri, const std::string& text) {
  update_request u;
  u.uri = uri;
  u.data["statement"] = text;
  auto done = d.apply(u);
  if (!done) FAIL(done.error().message);
  return *done->uri;
}

result<memory> version_of(world& w, memory_uri uri, std::uint32_t number) {
  uri.version = number;
  return read_version_of(w.views(), uri, {}, {});
}
bool is_trimmed(world& w, const memory_uri& uri, std::uint32_t number) {
  const auto read = version_of(w, uri, number);
  if (!read) CHECK(read.error().code == errc::trimmed);
  return !read;
}

void require_nowhere(trimmed_site& place, world& w, const std::string& needle) {
  for_all_bytes(place, w, [&](const std::string& where, std::string_view bytes) {
    INFO(where);
    CHECK_FALSE(bytes.contains(needle));
  });
}

std::string replayed_dump(trimmed_site& place, world& like) {
  trimmed_site copy;
  auto w = copy.open();
  auto ok = replay_journal(*place.files, "world", *w, {}, {});
  if (!ok) FAIL(ok.error().message);
  CHECK(w->published_roots() == like.published_roots());
  CHECK(w->last_drawn_id == like.last_drawn_id);
  return dump_of(*w);
}

} // namespace

TEST_CASE("from the point on all but overwritten versions is what it was, also anew") {
  std::uint64_t versions = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    INFO("seed " << seed);
    trimmed_site place;
    auto w = place.open();
    auto d = std::make_unique<driven>(*w, seed);
    assign_eight(*d);
    dice c(seed);
    std::vector<memory_id> ids;
    for (int round = 0; round < 4; ++round) {
      INFO("round " << round);
      random_year year(*d, c, ids);
      for (int step = 0; step < 80; ++step) year.step();
      const seq_no last = w->published_seq();
      const seq_no wanted{last.value - c.below(60)};
      const auto before_roots = fold_roots(*place.files, "world", wanted, {});
      const std::string dump = dump_of(*w);
      const memory_id drawn = w->last_drawn_id;
      auto known = views_from(*w, wanted, last, what_is_read);
      const bool runs = c.below(2) == 0;
      const bool with_versions = c.below(4) != 0;
      result<trim_report> done;
      if (runs && with_versions) {
        done = trim_versions_beside(*w, *d, wanted);
      } else {
        d.reset();
        w.reset();
        done = place.trim(wanted, false, with_versions);
        w = place.open();
        d = std::make_unique<driven>(*w, seed + 100 * static_cast<std::uint64_t>(round + 1));
        d->time->set({2'000'000'000'000'000'000});
      }
      if (!done) FAIL(done.error().message);
      versions += done->versions;
      if (done->saved_bytes == 0) continue;
      CHECK(w->readable(seq_no{done->before.value - 1}).error().code == errc::seq_unavailable);
      require_views(*w, known, what_is_read);
      CHECK(of_newest(dump_of(*w)) == of_newest(dump));
      CHECK(w->last_drawn_id == drawn);
      check_whole(place, *w);
      const auto roots = fold_roots(*place.files, "world", wanted, {});
      REQUIRE((roots && before_roots));
      CHECK(*roots == *before_roots);
      CHECK(replayed_dump(place, *w) == dump_of(*w));
      if (c.below(2) == 0) continue;
      // Without images and store.
      d.reset();
      const std::string whole = dump_of(*w);
      w.reset();
      REQUIRE(remove_images(*place.files, "world"));
      place.disk = make_memory_disk();
      w = place.open();
      require_views(*w, known, what_is_read);
      CHECK(dump_of(*w) == whole);
      d = std::make_unique<driven>(*w, seed + 1000 * static_cast<std::uint64_t>(round + 1));
      d->time->set({2'000'000'000'000'000'000});
    }
  }
  CHECK(versions > 100);
}

TEST_CASE("what was said before is nowhere, and known to be trimmed") {
  const bool runs = GENERATE(false, true);
  INFO("runs " << runs);
  trimmed_site place;
  auto w = place.open();
  auto d = std::make_unique<driven>(*w);
  memory_uri first = written(*d, "needle0");
  for (int i = 1; i <= 5; ++i) first = updated(*d, first, "needle" + std::to_string(i));
  REQUIRE(d->checkpoint());
  const head h = *read_current(w->views(), first.id, {}, {})->head;
  if (runs) {
    const auto done = trim_versions_beside(*w, *d, {});
    if (!done) FAIL(done.error().message);
    CHECK(done->versions == 5);
    REQUIRE(d->checkpoint()); // as whoever runs a trim asks for behind it
  } else {
    d.reset();
    REQUIRE(close_world(*w));
    w.reset();
    const auto done = place.trim({}, false, true);
    if (!done) FAIL(done.error().message);
    CHECK(done->versions == 5);
    w = place.open();
    d = std::make_unique<driven>(*w);
  }
  for (std::uint32_t number = 1; number <= 5; ++number) CHECK(is_trimmed(*w, first, number));
  CHECK_FALSE(is_trimmed(*w, first, 6));
  CHECK(version_of(*w, first, 7).error().code == errc::not_found);
  CHECK(*read_current(w->views(), first.id, {}, {})->head == h);
  const auto all = read_history(w->views(), {.id = first.id}, {});
  REQUIRE(all);
  REQUIRE(all->versions.size() == 6);
  CHECK_FALSE(all->versions[0].trimmed_by);
  CHECK(all->versions[0].changes.empty());
  for (std::size_t i = 1; i < 6; ++i) {
    CHECK(all->versions[i].trimmed_by == seq_no{7});
    CHECK(all->versions[i].version.number == 6 - i);
    CHECK(all->versions[i].version.data.empty());
  }
  for (int i = 0; i < 5; ++i) require_nowhere(place, *w, "needle" + std::to_string(i));
  // It goes on, and what is said from now on is history again.
  const memory_uri seventh = updated(*d, first, "later");
  CHECK(seventh.version == 7);
  CHECK_FALSE(is_trimmed(*w, first, 6));
  const auto page = read_history(w->views(), {.id = first.id, .key = {}, .limit = 1}, {});
  REQUIRE(page);
  CHECK(page->versions[0].changes.size() == 1);
  check_whole(place, *w);
  CHECK(replayed_dump(place, *w) == dump_of(*w));
  // And a second trim says what both have dropped, whatever it is asked for.
  const bool versions_again = GENERATE(false, true);
  find_late_payload late;
  late.predicate = std::string(2000, 'x');
  late.accessed = {first.id};
  REQUIRE(d->touch(late));
  REQUIRE(d->touch(late));
  d.reset();
  w.reset();
  const auto again = place.trim({}, false, versions_again);
  if (!again) FAIL(again.error().message);
  CHECK(again->versions == (versions_again ? 1 : 0));
  w = place.open();
  for (std::uint32_t number = 1; number <= 5; ++number) CHECK(is_trimmed(*w, first, number));
  CHECK(is_trimmed(*w, first, 6) == versions_again);
  check_whole(place, *w);
  CHECK(replayed_dump(place, *w) == dump_of(*w));
}

namespace {

compact_request of_step(std::string step, std::vector<std::string> load_bearing) {
  compact_request r;
  r.intent_id = "trip";
  r.step_id = std::move(step);
  r.budget_tokens = 99;
  r.load_bearing = std::move(load_bearing);
  return r;
}

} // namespace

TEST_CASE("a version that something names stays, and what that rests on in turn") {
  trimmed_site place;
  auto w = place.open();
  auto d = std::make_unique<driven>(*w);
  const memory_uri base = written(*d, "base");
  const memory_uri base2 = updated(*d, base, "base again");
  memory_uri middle = written(*d, "middle", {to_string(base)});
  middle = updated(*d, middle, "middle again");
  (void)updated(*d, base2, "base at last");
  // The second version of the base is named by what is overwritten alone.
  memory_uri other = written(*d, "other", {to_string(base2)});
  other = updated(*d, other, "other again");
  const memory_uri kept = written(*d, "kept");
  REQUIRE(ask<compact_result, compact_command>(*d, of_step("1", {to_string(kept)})));
  (void)updated(*d, kept, "kept no more");
  const seq_no point = w->published_seq().next();
  // Behind the point somebody names the first version of the middle, which rests on the base's.
  memory_uri first_middle = middle;
  first_middle.version = 1;
  (void)written(*d, "late", {to_string(first_middle)});
  d.reset();
  w.reset();
  const auto done = place.trim(point, false, true);
  if (!done) FAIL(done.error().message);
  CHECK(done->versions == 2);
  w = place.open();
  CHECK_FALSE(is_trimmed(*w, middle, 1));
  CHECK_FALSE(is_trimmed(*w, base, 1));
  CHECK(is_trimmed(*w, base, 2));
  CHECK(is_trimmed(*w, other, 1));
  CHECK_FALSE(is_trimmed(*w, kept, 1));
  load_compact_request load;
  load.intent_id = "trip";
  load.step_id = "1";
  const auto loaded = read_compact_record(w->views(), load, {});
  REQUIRE(loaded);
  CHECK(loaded->kept.size() == 1);
  check_whole(place, *w);
  // Of what is trimmed nothing is put together any more.
  d = std::make_unique<driven>(*w);
  memory_uri trimmed = base;
  trimmed.version = 2;
  const auto compacted =
      ask<compact_result, compact_command>(*d, of_step("2", {to_string(trimmed), to_string(kept)}));
  REQUIRE(compacted);
  CHECK(compacted->skipped == std::vector{to_string(trimmed)});
  CHECK(compacted->kept.size() == 1);
}

TEST_CASE("what is named while a trim is planned is not dropped by it") {
  trimmed_site place;
  auto w = place.open();
  driven d(*w);
  const memory_uri first = written(d, "first");
  (void)updated(d, first, "second");
  (void)updated(d, {first.type, first.id, 2}, "third");
  bool is_named = false;
  trim_options t;
  t.versions = true;
  const auto done = trim_running(*w, t, [&](trim_payload payload, seq_no at) {
    if (!std::exchange(is_named, true)) (void)written(d, "late", {to_string(first)});
    return trimmed_by(d, std::move(payload), at);
  });
  if (!done) FAIL(done.error().message);
  CHECK(done->versions == 1);
  CHECK_FALSE(is_trimmed(*w, first, 1));
  CHECK(is_trimmed(*w, first, 2));
}

TEST_CASE("heads that stay have the version that they are of, and since when something replaces") {
  trimmed_site place;
  auto w = place.open();
  auto d = std::make_unique<driven>(*w);
  memory_uri ended = written(*d, "ended once");
  tombstone_request gone;
  gone.uri = ended;
  gone.reason = "wrong";
  REQUIRE(d->apply(gone));
  REQUIRE(d->apply(restore_request{.id = ended.id, .actor = {}}));
  (void)updated(*d, ended, "and came back");
  const memory_uri old = written(*d, "old");
  write_request decision;
  decision.type = memory_type::decision;
  decision.data = {{"statement", std::string("new")}, {"rationale", std::string("better")}};
  auto decided = d->apply(decision);
  REQUIRE(decided);
  update_request u;
  u.uri = *decided->uri;
  u.data = decision.data;
  u.data["replaces"] = old.id;
  auto replaced = d->apply(u);
  if (!replaced) FAIL(replaced.error().message);
  update_head_request affirmed;
  affirmed.uri = old;
  affirmed.affirm = true;
  REQUIRE(d->apply(affirmed));
  const memory_uri rests = written(*d, "rests", {to_string(old)});
  u.uri = *replaced->uri;
  u.data["statement"] = std::string("newer");
  auto newer = d->apply(u);
  REQUIRE(newer);
  u.uri = *newer->uri;
  u.data["statement"] = std::string("newest");
  REQUIRE(d->apply(u));
  (void)written(*d, "last");
  const seq_no last = w->published_seq();
  const auto known = views_from(*w, last, last, what_is_read);
  d.reset();
  w.reset();
  const auto done = place.trim(last, false, true);
  if (!done) FAIL(done.error().message);
  w = place.open();
  require_views(*w, known, what_is_read);
  CHECK_FALSE(is_trimmed(*w, ended, 1)); // the tombstone and the restore are of it
  CHECK(is_trimmed(*w, *decided->uri, 1));
  CHECK_FALSE(is_trimmed(*w, *decided->uri, 2)); // it replaces since then
  CHECK(is_trimmed(*w, *decided->uri, 3));
  CHECK_FALSE(read_current(w->views(), rests.id, {}, {})->standing.stale);
  check_whole(place, *w);
  CHECK(replayed_dump(place, *w) == dump_of(*w));
}

TEST_CASE("contents go before no other point than the last, and at that one") {
  trimmed_site place;
  {
    auto w = place.open();
    driven d(*w);
    memory_uri uri = written(d, "zero");
    for (int i = 0; i < 9; ++i) uri = updated(d, uri, std::string(200, 'a') + std::to_string(i));
    find_late_payload late;
    late.predicate = std::string(2000, 'x');
    late.accessed = {uri.id};
    REQUIRE(d.touch(late));
    REQUIRE(d.touch(late));
    (void)updated(d, uri, "last");
  }
  const auto uses = place.trim(seq_no{13});
  REQUIRE(uses);
  CHECK(uses->dropped == 2);
  const auto below = place.trim(seq_no{5}, false, true);
  REQUIRE_FALSE(below);
  CHECK(below.error().code == errc::seq_unavailable);
  const auto at = place.trim(seq_no{13}, false, true);
  if (!at) FAIL(at.error().message);
  CHECK(at->versions == 9);
  auto w = place.open();
  CHECK(w->attributes().activation_of({0}, w->published_seq()).access_count == 2);
  check_whole(place, *w);
  CHECK(replayed_dump(place, *w) == dump_of(*w));
}

TEST_CASE("a diff tells of what was trimmed on one side as of what was changed there") {
  trimmed_site place;
  memory_uri uri;
  memory_uri fresh;
  {
    auto w = place.open();
    driven d(*w);
    uri = written(d, "zero");
    uri = updated(d, uri, "one");
  }
  REQUIRE(fork_files(*place.files, "world", "early", {.at_seq = {}, .random = {}},
                     {.own = "early", .parent = "world", .is_locked = false}));
  {
    auto w = place.open();
    driven d(*w);
    for (int i = 0; i < 5; ++i) uri = updated(d, uri, std::string(300, 'a') + std::to_string(i));
    fresh = written(d, "fresh");
    fresh = updated(d, fresh, "fresh again");
  }
  const auto told = [&] {
    std::map<memory_id, memory_difference> found;
    auto ok = diff_files(*place.files, {.directory = "early"}, {.directory = "world"}, {},
                         [&](const difference& one) {
                           if (const auto* m = std::get_if<memory_difference>(&one))
                             found.emplace(m->id, *m);
                           return true;
                         });
    if (!ok) FAIL(ok.error().message);
    CHECK(ok->leaves_agree);
    return found;
  };
  const auto before = told();
  REQUIRE(before.size() == 2);
  const auto done = place.trim({}, false, true);
  if (!done) FAIL(done.error().message);
  CHECK(done->versions == 7);
  const auto after = told();
  REQUIRE(after.size() == 2);
  CHECK(after.at(uri.id).a == before.at(uri.id).a);
  CHECK(after.at(uri.id).b == before.at(uri.id).b);
  CHECK_FALSE(after.at(fresh.id).a.has_value());
  CHECK(after.at(fresh.id).b->version == 2);
}

TEST_CASE("a trim of contents that was broken off is finished by the next open, or never begun") {
  for (std::uint64_t nth = 1;; nth += operations_apart) {
    INFO("operation " << nth << " and all behind it");
    trimmed_site place;
    std::string dump;
    seq_no last;
    {
      auto w = place.open();
      driven d(*w);
      assign_eight(d);
      dice c(7);
      std::vector<memory_id> ids;
      random_year year(d, c, ids);
      for (int step = 0; step < 100; ++step) year.step();
      memory_uri uri = written(d, "needle");
      for (int k = 0; k < 3; ++k) uri = updated(d, uri, "needle again");
      (void)updated(d, uri, "last");
      REQUIRE(d.checkpoint());
      last = w->published_seq();
      dump = dump_of(*w);
    }
    place.files->fail_nth(io_operation::any, nth, true);
    const auto done = place.trim({}, false, true);
    place.files->clear_faults();
    place.files->crash(nth, nth % 2 == 0 ? crash_mode::random : crash_mode::keep);
    const auto as_left = verify_journal(*place.files, "world", {});
    REQUIRE(as_left);
    INFO(as_left->problem);
    CHECK(as_left->ok);
    {
      // Where some segments still have what goes, a copy has not.
      trimmed_site copy;
      auto replayed = copy.open();
      auto ok = replay_journal(*place.files, "world", *replayed, {}, {});
      if (!ok) FAIL(ok.error().message);
      CHECK(of_newest(dump_of(*replayed)) == of_newest(dump));
    }
    auto w = place.open();
    check_whole(place, *w);
    CHECK(of_newest(dump_of(*w)) == of_newest(dump));
    const bool is_done = w->published_seq() > last;
    if (is_done) require_nowhere(place, *w, "needle");
    if (!is_done) CHECK(dump_of(*w) == dump);
    if (done) {
      CHECK(is_done);
      break;
    }
  }
}
