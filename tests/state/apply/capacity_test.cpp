// Dense numbers run out: what needs one more is refused before it is journaled, the world stays
// sound and everything that needs none goes on.
// Of: state/apply/numbering.cpp, state/apply/entry_parts.cpp
#include <catch2/catch.hpp>

#include "index/columns/append_list.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/coloured_notes.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request tagged(std::uint8_t n, const std::string& text) {
  write_request r = note(text, "ana");
  r.id = id_of(n);
  r.tags = {"tag " + std::to_string(n)};
  r.frames = {{verb::build, object_kind::model, "m" + std::to_string(n)}};
  return r;
}

void check_sound(site& place, const world& w) {
  const auto report = verify_journal(*place.files, "world", {});
  REQUIRE(report);
  CHECK(report->ok);
  CHECK(report->roots == w.published_roots());
  site other;
  auto copy = other.open();
  REQUIRE(replay_journal(*place.files, "world", *copy, {}, {}));
  CHECK(copy->published_roots() == w.published_roots());
}

/// Room for what a world holds, and a little more of one kind.
void leave_room(world& w, std::uint64_t dense_numbers::* kind, std::uint64_t more) {
  w.limits = dense_numbers_max;
  w.limits.*kind = w.numbers_taken().*kind + more;
}

} // namespace

TEST_CASE("a full numbering refuses with limit_exceeded and leaves the world sound") {
  const auto [kind, more] =
      GENERATE(table<std::uint64_t dense_numbers::*, std::uint64_t>({{&dense_numbers::nodes, 2},
                                                                     {&dense_numbers::slots, 2},
                                                                     {&dense_numbers::rows, 2},
                                                                     {&dense_numbers::row_terms, 4},
                                                                     {&dense_numbers::names, 10},
                                                                     {&dense_numbers::terms, 50}}));
  site place;
  auto w = place.open();
  driven d(*w);
  REQUIRE(d.apply(tagged(1, "first words")));
  leave_room(*w, kind, more);
  std::uint8_t next = 2;
  result<mutation_result> last;
  for (; next < 200; ++next) {
    last = d.apply(tagged(next, "word" + std::to_string(next)));
    if (!last) break;
  }
  REQUIRE_FALSE(last);
  CHECK(last.error().code == errc::limit_exceeded);
  CHECK(next > 2); // what fits is taken
  const seq_no full = w->published_seq();
  CHECK(full.value + 1 == next);
  CHECK(w->journal->last_seq() == full);
  const std::string longer(200, 'x');
  // A batch is refused whole, and says which item did not fit.
  const auto batch = d.run({tagged(210, longer), tagged(211, longer)}, true);
  REQUIRE_FALSE(batch);
  CHECK(batch.error().code == errc::limit_exceeded);
  CHECK(batch.error().at.starts_with("items["));
  CHECK(w->published_seq() == full);
  // What needs no number of the kind goes on.
  add_edge_request edge;
  edge.src = id_of(1);
  edge.type = static_cast<std::uint8_t>(edge_type::references);
  edge.dst = id_of(2);
  CHECK(d.apply(edge));
  REQUIRE(d.checkpoint());
  check_sound(place, *w);
  const root_set roots = w->published_roots();
  w.reset();
  w = place.open();
  CHECK(w->published_roots() == roots);
  driven again(*w);
  CHECK(again.apply(tagged(213, "room again")));
}

TEST_CASE("a refusal for lack of numbers draws nothing") {
  site place;
  auto w = place.open();
  driven d(*w);
  REQUIRE(d.apply(note("x")));
  const auto id_after = [&](bool refused_before) {
    site other;
    auto v = other.open();
    driven e(*v);
    REQUIRE(e.apply(note("x")));
    if (refused_before) {
      leave_room(*v, &dense_numbers::slots, 0);
      REQUIRE_FALSE(e.apply(note("y")));
      v->limits = dense_numbers_max;
    }
    return e.apply(note("z"))->uri->id;
  };
  CHECK(id_after(true) == id_after(false));
}

TEST_CASE("edges whose ends are new need numbers for both") {
  site place;
  auto w = place.open();
  driven d(*w);
  leave_room(*w, &dense_numbers::nodes, 3);
  add_edge_request edge;
  edge.type = static_cast<std::uint8_t>(edge_type::references);
  edge.src = id_of(1);
  edge.dst = id_of(2);
  REQUIRE(d.apply(edge));
  edge.src = id_of(3);
  edge.dst = id_of(4);
  CHECK(d.apply(edge).error().code == errc::limit_exceeded);
  edge.dst = id_of(1);
  CHECK(d.apply(edge));
}

TEST_CASE("a world whose slots are all taken goes on with what needs none") {
  site place;
  auto w = place.open();
  driven d(*w);
  w->numbers.next_slot = static_cast<std::uint32_t>(dense_numbers_max.slots) - 1;
  REQUIRE(d.apply(tagged(1, "the last content")));
  const auto full = d.apply(tagged(2, "one more"));
  REQUIRE_FALSE(full);
  CHECK(full.error().code == errc::limit_exceeded);
  add_edge_request edge;
  edge.src = id_of(1);
  edge.type = static_cast<std::uint8_t>(edge_type::references);
  edge.dst = id_of(2);
  CHECK(d.apply(edge));
  tombstone_request gone;
  gone.uri = {memory_type::note, id_of(1), 1};
  gone.actor = "ana";
  CHECK(d.apply(gone));
  CHECK(w->numbers.next_slot == dense_numbers_max.slots);
}

TEST_CASE("a CHECKPOINT can name as many numbers as a world may take") {
  checkpoint_file c;
  c.node_count = static_cast<std::uint32_t>(dense_numbers_max.nodes);
  c.next_slot = static_cast<std::uint32_t>(dense_numbers_max.slots);
  const auto read = decode_checkpoint_file(encode(c));
  REQUIRE(read);
  CHECK(*read == c);
}

TEST_CASE("lists of numbers grow until they hold every number") {
  CHECK(wider_list(0) == 2);
  CHECK(wider_list(2) == 4);
  CHECK(wider_list(1U << 30) == 1U << 31);
  CHECK(wider_list(1U << 31) == no_number);
}

TEST_CASE("what is touched is refused when the earlier states of memories have no room") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  write_request green = coloured("green");
  green.id = id_of(1);
  REQUIRE(d.apply(green));
  REQUIRE(d.apply(tagged(2, "plain")));

  find_late_payload found;
  found.accessed = {id_of(1), id_of(2)};
  leave_room(*w, &dense_numbers::activations, 3);
  REQUIRE(d.touch(found));
  const seq_no full = w->published_seq();
  CHECK(d.touch(found).error().code == errc::limit_exceeded);
  tick_command tick;
  tick.touches = {{"ana", found}};
  std::optional<errc> ticked;
  tick.reply = [&](const result<tick_commit>& r) { ticked = r ? errc{} : r.error().code; };
  d.core.enqueue(std::move(tick));
  attest_command attest;
  attest.request.intent_id = "i";
  attest.request.cited = {to_string(memory_uri{memory_type::note, id_of(1), 1}),
                          to_string(memory_uri{memory_type::note, id_of(2), 1})};
  std::optional<errc> attested;
  attest.reply = [&](const result<attest_result>& r) { attested = r ? errc{} : r.error().code; };
  d.core.enqueue(std::move(attest));
  d.pump();
  CHECK(ticked == errc::limit_exceeded);
  CHECK(attested == errc::limit_exceeded);
  CHECK(w->published_seq() == full);

  leave_room(*w, &dense_numbers::signals, 1);
  REQUIRE(d.decay());
  CHECK(d.decay().error().code == errc::limit_exceeded);
  reinforce_payload reinforced{};
  reinforced.door = reinforcing_door::chroma;
  reinforced.items = {reinforced_item{.id = id_of(1)}};
  CHECK(d.touch(reinforced).error().code == errc::limit_exceeded);
  CHECK(w->published_seq() == full.next());
  w->limits = dense_numbers_max;
  CHECK(d.touch(reinforced));
  CHECK(d.decay());
  check_sound(place, *w);
}

TEST_CASE("what a content rests on, and what a tombstone names, need numbers too") {
  site place;
  auto w = place.open();
  driven d(*w);
  write_request r = note("a note", "ana");
  r.id = id_of(1);
  REQUIRE(d.apply(r));
  const auto uri_of = [](std::uint8_t n) {
    return to_string(memory_uri{memory_type::note, id_of(n), 1});
  };
  leave_room(*w, &dense_numbers::nodes, 3);
  r.id = id_of(2);
  r.provenance.derived_from = {uri_of(101), uri_of(102), uri_of(103)};
  CHECK(d.apply(r).error().code == errc::limit_exceeded);
  r.provenance.derived_from = {uri_of(101), uri_of(102), uri_of(102), uri_of(1), uri_of(2)};
  REQUIRE(d.apply(r));
  tombstone_request t{};
  t.uri = {memory_type::note, id_of(1), 1};
  t.superseded_by = id_of(104);
  CHECK(d.apply(t).error().code == errc::limit_exceeded);
  t.superseded_by = id_of(102);
  REQUIRE(d.apply(t));
  check_sound(place, *w);
}
