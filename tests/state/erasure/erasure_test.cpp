// What was erased is nowhere: not in the journal, images, store or indexes, whatever broke it off;
// roots stay, and a copy made from the journal is the same world.
// Of: state/erasure/erase_plan.cpp, state/erasure/execute_erase.cpp, state/erasure/purge.cpp
// Of: state/erasure/stub.cpp, state/erasure/erased_note.cpp, journal/erase_payloads.cpp

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>

#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/index/dice.hpp"
#include "tests/sanitized.hpp"
#include "tests/state/erasure/erasable_site.hpp"
#include "views/lineage_edges.hpp"
#include "views/standing.hpp"
#include "views/supersession.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Words that only what is erased has.
constexpr std::string_view needles[] = {"zyxneedle",  "zyxsecond", "zyxtag",   "zyxmeta",
                                        "zyxkind",    "zyxdata",   "zyxfield", "zyxvalue",
                                        "zyxproject", "zyxwhy",    "zyxtitle", "zyxref"};

add_edge_request edge_between(const memory_id& src, const memory_id& dst, std::string kind = {},
                              std::string data = {}) {
  return {.src = src,
          .type = static_cast<std::uint8_t>(edge_type::related_to),
          .dst = dst,
          .actor = {},
          .kind = std::move(kind),
          .data = std::move(data),
          .by = {},
          .created_at = {}};
}

struct written_world {
  memory_id needle; ///< a note with everything that a note can have
  memory_id topic;  ///< with fields
  memory_id kept;
  memory_id derived; ///< rests on the needle
};

written_world write_all(driven& d) {
  written_world w;
  write_request kept = note("a plain note about harbours");
  kept.vector = std::vector<float>{1, 0, 0};
  w.kept = d.apply(kept)->uri->id;
  write_request r = note("the zyxneedle opens the vault");
  r.tags = {"zyxtag", "shared"};
  r.metadata["zyxmeta"] = std::string("zyxmeta value");
  r.frames = {{verb::find, object_kind::service, "zyxref"}};
  r.lifecycle = lifecycle{.status = lifecycle_status::open,
                          .due_date = {},
                          .project = "zyxproject",
                          .origin = {},
                          .atomic = {},
                          .audience = {}};
  r.vector = std::vector<float>{0.123456F, 2, 3};
  const memory_uri first = *d.apply(r)->uri;
  w.needle = first.id;
  update_request u;
  u.uri = first;
  u.data["statement"] = std::string("the zyxsecond closes it again");
  u.vector = std::vector<float>{3, 0.654321F, 1};
  REQUIRE(d.apply(u));
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.title = "zyxtitle of the harbour";
  field_input field;
  field.name = "zyxfield";
  field.value = json_value(std::string("zyxvalue 7"));
  field.why_changed = "zyxwhy";
  topic.fields = {field};
  auto ingested = d.apply(topic);
  REQUIRE(ingested);
  w.topic = ingested->uri->id;
  REQUIRE(d.apply(edge_between(w.kept, w.needle, "zyxkind", "zyxdata")));
  REQUIRE(d.apply(edge_between(w.needle, w.topic)));
  write_request rests = note("what follows from it");
  rests.provenance.derived_from = {to_string(first)};
  w.derived = d.apply(rests)->uri->id;
  return w;
}

/// Which needles the disk still has, and the store.
std::string needles_left(erasable_site& place, world& w) {
  std::string left;
  const auto look = [&](const std::string& where, std::string_view bytes) {
    for (const std::string_view needle : needles)
      if (bytes.find(needle) != std::string_view::npos)
        left += std::string(needle) + " in " + where + "; ";
    for (const float part : {0.123456F, 0.654321F})
      if (bytes.find(std::string_view(reinterpret_cast<const char*>(&part), sizeof part))
          != std::string_view::npos)
        left += "a vector in " + where + "; ";
  };
  for_all_bytes(place, w, look);
  return left;
}

void check_erased(erasable_site& place, world& w, const written_world& ids) {
  CHECK(needles_left(place, w) == "");
  const auto report = verify_journal(*place.files, w.directory, {});
  REQUIRE(report);
  INFO(report->problem);
  CHECK(report->ok);
  CHECK(dump_of(w) == dump_of_replay(place, w));
  auto reader = w.store->reader();
  const seq_no now = w.published_seq();
  for (const memory_id& id : {ids.needle, ids.topic})
    for (const seq_no at : {now, seq_no{4}}) {
      auto m = read_memory(w.views(), **reader, id, at);
      REQUIRE((m && m->has_value()));
      CHECK((*m)->head->erased);
      CHECK((*m)->version->data.empty());
      CHECK((*m)->head->tombstone->reason == "asked for");
    }
  auto kept = read_memory(w.views(), **reader, ids.kept, now);
  REQUIRE((kept && kept->has_value()));
  CHECK(std::get<std::string>((*kept)->version->data.at("statement"))
        == "a plain note about harbours");
  auto edge = read_edge(**reader, {ids.kept, edge_type::related_to, ids.needle}, now);
  REQUIRE((edge && edge->has_value()));
  CHECK(!(*edge)->tombstoned);
  CHECK((*edge)->kind.empty());
}

} // namespace

TEST_CASE("erased memories are nowhere, and all that was proved stays") {
  erasable_site place;
  written_world ids;
  root_set before;
  {
    auto w = place.open();
    driven d(*w);
    ids = write_all(d);
    REQUIRE(d.checkpoint());
    before = w->published_roots();
    CHECK_FALSE(needles_left(place, *w).empty());
    auto asked = erase(d, {.ids = {ids.needle}, .dry_run = true});
    REQUIRE(asked);
    CHECK(asked->erased.size() == 1);
    CHECK(w->published_roots() == before);
    auto done = erase(d, {.ids = {ids.needle, ids.topic, id_of(77)}});
    if (!done) FAIL(done.error().message);
    CHECK(done->changed);
    CHECK(done->erased.size() == 2);
    CHECK(done->not_found == std::vector{id_of(77)});
    CHECK(done->edges == 1);
    CHECK(w->published_roots().overall != before.overall);
    check_erased(place, *w, ids);
    // What goes on goes on.
    REQUIRE(d.apply(note("written afterwards")));
    auto again = erase(d, {.ids = {ids.needle}});
    REQUIRE(again);
    CHECK_FALSE(again->changed);
    CHECK(again->erased_before == std::vector{ids.needle});
    update_request u;
    u.uri = {memory_type::note, ids.needle, 2};
    u.data["statement"] = std::string("no");
    CHECK(d.apply(u).error().code == errc::erased);
    check_erased(place, *w, ids);
    REQUIRE(close_world(*w));
  }
  auto w = place.open();
  check_erased(place, *w, ids);
  // The roots of before are what they were.
  auto folded = fold_roots(*place.files, w->directory, before.seq, {});
  REQUIRE(folded);
  CHECK(*folded == before);
}

TEST_CASE("what rests on something goes with it, if asked for") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const written_world ids = write_all(d);
  auto asked = erase(d, {.ids = {ids.needle}, .with_derived = true, .dry_run = true});
  REQUIRE(asked);
  REQUIRE(asked->erased.size() == 2);
  for (const auto& m : asked->erased) CHECK(m.named == (m.id == ids.needle));
  auto done = erase(d, {.owned_by = "ana", .with_derived = true});
  REQUIRE(done);
  CHECK(done->erased.size() == 3); // the topic is nobody's
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
}

TEST_CASE("what rests on something goes with it, also through what was erased before") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const memory_uri on = *d.apply(note("the vault"))->uri;
  const memory_uri between = *d.apply(note("what follows from it"))->uri;
  add_edge_request rests = edge_between(between.id, on.id);
  rests.type = static_cast<std::uint8_t>(edge_type::derived_from);
  REQUIRE(d.apply(rests));
  write_request last = note("what follows from that");
  last.provenance.derived_from = {to_string(between)};
  const memory_id far = d.apply(last)->uri->id;
  REQUIRE(erase(d, {.ids = {between.id}}));
  auto done = erase(d, {.ids = {on.id}, .with_derived = true});
  REQUIRE(done);
  CHECK(done->erased.size() == 2);
  CHECK(done->erased_before.empty()); // it was not named
  auto reader = w->store->reader();
  auto m = read_memory(w->views(), **reader, far, w->published_seq());
  REQUIRE((m && m->has_value()));
  CHECK((*m)->head->erased);
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
}

TEST_CASE("a payload of zeros that no entry speaks of is damage") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  write_all(d);
  const seq_no lost = w->published_seq(); // which nothing follows from
  REQUIRE(w->journal->erase(std::span(&lost, 1)));
  const auto report = verify_journal(*place.files, w->directory, {});
  REQUIRE(report);
  CHECK_FALSE(report->ok);
  CHECK(report->problem
        == "the payload of entry " + std::to_string(lost.value)
               + " is erased, but no entry says so");
}

TEST_CASE("a copy of a world as it was before an erasure notes which payloads are zeros") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const written_world ids = write_all(d);
  const seq_no before = w->published_seq();
  REQUIRE(erase(d, {.ids = {ids.needle}}));
  erasable_site copy;
  auto up_to = copy.open();
  REQUIRE(replay_journal(*place.files, w->directory, *up_to, before, {}));
  auto noted = read_erased_note(*copy.files, up_to->directory);
  REQUIRE(noted);
  CHECK(noted->size() == 3); // write, update, the edge
  const auto report = verify_journal(*copy.files, up_to->directory, {});
  REQUIRE(report);
  CHECK(report->ok);
  CHECK(report->roots == *fold_roots(*place.files, w->directory, before, {}));
  for (const std::string damaged :
       {"", "mneme erased 1", "mneme erased 1\n0\n", "mneme erased 1\n2\n2\n", "mneme erased 1\n3",
        "mneme erased 1\nx\n"}) {
    INFO(damaged);
    copy.files->testing_set_bytes(erased_note_path(up_to->directory), damaged);
    auto refused = read_erased_note(*copy.files, up_to->directory);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::corrupt);
  }
}

TEST_CASE("an erasure says who and why, and what") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const memory_id id = d.apply(note("something"))->uri->id;
  const auto refused = [&](erase_request r) {
    std::optional<result<erase_result>> answer;
    d.core.enqueue(erase_command{.request = std::move(r), .reply = [&](result<erase_result> done) {
                                   answer = std::move(done);
                                 }});
    d.pump();
    REQUIRE(answer.has_value());
    REQUIRE_FALSE(answer->has_value());
    return answer->error().code;
  };
  CHECK(refused({.ids = {id}, .reason = "why", .by = " "}) == errc::missing_key);
  CHECK(refused({.ids = {id}, .reason = "", .by = "ana"}) == errc::missing_key);
  CHECK(refused({.reason = "why", .by = "ana"}) == errc::missing_key);
  CHECK(w->published_seq().value == 1);
}

namespace {

/// Whether what `newer` says against `older` may count. What cannot is in the lineage of who did
/// not know, when it was said, whose the memories are.
bool may_count(const attributes& rows, node_no newer, node_no older) {
  const row_no by = rows.rows().last_of(newer);
  const row_no against = rows.rows().last_of(older);
  return by.value == no_number || against.value == no_number
         || supersession(rows).counts(rows.rows().line(by), rows.rows().line(against));
}

/// All that reads as of `at` rest on, as text; nodes by their ids.
std::string view_at(world& w, seq_no at) {
  std::string text;
  const read_views views = w.views();
  auto reader = w.store->reader();
  std::map<memory_id, node_no> nodes;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) nodes.emplace(w.nodes.id({i}), node_no{i});
  const auto edges = [&](std::string_view name, const graph& of, node_no node) {
    of.neighbours(node, edge_direction::out, at, true, [&](const neighbour& n) {
      if (&of == &w.lineage && is_objection(n.type) && !may_count(w.attributes(), node, n.node))
        return true;
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
      text += to_hex(sha256_of(encode(*(*m)->head)));
      if (!(*m)->head->erased) text += fmt::format(" used {}\n", (*m)->activation.access_count);
    }
    edges("edge", w.graph, node);
    edges("order", w.order, node);
    edges("lineage", w.lineage, node);
  }
  for (const corpus of : {corpus::memories, corpus::chunks}) {
    const corpus_size size = views.lexical->size(of, at);
    text += fmt::format("corpus {} {}\n", size.documents, size.length);
    for (int word = 0; word < 12; ++word) {
      const term_no term = views.lexical->term("word" + std::to_string(word));
      if (term.value != no_number)
        text += fmt::format("word{} {}\n", word, views.lexical->document_frequency(of, term, at));
    }
  }
  return text;
}

/// One random change over few ids.
void random_step(driven& d, dice& c, std::vector<memory_id>& ids) {
  d.time->set({d.time->now().ns + static_cast<std::int64_t>(c.below(1'000'000'000))});
  const auto any = [&] { return ids[c.below(ids.size())]; };
  const auto words = [&] {
    std::string text;
    for (int i = 0; i < 4; ++i) text += "word" + std::to_string(c.below(12)) + " ";
    return text;
  };
  const auto current = [&](const memory_id& id) {
    for (std::uint32_t version = 1;; ++version) {
      auto u = update_request{};
      u.uri = {memory_type::note, id, version};
      u.data["statement"] = words();
      auto done = d.apply(u);
      if (done || done.error().code != errc::version_conflict) return;
    }
  };
  switch (ids.size() < 4 ? 0 : c.below(8)) {
  case 0:
  case 1: {
    write_request r = note(words(), "actor" + std::to_string(c.below(3)));
    r.tags = {"tag" + std::to_string(c.below(4))};
    if (!ids.empty() && c.below(2) == 0)
      r.provenance.derived_from = {to_string(memory_uri{memory_type::note, any(), 1})};
    if (c.below(3) == 0) r.vector = std::vector<float>{1, static_cast<float>(c.below(9)), 2};
    auto written = d.apply(r);
    if (!written) FAIL(written.error().message);
    ids.push_back(written->uri->id);
    break;
  }
  case 2:
    current(any());
    break;
  case 3: {
    tombstone_request t;
    t.uri = {memory_type::note, any(), 1};
    t.reason = "r";
    (void)d.apply(t);
    break;
  }
  case 4:
  case 5: {
    const std::vector<std::string> kinds{"", "next", "answer", "likes"};
    add_edge_request e = edge_between(any(), any(), kinds[c.below(kinds.size())]);
    e.type = static_cast<std::uint8_t>(1 + c.below(4));
    if (c.below(2) == 0) e.type = static_cast<std::uint8_t>(edge_type::related_to);
    (void)d.apply(e);
    break;
  }
  case 6: {
    find_late_payload late;
    late.accessed = {any()};
    (void)d.touch(late);
    break;
  }
  default: {
    if (c.below(3) != 0) break;
    auto done = erase(d, {.ids = {any(), any()}, .with_derived = c.below(4) == 0});
    if (!done) FAIL(done.error().message);
    break;
  }
  }
}

} // namespace

TEST_CASE("a world that erased and a copy made from its journal are the same, as of every seq") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    erasable_site place;
    auto w = place.open();
    auto d = std::make_unique<driven>(*w, seed);
    dice c(seed);
    std::vector<memory_id> ids;
    for (int step = 0; step < 60; ++step) {
      random_step(*d, c, ids);
      if (c.below(20) == 0) REQUIRE(d->checkpoint());
      if (c.below(25) != 0) continue;
      d.reset();
      if (c.below(2) == 0) REQUIRE(close_world(*w));
      w.reset();
      place.files->crash(seed, crash_mode::keep);
      w = place.open();
      d = std::make_unique<driven>(*w, seed);
    }
    erasable_site copy;
    auto replayed = copy.open();
    auto ok = replay_journal(*place.files, w->directory, *replayed, {}, {});
    if (!ok) FAIL(ok.error().message);
    CHECK(dump_of(*w) == dump_of(*replayed));
    for (seq_no at{1}; at <= w->published_seq(); at = at.next()) {
      INFO("seq " << at.value);
      REQUIRE(view_at(*w, at) == view_at(*replayed, at));
    }
  }
}

TEST_CASE("an erasure that was broken off anywhere is finished by the next open") {
  // The store is only there to be faster: whoever makes it anew has no rows of what was erased.
  const bool is_store_lost = GENERATE(false, true);
  for (std::uint64_t nth = 1;; nth += operations_apart) {
    INFO("operation " << nth << (is_store_lost ? ", the store is lost" : ""));
    erasable_site place;
    place.opens_store_late = is_store_lost;
    written_world ids;
    bool was_broken_off = false;
    {
      auto w = place.open();
      driven d(*w);
      ids = write_all(d);
      REQUIRE(d.checkpoint());
      // Behind the checkpoint: it is read again by who opens the world, and names what went.
      find_late_payload found;
      found.accessed = {ids.needle, ids.kept};
      found.actor = "ana";
      REQUIRE(d.touch(found));
      place.files->fail_nth(io_operation::any, nth, true);
      d.fails_quietly = true;
      auto done = erase(d, {.ids = {ids.needle, ids.topic}});
      was_broken_off = !done.has_value();
      place.files->clear_faults();
    }
    place.files->crash(nth, nth % 2 == 0 ? crash_mode::random : crash_mode::keep);
    if (is_store_lost) place.disk = make_memory_disk();
    // Until then nobody copies the world, and who checks it is told why it looks damaged.
    const world_id id = seeded_world_id("test", 1);
    const auto as_left = verify_journal(*place.files, "world", {});
    REQUIRE(as_left);
    const bool may_be_copied = check_not_erasing(*place.files, "world", id).has_value();
    if (!as_left->ok) CHECK_FALSE(may_be_copied);
    if (as_left->ok) CHECK(as_left->unfinished.empty() == may_be_copied);
    auto w = place.open();
    CHECK(check_not_erasing(*place.files, "world", id));
    auto reader = w->store->reader();
    auto m = read_memory(w->views(), **reader, ids.needle, w->published_seq());
    REQUIRE((m && m->has_value()));
    if ((*m)->head->erased) {
      check_erased(place, *w, ids);
    } else {
      CHECK(was_broken_off); // before the entries were there: all is as it was
      CHECK((*m)->version->data.size() == 1);
      CHECK(dump_of(*w) == dump_of_replay(place, *w));
    }
    if (!was_broken_off) break;
  }
}
