// Memories by a host's own keys, their payloads, and sweeps of what has expired.
// Of: state/execute/execute_put.cpp, state/execute/execute_sweep.cpp, views/memory_keys.cpp
// Of: query/records/keyed_memory.cpp
#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "mneme/arms.hpp"
#include "mneme/branch.hpp"
#include "mneme/tick.hpp"
#include "tests/actors/facts_site.hpp"
#include "tests/actors/world_at_noon.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::int64_t second = 1'000'000'000;
const memory_key tea{.name_space = "town", .name = "tea"};

write_request said(std::string statement, std::string actor = "ana") {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(statement);
  r.actor = std::move(actor);
  return r;
}

mutation_result done(result<mutation_result> r) {
  if (!r) FAIL(r.error().message << " at " << r.error().at);
  return std::move(*r);
}
errc refused(result<mutation_result> r) {
  REQUIRE_FALSE(r.has_value());
  return r.error().code;
}

memory by_key(engine& e, const memory_key& key, const read_options& options = {}) {
  auto m = e.get_by(key, options);
  if (!m) FAIL(m.error().message);
  return std::move(*m);
}
std::string statement_of(const memory& m) {
  return std::get<std::string>(m.version->data.at("statement"));
}
errc no_key(engine& e, const memory_key& key, const read_options& options = {}) {
  auto m = e.get_by(key, options);
  REQUIRE_FALSE(m.has_value());
  return m.error().code;
}

} // namespace

TEST_CASE("put: makes a memory, then its next versions, and brings back what was tombstoned") {
  engine e = world_of();
  const auto made = done(e.put(tea, said("tea at five")));
  CHECK(made.put == put_outcome::created);
  CHECK(made.uri->version == 1);
  const auto again = done(e.put(tea, said("tea at six")));
  CHECK(again.put == put_outcome::updated);
  CHECK(again.uri->id == made.uri->id);
  CHECK(again.uri->version == 2);
  CHECK(statement_of(by_key(e, tea)) == "tea at six");
  CHECK(statement_of(by_key(e, tea, {.actor = {}, .at_seq = made.seq})) == "tea at five");

  const auto gone = done(e.delete_by(tea, "ana", "over"));
  CHECK(gone.changed);
  CHECK(no_key(e, tea) == errc::tombstoned);
  CHECK_FALSE(done(e.delete_by(tea)).changed);
  CHECK(e.get(made.uri->id)->head->tombstone->reason == "over");
  CHECK(statement_of(by_key(e, tea, {.actor = {}, .at_seq = again.seq})) == "tea at six");

  const auto back = done(e.put(tea, said("tea at seven")));
  CHECK(back.put == put_outcome::revived);
  CHECK(back.uri->id == made.uri->id);
  CHECK(back.uri->version == 3);
  CHECK_FALSE(by_key(e, tea).head->tombstone);
  CHECK(no_key(e, {"town", "coffee"}) == errc::not_found);
  CHECK(no_key(e, {"tow", "ntea"}) == errc::not_found);
  CHECK_FALSE(done(e.delete_by({"town", "coffee"})).uri);
}

TEST_CASE("put: an erased key is free, and gets a new id") {
  engine e = world_of();
  const auto first = done(e.put(tea, said("tea at five")));
  REQUIRE(e.erase({.ids = {first.uri->id}, .reason = "asked for", .by = "ana"}));
  CHECK(no_key(e, tea) == errc::not_found);
  const auto second_one = done(e.put(tea, said("tea at six")));
  CHECK(second_one.put == put_outcome::created);
  CHECK(second_one.uri->id != first.uri->id);
  CHECK(by_key(e, tea).head->id == second_one.uri->id);
  CHECK(no_key(e, tea, {.actor = {}, .at_seq = first.seq}) == errc::not_found);
}

TEST_CASE("put: all that it says is what the memory is, but for what it keeps for good") {
  engine e = world_of();
  write_request rich = said("tea at five");
  rich.tags = {"tea"};
  rich.metadata["cups"] = std::int64_t{2};
  rich.importance = 9;
  rich.visibility = visibility::actor_public;
  rich.payload = R"({"b":1, "a": 2.50})";
  rich.vector = std::vector<float>{1, 0};
  rich.lifecycle.emplace().status = lifecycle_status::archived;
  done(e.put(tea, rich));
  const auto first = by_key(e, tea);
  CHECK(first.version->payload == R"({"b":1, "a": 2.50})");
  CHECK(first.head->key == tea);
  done(e.delete_by(tea));
  done(e.put(tea, said("tea at six", "bo")));
  const auto now = by_key(e, tea);
  CHECK(now.head->tags.empty());
  CHECK(now.head->metadata.empty());
  CHECK(now.head->declared_importance == 5);
  CHECK(now.head->visibility == visibility::private_);
  CHECK_FALSE(now.head->lifecycle);
  CHECK_FALSE(now.head->embedding);
  CHECK(now.version->payload.empty());
  CHECK(now.version->created_by == "bo");
  CHECK(now.head->actor_scope == "ana");
  CHECK(now.head->created_at == first.head->created_at);
}

TEST_CASE("put: versions that are expected, other types, and what a put cannot say") {
  engine e = world_of();
  const auto put_at = [&](std::uint32_t version) {
    return e.apply(put_request{.key = tea, .content = said("x"), .expect_version = version});
  };
  CHECK(refused(put_at(1)) == errc::version_conflict);
  done(put_at(0));
  CHECK(refused(put_at(0)) == errc::version_conflict);
  done(put_at(1));
  CHECK(refused(e.apply(delete_by_request{.key = tea, .expect_version = 1}))
        == errc::version_conflict);
  done(e.apply(delete_by_request{.key = tea, .expect_version = 2}));
  CHECK(refused(put_at(2)) == errc::version_conflict);
  done(put_at(0));

  CHECK(refused(e.put(tea, fact("x"))) == errc::type_data_mismatch);
  write_request topic;
  topic.type = memory_type::topic;
  topic.data["title"] = std::string("x");
  CHECK(refused(e.put(tea, topic)) == errc::bad_value);
  write_request given = said("x");
  given.id = id_of(1);
  CHECK(refused(e.put(tea, given)) == errc::bad_value);
  CHECK(done(e.put({"town", "given"}, given)).uri->id == id_of(1));
  CHECK(done(e.put({"town", "given"}, given)).put == put_outcome::updated);
  CHECK(refused(e.put({"town", "taken"}, given)) == errc::already_exists);
  for (const memory_key& bad :
       {memory_key{"", "k"}, memory_key{"n", ""}, memory_key{"n\n", "k"}, memory_key{" ", "k"},
        memory_key{std::string(513, 'n'), "k"}, memory_key{"n", "\xFF"}})
    CHECK_FALSE(e.put(bad, said("x")));
  done(e.put({std::string(512, 'n'), std::string(512, 'k')}, said("x")));
}

TEST_CASE("put: items of a batch and writes of a tick see each other's keys") {
  engine e = world_of();
  const std::uint64_t before = e.published().value;
  auto batch =
      e.write_batch({put_request{.key = tea, .content = said("one")},
                     put_request{.key = tea, .content = said("two")}, delete_by_request{.key = tea},
                     put_request{.key = tea, .content = said("three")}});
  REQUIRE(batch);
  CHECK(batch->results[0].put == put_outcome::created);
  CHECK(batch->results[1].put == put_outcome::updated);
  CHECK(batch->results[3].put == put_outcome::revived);
  CHECK(batch->results[3].uri->id == batch->results[0].uri->id);
  CHECK(by_key(e, tea).head->current_version == 3);
  CHECK(e.published().value == before + 5);

  auto failed = e.write_batch({put_request{.key = {"town", "new"}, .content = said("one")},
                               put_request{.key = tea, .content = fact("no note")}});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().at == "items[1].type");
  CHECK(no_key(e, {"town", "new"}) == errc::not_found);

  tick_request t;
  t.reads.emplace_back(get_read{.id = {}, .options = {}, .key = tea});
  t.writes.emplace_back(scoped_mutation{put_request{.key = tea, .content = said("four")}});
  t.writes.emplace_back(
      scoped_mutation{put_request{.key = {"town", "cup"}, .content = said("a cup")}});
  auto ticked = e.tick(std::move(t));
  REQUIRE(ticked);
  CHECK(statement_of(std::get<memory_reading>(*ticked->reads[0]).found) == "three");
  CHECK(statement_of(by_key(e, tea)) == "four");
  CHECK(statement_of(by_key(e, {"town", "cup"})) == "a cup");
}

TEST_CASE("put: who sees no such memory is told no more than that the key is taken") {
  engine e = world_of();
  done(e.put(tea, said("hers")));
  CHECK(no_key(e, tea, {.actor = "bo", .at_seq = {}}) == errc::not_found);
  CHECK(statement_of(by_key(e, tea, {.actor = "ana", .at_seq = {}})) == "hers");
  const auto as_bo = [&](mutation m) {
    return e.apply(std::move(m), durability::durable, {}, {}, "bo");
  };
  CHECK(refused(as_bo(put_request{.key = tea, .content = said("his", "bo")}))
        == errc::already_exists);
  CHECK(refused(as_bo(delete_by_request{.key = tea, .actor = "bo"})) == errc::not_found);
  done(as_bo(put_request{.key = {"town", "bo's"}, .content = said("his", "bo")}));
  CHECK(refused(as_bo(sweep_request{})) == errc::unsupported);
}

TEST_CASE("put: a world that is opened again, and its forks, know the keys") {
  const scratch dir;
  memory_id id;
  digest root;
  {
    auto e = engine::open(deterministic(dir.world()));
    REQUIRE(e);
    id = done(e->put(tea, said("tea at five"))).uri->id;
    done(e->put({"town", "cup"}, said("a cup")));
    done(e->put(tea, said("tea at six")));
    REQUIRE(e->checkpoint());
    done(e->delete_by({"town", "cup"}));
    root = e->root()->overall;
    REQUIRE(e->fork_to((dir.path / "fork").string()));
  }
  for (const std::string& world : {dir.world(), (dir.path / "fork").string()}) {
    auto e = engine::open(deterministic(world));
    REQUIRE(e);
    CHECK(e->root()->overall == root);
    CHECK(by_key(*e, tea).head->id == id);
    CHECK(no_key(*e, {"town", "cup"}) == errc::tombstoned);
    CHECK(done(e->put({"town", "cup"}, said("again"))).put == put_outcome::revived);
    CHECK(done(e->put(tea, said("tea at seven"))).uri->version == 3);
  }
}

TEST_CASE("put: an arm knows the keys of its base, and its puts are its own") {
  const scratch dir;
  const auto e = [&] {
    auto opened = engine::open(deterministic(dir.world()));
    REQUIRE(opened);
    return std::make_unique<engine>(std::move(*opened));
  }();
  const auto id = done(e->put(tea, said("tea at five"))).uri->id;
  REQUIRE(e->close());
  auto base = arm_base::open(deterministic(dir.world()));
  REQUIRE(base);
  auto one = base->arm({.seed = 1, .random = {}, .clock = {}});
  auto other = base->arm({.seed = 2, .random = {}, .clock = {}});
  REQUIRE(one);
  REQUIRE(other);
  CHECK(done(one->put(tea, said("tea at six"))).uri->id == id);
  done(other->delete_by(tea));
  CHECK(done(one->put({"town", "cup"}, said("a cup"))).put == put_outcome::created);
  CHECK(statement_of(by_key(*one, tea)) == "tea at six");
  CHECK(no_key(*other, tea) == errc::tombstoned);
  CHECK(no_key(*other, {"town", "cup"}) == errc::not_found);
}

TEST_CASE("put: random puts, deletions and erasures are those of a map") {
  const auto seed = GENERATE(range(1U, 9U));
  std::mt19937 draw(seed);
  const auto below = [&](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(draw);
  };
  engine e = world_of();
  struct known {
    memory_id id;
    std::uint32_t version = 0;
    bool there = true;
    std::string text;
  };
  std::map<memory_key, known> model;
  std::vector<std::pair<seq_no, std::map<memory_key, known>>> past;
  for (int step = 0; step < 120; ++step) {
    const memory_key key{below(2) == 0 ? "a" : "b", std::to_string(below(4))};
    const auto found = model.find(key);
    switch (below(6)) {
    case 0: {
      const auto r = done(e.delete_by(key));
      CHECK(r.changed == (found != model.end() && found->second.there));
      if (found != model.end()) found->second.there = false;
      break;
    }
    case 1:
      if (below(3) == 0 && found != model.end()) {
        REQUIRE(e.erase({.ids = {found->second.id}, .reason = "r", .by = "b"}));
        for (auto& [seq, then] : past)
          if (then.contains(key) && then.at(key).id == found->second.id) then.erase(key);
        model.erase(found);
      }
      break;
    default: {
      const std::string text = "text " + std::to_string(step);
      const auto r = done(e.put(key, said(text)));
      if (found == model.end()) {
        CHECK(r.put == put_outcome::created);
        model[key] = {r.uri->id, 1, true, text};
      } else {
        CHECK(r.put == (found->second.there ? put_outcome::updated : put_outcome::revived));
        CHECK(r.uri->id == found->second.id);
        ++found->second.version;
        found->second.there = true;
        found->second.text = text;
      }
      CHECK(r.uri->version == model[key].version);
    }
    }
    past.emplace_back(e.published(), model);
  }
  for (const auto& [seq, then] : past)
    for (const char* space : {"a", "b"})
      for (int k = 0; k < 4; ++k) {
        const memory_key key{space, std::to_string(k)};
        auto m = e.get_by(key, {.actor = {}, .at_seq = seq});
        const auto known = then.find(key);
        if (known == then.end()) {
          CHECK(m.error().code == errc::not_found);
        } else if (!known->second.there) {
          CHECK(m.error().code == errc::tombstoned);
        } else {
          REQUIRE(m);
          CHECK(m->head->id == known->second.id);
          CHECK(statement_of(*m) == known->second.text);
        }
      }
}

TEST_CASE("payload: given back byte for byte, of each version its own, and found by nothing") {
  engine e = world_of();
  write_request r = said("tea at five");
  r.payload = "{ \"z\" : [1, 1.0, 1e0],\n\t\"a\": \"zeppelin \xC3\xBC\" }";
  const auto uri = *done(e.apply(r)).uri;
  CHECK(e.get(uri.id)->version->payload == r.payload);
  update_request u;
  u.uri = uri;
  u.data["statement"] = std::string("tea at six");
  done(e.apply(u));
  CHECK(e.get(uri.id)->version->payload.empty());
  CHECK(e.resolve(uri)->version->payload == r.payload);
  u.payload = "[]";
  done(e.apply(u));
  update_request span;
  span.uri = uri;
  span.replace = text_replacement{.from = "six", .to = "seven"};
  done(e.apply(span));
  CHECK(e.get(uri.id)->version->payload == "[]");
  CHECK(e.search({.query = "zeppelin"})->results.empty());

  r.payload = std::string(1U << 20, '1');
  CHECK(e.get(done(e.apply(r)).uri->id)->version->payload == r.payload);
  r.payload += '1';
  CHECK(refused(e.apply(r)) == errc::limit_exceeded);
  r.payload = "\xFF";
  CHECK(refused(e.apply(r)) == errc::bad_utf8);
}

TEST_CASE("sweep: tombstones what has expired, the earliest first, and nothing that only ended") {
  const auto clock = noon();
  engine e = world_of(at_noon(clock));
  const auto expiring = [&](std::int64_t in_s) {
    write_request r = said("gone soon");
    r.expires_at = timestamp{clock->now().ns + in_s * second};
    return r;
  };
  const auto late = done(e.put({"cache", "late"}, expiring(30))).uri->id;
  const auto early = done(e.put({"cache", "early"}, expiring(10))).uri->id;
  done(e.put({"cache", "never"}, said("stays")));
  write_request ended = said("ended");
  ended.valid_until = timestamp{clock->now().ns + second};
  const auto only_ended = done(e.apply(ended)).uri->id;
  CHECK_FALSE(done(e.apply(sweep_request{})).changed);
  clock->set(timestamp{clock->now().ns + 30 * second});

  const auto one = done(e.apply(sweep_request{.actor = "keeper", .limit = 1}));
  CHECK(one.swept == std::vector{early});
  CHECK(one.more);
  CHECK(one.changed);
  const auto stone = *e.get(early)->head->tombstone;
  CHECK(stone.cause == tombstone_cause::expired);
  CHECK(stone.by == "keeper");
  CHECK(stone.reason == "expired");
  tick_request t;
  t.writes.emplace_back(scoped_mutation{sweep_request{.reason = "tidy"}});
  auto ticked = e.tick(std::move(t));
  REQUIRE(ticked);
  const auto two = std::get<mutation_result>(*ticked->writes[0]);
  CHECK(two.swept == std::vector{late});
  CHECK_FALSE(two.more);
  CHECK_FALSE(e.get(only_ended)->head->tombstone);

  // What a batch has written itself counts, and a put brings back what a sweep has taken.
  auto batch = e.write_batch({put_request{.key = {"cache", "late"}, .content = expiring(0)},
                              put_request{.key = {"cache", "early"}, .content = said("stays now")},
                              sweep_request{}});
  REQUIRE(batch);
  CHECK(batch->results[2].swept == std::vector{late});
  CHECK(statement_of(by_key(e, {"cache", "early"})) == "stays now");
  CHECK(refused(e.apply(sweep_request{.limit = 0})) == errc::out_of_range);
}
