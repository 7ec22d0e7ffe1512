// Spec 6: what chroma changes is in the journal, and comes back from it byte for byte.
// Of: state/execute/execute_touch.cpp, state/execute/pending_records.cpp, views/hashtag_mix.cpp
// Of: state/apply/apply_attributes.cpp
#include <catch2/catch.hpp>

#include "index/colour/mnemosyne.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/execute/execute.hpp"
#include "state/execute/pending_records.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "tests/state/coloured_notes.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;

reinforce_payload touching(std::vector<memory_id> ids) {
  reinforce_payload p;
  p.door = reinforcing_door::chroma;
  for (const auto& id : ids) p.items.push_back({id, 0, 0});
  return p;
}

colour_signals signals_of(world& w, const memory_id& id, std::optional<seq_no> at = {}) {
  const auto s =
      w.attributes().colours().signals_of(w.nodes.find(id), at.value_or(w.published_seq()));
  REQUIRE(s.has_value());
  return *s;
}

std::string dump_of(world& w) {
  auto text = canonical_dump(w);
  REQUIRE(text);
  return *text;
}

/// A seeded walk over few coloured memories.
void random_step(driven& d, random_source& random, std::vector<memory_uri>& uris) {
  const auto below = [&](std::uint8_t n) {
    std::array<std::uint8_t, 1> byte{};
    random.fill(byte);
    return static_cast<std::uint8_t>(byte[0] % n);
  };
  d.time->set({d.time->now().ns + (below(40) - 4) * day_ns / 4});
  const auto any = [&] { return uris[below(static_cast<std::uint8_t>(uris.size()))]; };
  switch (uris.size() < 4 ? 0 : below(8)) {
  case 0:
    if (uris.size() < 40)
      uris.push_back(*d.apply(coloured("n", static_cast<memory_mode>(1 + below(4))))->uri);
    break;
  case 1: {
    tombstone_request t;
    t.uri = any();
    if (below(3) == 0) (void)d.apply(t);
    break;
  }
  case 2: {
    update_head_request u;
    u.uri = any();
    u.lifecycle.emplace().status =
        below(2) == 0 ? lifecycle_status::archived : lifecycle_status::open;
    (void)d.apply(u);
    break;
  }
  case 3:
    REQUIRE(d.decay());
    break;
  case 4: {
    assign_tag_request r;
    r.tag = "x" + std::to_string(below(30));
    r.anchor = 100 + below(40);
    (void)d.apply(r);
    break;
  }
  default:
    REQUIRE(d.touch(touching({any().id, any().id})));
  }
}

} // namespace

TEST_CASE("6.1 assign_tag binds for good") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  const auto seq = w->published_seq();
  assign_tag_request r;
  r.tag = " C1 ";
  r.zone = colour_zone::core;
  auto again = d.apply(r);
  REQUIRE(again);
  CHECK_FALSE(again->changed);
  CHECK(again->seq == seq);
  CHECK(again->tag == tag_assignment{"c1", 1, colour_zone::core});
  r.zone = colour_zone::mid;
  CHECK(d.apply(r).error().code == errc::tag_assigned);
  r = {};
  r.tag = "new";
  r.anchor = 1;
  CHECK(d.apply(r).error().code == errc::anchor_taken);
  r.anchor = 0;
  CHECK(d.apply(r).error().code == errc::out_of_range);
  r.anchor = 10'001;
  CHECK(d.apply(r).error().code == errc::out_of_range);
  r.anchor.reset();
  CHECK(d.apply(r).error().code == errc::missing_key);
  r.zone = colour_zone::core;
  r.anchor = 2;
  CHECK(d.apply(r).error().code == errc::bad_value);
  r.anchor.reset();
  r.tag = " # ";
  CHECK(d.apply(r).error().code == errc::limit_exceeded);
  r.tag = std::string(65, 'x');
  CHECK(d.apply(r).error().code == errc::limit_exceeded);
  CHECK(w->published_seq() == seq);
  // The lowest free anchor of the zone, also behind others of the same batch.
  assign_tag_request first;
  first.tag = "first";
  first.anchor = 3;
  assign_tag_request second;
  second.tag = "second";
  second.zone = colour_zone::core;
  assign_tag_request third = second;
  third.tag = "third";
  auto batch = d.run({first, second, third}, true);
  REQUIRE(batch);
  CHECK(batch->results[1].tag->anchor == 2);
  CHECK(batch->results[2].tag->anchor == 4);
}

TEST_CASE("6.1 a zone that is used up is zone_full") {
  site place;
  auto w = place.open();
  driven d(*w);
  std::vector<mutation> items;
  for (int i = 0; i < 1000; ++i) {
    assign_tag_request r;
    r.tag = "t" + std::to_string(i);
    r.zone = colour_zone::core;
    items.emplace_back(std::move(r));
  }
  REQUIRE(d.run(std::move(items), true));
  assign_tag_request r;
  r.tag = "one more";
  r.zone = colour_zone::core;
  CHECK(d.apply(r).error().code == errc::zone_full);
}

TEST_CASE("6.2 hashtags at write give the colour of the same function, for good") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  write_request r = coloured("a");
  r.hashtags = {"O1", "m6", " M1", "m2", "m3", "#m4", "m5", "c1", "c1"};
  auto first = d.apply(r);
  auto second = d.apply(coloured("b"));
  REQUIRE(first);
  REQUIRE(second);
  auto reader = w->store->reader();
  const auto head_of = [&](const memory_id& id) {
    return **read_head(**reader, id, w->published_seq());
  };
  const auto c = head_of(first->uri->id).colour;
  REQUIRE(c.has_value());
  CHECK(c == head_of(second->uri->id).colour);
  CHECK(c->hashtags == eight);
  CHECK(c->mode == "Adaptive");
  const auto s = signals_of(*w, first->uri->id);
  CHECK(s.strength_e9 == 0);
  CHECK(s.last_accessed == head_of(first->uri->id).created_at);
  CHECK_FALSE(s.last_decay_at.has_value());
}

TEST_CASE("6.2 a write whose hashtags break a rule is refused with reason and counts") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  const auto seq = w->published_seq();
  const auto reason_of = [&](std::vector<std::string> tags) {
    write_request r = coloured("a");
    r.hashtags = std::move(tags);
    auto done = d.apply(r);
    REQUIRE_FALSE(done);
    REQUIRE(done.error().code == errc::bad_hashtags);
    return hashtag_refusal_of(done.error())->reason;
  };
  using enum hashtag_problem;
  CHECK(reason_of({"c1", "nobody"}) == unknown_tag); // before the mix
  CHECK(reason_of({"m1", "o1"}) == no_core);
  CHECK(reason_of({"m1", "c1"}) == no_outer);
  CHECK(reason_of({"m1", "c1", "o1"}) == too_few);
  write_request r = note("mode alone");
  r.mode = memory_mode::sparse;
  CHECK(d.apply(r).error().code == errc::bad_value);
  r = coloured("many");
  r.hashtags.clear();
  for (int i = 0; i < 65; ++i) r.hashtags.push_back("t" + std::to_string(i));
  CHECK(d.apply(r).error().code == errc::limit_exceeded);
  CHECK(w->published_seq() == seq);
}

TEST_CASE("6.2 a batch may bind tags and use them at once") {
  site place;
  auto w = place.open();
  driven d(*w);
  std::vector<mutation> items;
  for (std::size_t i = 0; i < eight.size(); ++i) {
    assign_tag_request r;
    r.tag = eight[i];
    r.anchor = i == 0 ? 5 : i == 7 ? 9000 : 2000 + static_cast<std::int64_t>(i);
    items.emplace_back(std::move(r));
  }
  items.emplace_back(coloured("a"));
  auto done = d.run(std::move(items), true);
  REQUIRE(done);
  CHECK(done->seq == seq_no{9});
}

TEST_CASE("6.3 touches of one row in one queue follow each other") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  const auto id = d.apply(coloured("a"))->uri->id;
  d.time->set({d.time->now().ns + 3 * day_ns}); // recency exp(-1): no bonus for the first
  REQUIRE(d.touch(touching({id, id})));
  const auto s = signals_of(*w, id);
  CHECK(s.strength_e9 == 100'000'000 + 200'000'000); // the second sees recency 1
  CHECK(s.last_accessed == d.time->now());
  const auto a = w->attributes().activation_of(w->nodes.find(id), w->published_seq());
  CHECK(a.access_count == 2);
  CHECK(a.last_used < d.time->now()); // chroma leaves last_used alone
  CHECK(signals_of(*w, id, seq_no{w->published_seq().value - 1}).strength_e9 == 0);
}

TEST_CASE("6.3 a decay cycle is one entry and counts rows that changed") {
  site place;
  auto w = place.open();
  driven d(*w);
  auto empty = d.decay();
  REQUIRE(empty);
  CHECK(empty->seq == seq_no{1}); // always an entry
  assign_eight(d);
  const auto touched = d.apply(coloured("touched"))->uri->id;
  const auto idle = d.apply(coloured("idle"))->uri->id;
  const auto keeper = d.apply(coloured("eidetic", memory_mode::eidetic))->uri->id;
  const auto gone = *d.apply(coloured("gone"))->uri;
  REQUIRE(d.touch(touching({touched})));
  tombstone_request t;
  t.uri = gone;
  REQUIRE(d.apply(t));
  d.time->set({d.time->now().ns + 20 * day_ns});
  auto done = d.decay();
  REQUIRE(done);
  CHECK(done->decayed == 1);
  CHECK(done->ascended == 0);
  CHECK(done->rotten == 2);
  CHECK(signals_of(*w, idle).rotten);
  CHECK_FALSE(signals_of(*w, keeper).rotten);
  CHECK_FALSE(signals_of(*w, gone.id).last_decay_at.has_value());
  CHECK(signals_of(*w, touched).last_decay_at == d.time->now());
  auto again = d.decay();
  CHECK(again->decayed == 0);
  CHECK(again->rotten == 0);
  REQUIRE(d.touch(touching({idle})));
  CHECK_FALSE(signals_of(*w, idle).rotten); // a touch clears it
}

TEST_CASE("6.3 a decay cycle is journaled in the name of who asked for it") {
  site place;
  auto w = place.open();
  driven d(*w);
  decay_cycle_payload cycle;
  cycle.actor = "ana";
  id_source ids(make_seeded_random(1, 1), {});
  const entry e = execute_decay(std::move(cycle), ids, d.time->now(), seq_no{0});
  CHECK(e.header.created_by == "ana");
  CHECK(std::get<decay_cycle_payload>(e.payload).actor == "ana");
}

// An attest or a compact must not depend on which requests share its frame.
TEST_CASE("6.3 what a batch has touched counts for what comes behind it in the batch") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  const auto id = d.apply(coloured("a"))->uri->id;
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.title = "t";
  const auto topic_id = d.apply(topic)->uri->id;
  auto reader = w->store->reader();
  REQUIRE(reader);
  std::vector<entry> entries;
  const read_views views = w->views();
  pending_records pending(views, **reader, w->published_seq(), entries);
  CHECK(pending.activation_of(id).access_count == 0);
  const auto before = pending.activation_of(topic_id);
  const auto add = [&](entry_kind kind, entry_payload payload) {
    const seq_no seq{w->published_seq().value + entries.size() + 1};
    entries.push_back(seal_entry({.seq = seq,
                                  .kind = kind,
                                  .created_at = d.time->now(),
                                  .created_by = {},
                                  .leaves = {},
                                  .payload_hash = {}},
                                 std::move(payload)));
  };
  add(entry_kind::reinforce, touching({id}));
  CHECK(pending.activation_of(id).access_count == 1);
  auto h = *read_head(**reader, topic_id, w->published_seq());
  h->last_updated_at = {before.last_used.ns + 5};
  add(entry_kind::topic_archive, topic_archive_payload{*h, 0, 0});
  CHECK(pending.activation_of(topic_id).last_used == h->last_updated_at);
  h->last_updated_at = {before.last_used.ns + 9};
  add(entry_kind::topic_merge, topic_merge_payload{id, *h});
  CHECK(pending.activation_of(topic_id).last_used == h->last_updated_at);
}

TEST_CASE("6.3 what has ascended neither decays nor grows nor rots") {
  site place;
  auto w = place.open();
  driven d(*w);
  assign_eight(d);
  const auto id = d.apply(coloured("a"))->uri->id;
  for (int i = 0; i < 100; ++i) REQUIRE(d.touch(touching({id}))); // 0.2 each: 20 ascends
  const auto s = signals_of(*w, id);
  CHECK(s.ascended);
  REQUIRE(d.touch(touching({id})));
  CHECK(signals_of(*w, id).strength_e9 == s.strength_e9);
  d.time->set({d.time->now().ns + 1000 * day_ns});
  CHECK(d.decay()->decayed == 0);
  CHECK(signals_of(*w, id).strength_e9 == s.strength_e9);
  CHECK_FALSE(signals_of(*w, id).rotten);
}

TEST_CASE("6 live, recovered and replayed state are the same, at every kind of end") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    site place;
    const auto random = make_seeded_random(seed, 7);
    std::vector<memory_uri> uris;
    std::string expected;
    for (int life = 0; life < 4; ++life) {
      auto w = place.open();
      if (life > 0) REQUIRE(dump_of(*w) == expected);
      driven d(*w, seed);
      if (life == 0) assign_eight(d);
      for (int i = 0; i < 40; ++i) {
        random_step(d, *random, uris);
        if (i % 17 == 16) REQUIRE(d.checkpoint());
      }
      expected = dump_of(*w);
      if (life % 2 == 0) REQUIRE(close_world(*w));
    }
    site other;
    auto copy = other.open();
    REQUIRE(replay_journal(*place.files, "world", *copy, {}, {}));
    CHECK(dump_of(*copy) == expected);
  }
}

TEST_CASE("6 an image gives the same signals at every earlier seq") {
  site place;
  const auto random = make_seeded_random(3, 8);
  std::vector<memory_uri> uris;
  std::map<std::uint64_t, std::vector<colour_signals>> before;
  {
    auto w = place.open();
    driven d(*w);
    assign_eight(d);
    for (int i = 0; i < 60; ++i) random_step(d, *random, uris);
    for (std::uint64_t seq = 30; seq <= w->published_seq().value; ++seq)
      for (const auto& uri : uris)
        before[seq].push_back(w->attributes()
                                  .colours()
                                  .signals_of(w->nodes.find(uri.id), {seq})
                                  .value_or(colour_signals{}));
    REQUIRE(d.checkpoint());
  }
  auto w = place.open();
  for (const auto& [seq, expected] : before)
    for (std::size_t i = 0; i < uris.size(); ++i)
      CHECK(w->attributes()
                .colours()
                .signals_of(w->nodes.find(uris[i].id), {seq})
                .value_or(colour_signals{})
            == expected[i]);
}
