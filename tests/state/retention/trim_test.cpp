// A world that was trimmed answers from the point on what it answered before, has the same roots,
// and is made anew from its journal; whatever breaks a trim off, the next open finishes it.
// Of: state/retention/trim.cpp, state/retention/trim_plan.cpp, state/retention/trim_follower.cpp
// Of: state/retention/carried_state.cpp, journal/trim_payloads.cpp

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>

#include "journal/trim_payloads.hpp"
#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/fork.hpp"
#include "state/branch/rewind.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "state/retention/trim.hpp"
#include "tests/index/dice.hpp"
#include "tests/state/coloured_notes.hpp"
#include "tests/state/erasure/erasable_site.hpp"
#include "tests/state/site.hpp"
#include "views/standing.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Whose journal has several segments.
struct trimmed_site : erasable_site {
  world_options options() {
    world_options o = erasable_site::options();
    o.journal.segment_bytes = 16 << 10;
    return o;
  }
  std::unique_ptr<world> open(const std::string& directory = "world") {
    world_options o = options();
    o.directory = directory;
    auto w = open_world(o);
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
  result<trim_report> trim(std::optional<seq_no> before, bool dry_run = false) {
    trim_options t;
    t.before = before;
    t.by = "ana";
    t.reason = "a year has passed";
    t.dry_run = dry_run;
    t.time = std::make_shared<manual_clock>(timestamp{2'000'000'000'000'000'000});
    t.random = make_seeded_random(5, 1);
    return trim_files(options(), t);
  }
};

/// All that reads as of `at` rest on, as text.
std::string view_at(world& w, seq_no at) {
  std::string text;
  const read_views views = w.views();
  auto reader = w.store->reader();
  std::map<memory_id, node_no> nodes;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) nodes.emplace(w.nodes.id({i}), node_no{i});
  const auto edges = [&](std::string_view name, const graph& of, node_no node) {
    of.neighbours(node, edge_direction::out, at, true, [&](const neighbour& n) {
      text += fmt::format("  {} {} {} {} {}\n", name, static_cast<int>(n.type),
                          to_string(w.nodes.id(n.node)), n.tombstoned, n.since.value);
      return true;
    });
  };
  for (const auto& [id, node] : nodes) {
    const row_no row = views.attributes->row_of(node, at);
    if (row.value != no_number) {
      const row_line line = views.attributes->rows().line_as_of(row, at);
      const auto standing = lineage_reader(views, at).standing_of(row);
      text += fmt::format("{} flags {} since {} trust {} stale {}\n", to_string(id), line.flags,
                          line.begin, standing.trust, standing.stale);
      auto m = read_memory(views, **reader, id, at);
      REQUIRE((m && m->has_value()));
      const activation& a = (*m)->activation;
      text += to_hex(sha256_of(encode(*(*m)->head)));
      if (!(*m)->head->erased)
        text += fmt::format(" used {} {} {} {} {}\n", a.last_used.ns, a.access_count, a.citations,
                            a.importance, a.topic_salience_e9);
      if (const auto s = views.attributes->colours().signals_of(node, at))
        text += fmt::format("  signals {} {} {} {} {}\n", s->strength_e9, s->last_accessed.ns,
                            s->last_decay_at ? s->last_decay_at->ns : -1, s->ascended, s->rotten);
    }
    edges("edge", w.graph, node);
    edges("order", w.order, node);
    edges("lineage", w.lineage, node);
  }
  for (int actor = 0; actor < 3; ++actor) {
    const auto learned = views.attributes->weights_of(fmt::format("actor{}", actor), at);
    text += fmt::format("weights {} {} {}\n", learned.recency, learned.access, learned.citations);
  }
  for (int word = 0; word < 12; ++word) {
    const term_no term = views.lexical->term("word" + std::to_string(word));
    if (term.value == no_number) continue;
    const auto count = views.lexical->document_frequency(corpus::memories, term, at);
    text += fmt::format("word{} {}\n", word, count);
  }
  return text;
}

/// By seq, from `from` on.
std::map<seq_no, std::string> views_from(world& w, seq_no from, seq_no last) {
  std::map<seq_no, std::string> views;
  for (seq_no at = from; at <= last; at = at.next()) views[at] = view_at(w, at);
  return views;
}

void require_views(world& w, const std::map<seq_no, std::string>& views) {
  for (const auto& [at, text] : views) {
    INFO("seq " << at.value);
    REQUIRE(w.readable(at));
    REQUIRE(view_at(w, at) == text);
  }
}

template <class Result, class Command, class Request>
result<Result> ask(driven& d, Request request) {
  std::optional<result<Result>> answer;
  d.core.enqueue(Command{.request = std::move(request),
                         .reply = [&](result<Result> r) { answer = std::move(r); }});
  d.pump();
  REQUIRE(answer.has_value());
  return std::move(*answer);
}

/// One random change over few ids: most are touches.
class random_year {
public:
  random_year(driven& d, dice& c, std::vector<memory_id>& ids) : d_(d), c_(c), ids_(ids) {}

  void step() {
    d_.time->set({d_.time->now().ns + static_cast<std::int64_t>(c_.below(1'000'000'000'000))});
    if (ids_.size() < 5) return write();
    switch (c_.below(14)) {
    case 0:
      return write();
    case 1:
      return update();
    case 2:
    case 3:
      return change_head();
    case 4:
      return link();
    case 5:
      return end_link();
    case 6:
      return attest();
    case 7:
      REQUIRE(d_.decay());
      return;
    case 8:
      return reinforce(reinforcing_door::chroma);
    case 9:
      return topic();
    case 10:
      return end();
    default:
      return touch();
    }
  }

private:
  memory_id any() { return ids_[c_.below(ids_.size())]; }
  std::string words() {
    std::string text;
    for (int i = 0; i < 4; ++i) text += "word" + std::to_string(c_.below(12)) + " ";
    return text;
  }
  void write() {
    const bool is_coloured = c_.below(2) == 0;
    write_request r = is_coloured ? coloured(words()) : note(words());
    r.actor = "actor" + std::to_string(c_.below(3));
    r.tags = {"tag" + std::to_string(c_.below(4))};
    if (!ids_.empty() && c_.below(2) == 0)
      r.provenance.derived_from = {to_string(memory_uri{memory_type::note, any(), 1})};
    if (c_.below(3) == 0) r.vector = std::vector<float>{1, static_cast<float>(c_.below(9)), 2};
    auto written = d_.apply(r);
    if (!written) FAIL(written.error().message);
    ids_.push_back(written->uri->id);
    if (is_coloured) coloured_.push_back(written->uri->id);
  }
  /// Whatever version it has.
  template <class Request>
  void with_current(Request r) {
    const memory_id id = any();
    for (std::uint32_t version = 1; version < 40; ++version) {
      r.uri = {memory_type::note, id, version};
      auto done = d_.apply(r);
      if (done || done.error().code != errc::version_conflict) return;
    }
  }
  void update() {
    update_request u;
    u.data["statement"] = words();
    with_current(u);
  }
  void change_head() {
    update_head_request u;
    if (c_.below(5) == 0)
      u.affirm = true;
    else if (c_.below(2) == 0)
      u.tags = {"tag" + std::to_string(c_.below(4)), "again"};
    else
      u.importance = static_cast<std::int64_t>(1 + c_.below(9));
    with_current(u);
  }
  add_edge_request edge() {
    const std::vector<std::string> kinds{"", "next", "answer", "likes"};
    return {.src = ids_[c_.below(3)],
            .type = static_cast<std::uint8_t>(c_.below(2) == 0 ? 15 : 1 + c_.below(4)),
            .dst = ids_[3 + c_.below(2)],
            .actor = {},
            .kind = kinds[c_.below(kinds.size())],
            .data = {},
            .by = {},
            .created_at = {}};
  }
  void link() { (void)d_.apply(edge()); }
  void end_link() {
    const add_edge_request e = edge();
    remove_edge_request r;
    r.src = e.src;
    r.type = e.type;
    r.dst = e.dst;
    (void)d_.apply(r);
  }
  void attest() {
    attest_request r;
    r.actor = "actor" + std::to_string(c_.below(3));
    r.intent_id = "intent";
    r.outcome = c_.below(2) == 0 ? attest_outcome::success : attest_outcome::failure;
    r.cited = {to_string(memory_uri{memory_type::note, any(), 1})};
    (void)ask<attest_result, attest_command>(d_, r);
  }
  void touch() {
    find_late_payload late;
    late.predicate = "all of it";
    late.accessed = {any()};
    if (c_.below(2) == 0) late.accessed.push_back(any());
    (void)d_.touch(late);
  }
  void reinforce(reinforcing_door door) {
    reinforce_payload p;
    p.door = door;
    if (coloured_.empty()) return;
    p.items = {{coloured_[c_.below(coloured_.size())], 0, 0}};
    (void)d_.touch(p);
  }
  void topic() {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.title = words();
    field_input field;
    field.name = "field";
    field.value = json_value(words());
    r.fields = {field};
    (void)d_.apply(r);
  }
  void end() {
    tombstone_request t;
    t.uri = {memory_type::note, any(), 1};
    if (c_.below(2) == 0) {
      restore_request r;
      r.id = t.uri.id;
      (void)d_.apply(r);
    } else {
      (void)d_.apply(t);
    }
  }

  driven& d_;
  dice& c_;
  std::vector<memory_id>& ids_;
  std::vector<memory_id> coloured_;
};

void check_whole(trimmed_site& place, world& w) {
  const auto report = verify_journal(*place.files, w.directory, {});
  REQUIRE(report);
  INFO(report->problem);
  CHECK(report->ok);
  CHECK(report->roots.overall == w.published_roots().overall);
}

} // namespace

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
  for (std::uint64_t nth = 1;; ++nth) {
    INFO("operation " << nth << " and all behind it");
    const broken_trim found = break_trim(nth, true);
    was_finished_later = was_finished_later || (found.is_trimmed && !found.was_done);
    operations = nth;
    if (found.was_done) break;
  }
  CHECK(was_finished_later);
  for (std::uint64_t nth = 1; nth < operations; ++nth) {
    INFO("operation " << nth << " alone");
    break_trim(nth, false);
  }
}

TEST_CASE("branches of a trimmed world begin behind the trim") {
  touched_world touched;
  trimmed_site& place = touched.place;
  memory_file_system& files = *place.files;
  REQUIRE(fork_files(files, "world", "early", {.at = touched.last, .random = {}},
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
  const auto refused = fork_files(files, "world", "late", {.at = touched.last, .random = {}},
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
  REQUIRE(fork_files(files, "world", "now", {.at = {}, .random = {}},
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
