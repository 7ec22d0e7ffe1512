// Writes in the sight of an actor: what they name is looked at in the committer, at their turn.
#include <catch2/catch.hpp>

#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr auto hers = 1;       // ana's, private
constexpr auto everybodys = 2; // ana's, actor_public
constexpr auto his = 3;        // ben's, private

memory_uri uri_of_note(std::uint8_t n) {
  return {memory_type::note, id_of(n), 1};
}

write_request note_as(std::uint8_t n, std::string actor, visibility v = visibility::private_) {
  write_request r = note("note " + std::to_string(n), std::move(actor));
  r.id = id_of(n);
  r.visibility = v;
  return r;
}

update_request update_by(std::uint8_t n, std::string actor = "ben") {
  update_request r;
  r.uri = uri_of_note(n);
  r.data["statement"] = "changed";
  r.actor = std::move(actor);
  return r;
}

update_head_request hide(std::uint8_t n) {
  update_head_request r;
  r.uri = uri_of_note(n);
  r.actor = "ana";
  r.visibility = visibility::private_;
  return r;
}

add_edge_request edge_by_ben(std::uint8_t src, std::uint8_t dst,
                             edge_type type = edge_type::references) {
  add_edge_request r;
  r.src = id_of(src);
  r.type = static_cast<std::uint8_t>(type);
  r.dst = id_of(dst);
  r.actor = "ben";
  return r;
}

ingest_request topic_by_ben(ingest_placement placement = ingest_placement::new_topic) {
  ingest_request r;
  r.placement = placement;
  r.actor = "ben";
  if (placement == ingest_placement::new_topic) r.title = "t";
  return r;
}

field_input field_of(std::uint8_t ref) {
  field_input f;
  f.name = "a";
  f.value.node = std::int64_t{1};
  f.ref_topic_id = id_of(ref);
  return f;
}

/// "ok", or "code at", of any answer.
template <class T>
std::string told(const result<T>& r) {
  if (r) return "ok";
  return std::string(to_string(r.error().code)) + " " + r.error().at;
}

/// A world of ana's and ben's memories whose committer writes what has queued up as one frame.
struct shared_world {
  shared_world() : time(std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000})) {
    world = place.open();
    driven d(*world);
    REQUIRE(d.apply(note_as(hers, "ana")));
    REQUIRE(d.apply(note_as(everybodys, "ana", visibility::actor_public)));
    REQUIRE(d.apply(note_as(his, "ben")));
    core.emplace(*world, time, make_seeded_random(2, 2), committer_options{});
  }

  void put(std::vector<mutation> items, bool is_batch, std::optional<std::string> sight) {
    core->enqueue(mutate_command{
        .items = std::move(items),
        .is_batch = is_batch,
        .in_sight_of = std::move(sight),
        .reply = [this](const result<batch_result>& r) { answers.push_back(told(r)); }});
  }
  void put(mutation m, std::optional<std::string> sight = "ben") {
    put(std::vector<mutation>{std::move(m)}, false, std::move(sight));
  }
  /// Writes what has queued up, in one round; how many entries that made.
  std::size_t entries() {
    const auto round = core->next_round();
    const std::size_t count = round.batch == nullptr ? 0 : round.batch->entries.size();
    if (round.batch != nullptr) {
      REQUIRE(world->journal->append(round.batch->entries, world->ledger->roots().overall));
      REQUIRE(world->journal->sync());
      REQUIRE(apply_to_ledger(*world, round.batch->entries));
      REQUIRE(world->store->apply(round.batch->writes, round.batch->last_seq));
      apply_to_indexes(*world, round.batch->deltas);
      core->complete();
    }
    return count;
  }

  site place;
  std::unique_ptr<mneme::world> world;
  std::shared_ptr<manual_clock> time;
  std::vector<std::string> answers;
  std::optional<committer> core;
};

using told_answers = std::vector<std::string>;

} // namespace

TEST_CASE("in the sight of an actor: what a write names must be seen at its turn") {
  shared_world w;
  // All in one round: the second is asked when the first is made and not yet published.
  w.put(hide(everybodys), {});
  w.put(update_by(everybodys));
  w.put(update_by(his));
  CHECK(w.entries() == 2);
  CHECK(w.answers == told_answers{"ok", "not_found uri", "ok"});
}

TEST_CASE("in the sight of an actor: what is hidden or absent is named by no request") {
  shared_world w;
  const auto before = w.world->ledger->roots().overall;
  constexpr std::uint8_t absent = 9;
  for (const std::uint8_t n : {std::uint8_t{hers}, absent}) {
    tombstone_request ends;
    ends.uri = uri_of_note(n);
    ends.actor = "ben";
    tombstone_request replaced = ends;
    replaced.uri = uri_of_note(his);
    replaced.superseded_by = id_of(n);
    write_request newer = note("newer");
    newer.actor = "ben";
    newer.supersedes = {uri_of_note(n)};
    remove_edge_request remove{
        .src = id_of(n), .type = 3, .dst = id_of(his), .actor = "ben", .reason = {}, .by = {}};
    ingest_request extend = topic_by_ben(ingest_placement::extend_topic);
    extend.topic_id = id_of(n);
    extend.title = "x";
    ingest_request linked = topic_by_ben();
    linked.links.push_back({.topic_id = id_of(n), .kind = {}});
    ingest_request referring = topic_by_ben();
    referring.fields.push_back(field_of(n));
    for (const auto& [m, key] : std::initializer_list<std::pair<mutation, const char*>>{
             {update_by(n), "uri"},
             {hide(n), "uri"},
             {ends, "uri"},
             {replaced, "superseded_by"},
             {newer, "supersedes[0]"},
             {edge_by_ben(n, his), "src"},
             {edge_by_ben(his, n), "dst"},
             {remove, "src"},
             {extend, "topic_id"},
             {linked, "links[0].topic_id"},
             {referring, "fields.a.ref_topic_id"},
             {unarchive_request{.id = id_of(n), .actor = "ben"}, "id"}}) {
      w.answers.clear();
      w.put(m);
      w.put({note("fine", "ben"), m}, true, "ben");
      CHECK(w.entries() == 0);
      const std::string at = key;
      CHECK(w.answers == told_answers{"not_found " + at, "not_found items[1]." + at});
    }
    for (const auto& [chunk, memory, key] :
         {std::tuple(n, std::uint8_t{his}, "chunk"), std::tuple(std::uint8_t{his}, n, "memory")}) {
      w.answers.clear();
      w.core->enqueue(
          promote_command{{id_of(chunk), id_of(memory), "ben"},
                          [&](const result<mutation_result>& r) { w.answers.push_back(told(r)); },
                          {},
                          "ben"});
      CHECK(w.entries() == 0);
      CHECK(w.answers == told_answers{std::string("not_found ") + key});
    }
  }
  CHECK(w.world->ledger->roots().overall == before);
}

TEST_CASE(
    "in the sight of an actor: a batch names what it has made, and no more what it has hidden") {
  shared_world w;
  w.put({note_as(4, "ben"), edge_by_ben(4, his), update_by(4)}, true, "ben");
  w.put({update_by(5), note_as(5, "ben")}, true, "ben");
  w.put({hide(everybodys), update_by(everybodys)}, true, "ben");
  w.put(update_by(everybodys));
  CHECK(w.entries() == 4);
  CHECK(w.answers == told_answers{"ok", "not_found items[0].uri", "not_found items[1].uri", "ok"});
}

TEST_CASE("in the sight of an actor: only a memory of its own supersedes another") {
  shared_world w;
  w.put(edge_by_ben(his, everybodys, edge_type::supersedes));
  w.put(edge_by_ben(everybodys, his, edge_type::supersedes));
  w.put({note("fine", "ben"), edge_by_ben(everybodys, his, edge_type::supersedes)}, true, "ben");
  w.put(edge_by_ben(everybodys, his));
  w.put(edge_by_ben(everybodys, his, edge_type::supersedes), {}); // the host's word
  CHECK(w.entries() == 3);
  CHECK(w.answers
        == told_answers{"ok", "actor_mismatch src", "actor_mismatch items[1].src", "ok", "ok"});

  write_request topic = note_as(6, "ana", visibility::actor_public);
  topic.type = memory_type::topic;
  topic.data.clear();
  topic.data["title"] = "ana's";
  ingest_request extend = topic_by_ben(ingest_placement::extend_topic);
  extend.topic_id = id_of(6);
  extend.links.push_back({.topic_id = id_of(his),
                          .type = static_cast<std::uint8_t>(edge_type::supersedes),
                          .kind = {}});
  w.answers.clear();
  w.put(topic, {});
  w.put(extend);
  CHECK(w.entries() == 1);
  CHECK(w.answers == told_answers{"ok", "actor_mismatch links[0].type"});
}

TEST_CASE("in the sight of an actor: only a memory of its own is superseded, by whatever door") {
  shared_world w;
  write_request newer = note("newer", "ben");
  newer.supersedes = {uri_of_note(everybodys)};
  w.put(newer);
  newer.supersedes = {uri_of_note(his), uri_of_note(everybodys)};
  w.put({note("fine", "ben"), newer}, true, "ben");
  tombstone_request ends;
  ends.uri = uri_of_note(everybodys);
  ends.actor = "ben";
  ends.cause = tombstone_cause::superseded;
  w.put(ends);
  ends.superseded_by = id_of(his);
  w.put(ends);
  ends.cause = tombstone_cause::wrong;
  w.put(ends);
  CHECK(w.entries() == 0);
  CHECK(w.answers
        == told_answers{"actor_mismatch supersedes[0]", "actor_mismatch items[1].supersedes[1]",
                        "actor_mismatch cause", "actor_mismatch superseded_by",
                        "actor_mismatch superseded_by"});
  w.answers.clear();
  newer.supersedes = {uri_of_note(his)};
  w.put(newer); // the memory, a tombstone and an edge
  ends.superseded_by.reset();
  w.put(ends); // that it is wrong everybody may say who sees it
  CHECK(w.entries() == 4);
  newer.supersedes = {uri_of_note(hers)};
  w.put(newer, {}); // the host's word
  CHECK(w.entries() == 3);
  CHECK(w.answers == told_answers{"ok", "ok", "ok"});
}

TEST_CASE("in the sight of an actor: what is seen is restored, and what superseded one's own") {
  shared_world w;
  const auto back = [](std::uint8_t n) { return restore_request{.id = id_of(n), .actor = {}}; };
  tombstone_request ends;
  ends.uri = uri_of_note(everybodys);
  ends.cause = tombstone_cause::wrong;
  w.put(ends);
  w.put(back(everybodys));
  w.put(back(hers));
  write_request newer = note("newer", "ben");
  newer.supersedes = {uri_of_note(his)};
  w.put(newer);
  w.put(back(his)); // and takes the edge back
  CHECK(w.entries() == 7);
  CHECK(w.answers == told_answers{"ok", "ok", "not_found id", "ok", "ok"});
  w.answers.clear();
  newer.actor = "";
  newer.supersedes = {uri_of_note(everybodys)};
  w.put(newer, {}); // the host's word
  w.put(back(everybodys));
  w.put(back(everybodys), "ana");
  w.put(back(everybodys), {});
  CHECK(w.entries() == 5);
  CHECK(w.answers == told_answers{"ok", "actor_mismatch id", "actor_mismatch id", "ok"});
}

TEST_CASE("in the sight of an actor: no sweep is made") {
  shared_world w;
  w.put(revise_request{.actor = "ben"});
  w.put(forget_request{.actor = "ben"});
  w.put(revise_request{.actor = "ben"}, "");
  CHECK(w.entries() == 0);
  CHECK(w.answers == told_answers{"unsupported ", "unsupported ", "ok"});
}

TEST_CASE("in the sight of an actor: a tick is refused whole, by the state at its commit") {
  shared_world w;
  const auto tick = [&](std::vector<mutation> items) {
    tick_command c;
    c.in_sight_of = "ben";
    auto writes = std::make_shared<std::vector<tick_write>>();
    for (auto& m : items) writes->emplace_back(scoped_mutation{std::move(m)});
    c.writes = std::move(writes);
    c.reply = [&](const result<tick_commit>& r) {
      w.answers.push_back(told(r));
      if (r)
        for (const auto& done : r->writes) w.answers.push_back(told(done));
    };
    w.core->enqueue(std::move(c));
  };
  tick({note("one", "ben"), update_by(hers)});
  tick({note_as(4, "ben"), update_by(4)}); // each item stands alone
  CHECK(w.entries() == 0);
  CHECK(w.answers == told_answers{"not_found writes[1].uri", "not_found writes[1].uri"});
  w.answers.clear();
  tick({update_by(his), hide(everybodys), update_by(everybodys, "zoe")});
  CHECK(w.entries() == 2);
  CHECK(w.answers.size() == 4);
  CHECK(std::ranges::count(w.answers, "not_found uri") == 1);
  w.answers.clear();
  tick({update_by(everybodys)});
  CHECK(w.entries() == 0);
  CHECK(w.answers == told_answers{"not_found writes[0].uri"});
}
