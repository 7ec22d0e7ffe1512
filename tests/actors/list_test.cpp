// What there is: pages, histories, names, entries by time, and finds that nothing narrows.
// Of: query/records/list_reads.cpp, query/records/history_reads.cpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "tests/actors/world_at_noon.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::int64_t one_second = 1'000'000'000;

list_result page(engine& e, list_request r = {}) {
  auto found = e.list(std::move(r));
  if (!found) FAIL(found.error().message << " at " << found.error().at);
  return std::move(*found);
}

std::vector<memory_id> ids_of(const std::vector<memory>& memories) {
  std::vector<memory_id> ids;
  for (const auto& m : memories) ids.push_back(m.head->id);
  return ids;
}

write_request a_note(std::string statement, std::string actor = "ana") {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(statement);
  r.actor = std::move(actor);
  return r;
}

} // namespace

TEST_CASE("list: pages of random worlds are those of a sorted list") {
  const auto seed = GENERATE(range(1U, 7U));
  std::mt19937 draw(seed);
  const auto below = [&](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(draw);
  };
  const auto clock = noon();
  engine e = world_of(at_noon(clock));
  std::vector<memory_id> all;
  for (int i = 0; i < 60; ++i) {
    write_request r = a_note("text " + std::to_string(i), below(2) == 0 ? "ana" : "bo");
    r.visibility = below(2) == 0 ? visibility::actor_public : visibility::private_;
    if (below(3) == 0) r.type = memory_type::blocker;
    if (below(5) == 0) r.expires_at = timestamp{clock->now().ns + one_second};
    if (below(6) == 0) r.lifecycle.emplace().status = lifecycle_status::archived;
    result<mutation_result> done =
        below(3) == 0 ? e.put({below(2) == 0 ? "a" : "b", std::to_string(i)}, std::move(r))
                      : e.apply(std::move(r));
    REQUIRE(done);
    all.push_back(done->uri->id);
    if (below(6) == 0) {
      const memory_id old = all[below(static_cast<unsigned>(all.size()))];
      auto m = e.get(old);
      tombstone_request gone;
      gone.uri = {m->head->type, old, 1};
      if (below(2) == 0) gone.cause = tombstone_cause::superseded;
      REQUIRE(e.apply(gone));
    }
    // Ticks of the clock that stand still, and some that go back.
    clock->set(timestamp{clock->now().ns + (static_cast<std::int64_t>(below(4)) - 1) * one_second});
  }
  for (int asked = 0; asked < 40; ++asked) {
    list_request r;
    r.limit = 1 + below(9);
    if (below(3) == 0) r.types = {memory_type::note};
    if (below(3) == 0) r.owner = "ana";
    if (below(3) == 0) r.name_space = "a";
    if (below(2) == 0) r.actor = "bo";
    if (below(3) == 0) r.at_seq = seq_no{1 + below(static_cast<unsigned>(e.published().value))};
    r.include_tombstoned = below(2) == 0;
    r.include_archived = below(2) == 0;
    r.include_ended = below(2) == 0;
    const auto journal = e.journal(r.at_seq.value_or(seq_no{1}), 1);
    const timestamp now = r.at_seq ? journal->front().created_at : clock->now();
    std::vector<std::pair<timestamp, memory_id>> expected;
    for (const auto& id : all) {
      auto m = e.get(id, {.actor = r.actor, .at_seq = r.at_seq});
      if (!m) continue;
      const head& h = m->head;
      const bool is_archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived;
      const bool has_ended = m->version->expires_at && *m->version->expires_at <= now;
      const bool held_once = !h.tombstone || h.tombstone->cause == tombstone_cause::superseded;
      const bool is_gone = h.tombstone && r.include_tombstoned;
      if (!is_gone && !held_once) continue;
      if (!is_gone && has_ended && !r.include_ended) continue;
      if (!is_gone && h.tombstone && !r.include_ended && !r.include_archived) continue;
      if (is_archived && !r.include_archived) continue;
      if (!r.types.empty() && h.type != memory_type::note) continue;
      if (r.owner && h.actor_scope != "ana") continue;
      if (r.name_space && (!h.key || h.key->name_space != "a")) continue;
      expected.emplace_back(h.created_at, id);
    }
    std::ranges::sort(expected, std::greater());
    std::vector<memory_id> wanted;
    for (const auto& [at, id] : expected) wanted.push_back(id);
    std::vector<memory_id> got;
    do {
      const auto one = page(e, r);
      CHECK(std::ssize(one.memories) <= r.limit);
      const auto ids = ids_of(one.memories);
      got.insert(got.end(), ids.begin(), ids.end());
      r.cursor = one.next;
    } while (!r.cursor.empty());
    CHECK(got == wanted);
  }
}

TEST_CASE("list: what is written between two pages shifts neither, and what is wrong is refused") {
  engine e = world_of();
  CHECK(page(e).memories.empty());
  for (std::uint8_t n = 1; n <= 5; ++n) put(e, note_by(n));
  const auto first = page(e, {.limit = 2});
  CHECK(ids_of(first.memories) == std::vector{id_of(5), id_of(4)});
  put(e, note_by(9));
  CHECK(ids_of(page(e, {.limit = 3, .cursor = first.next}).memories)
        == std::vector{id_of(3), id_of(2), id_of(1)});
  CHECK(page(e, {.limit = 3, .cursor = first.next}).next.empty());
  CHECK(e.list({.limit = 0}).error().at == "limit");
  for (const char* bad : {"x", "1", "1.", "1.x", ".01HZZZZZZZZZZZZZZZZZZZZZZ1"})
    CHECK(e.list({.cursor = bad}).error().at == "cursor");
  CHECK(e.list({.at_seq = seq_no{99}}).error().code == errc::seq_unavailable);
}

TEST_CASE("history: every version, newest first, with what it changed") {
  engine e = world_of();
  write_request r = a_note("tea at five");
  r.payload = "1";
  const auto id = e.put({"town", "tea"}, r)->uri->id;
  r = a_note("tea at six", "bo");
  r.expires_at = timestamp{noon()->now().ns + one_second};
  REQUIRE(e.put({"town", "tea"}, r));
  REQUIRE(e.put({"town", "tea"}, r));
  auto all = e.history({.id = id});
  REQUIRE(all);
  REQUIRE(all->versions.size() == 3);
  CHECK(all->head.current_version == 3);
  CHECK(all->versions[0].changes.empty());
  CHECK(all->versions[1].changes
        == std::vector<version_change>{{"created_by", "ana", "bo"},
                                       {"data.statement", "tea at five", "tea at six"},
                                       {"expires_at", {}, "2000-01-01T00:00:01Z"},
                                       {"payload", "1", {}}});
  CHECK(all->versions[2].version.number == 1);
  CHECK(all->versions[2].changes.empty());

  const auto numbers = [&](const history_request& asked) {
    std::vector<std::uint32_t> found;
    auto some = e.history(asked);
    if (!some) FAIL(some.error().message);
    for (const auto& v : some->versions) found.push_back(v.version.number);
    return found;
  };
  const memory_key key{"town", "tea"};
  CHECK(numbers({.id = {}, .key = key, .limit = 2}) == std::vector<std::uint32_t>{3, 2});
  CHECK(numbers({.id = {}, .key = key, .limit = 1, .before = 3}) == std::vector<std::uint32_t>{2});
  CHECK(numbers({.id = {}, .key = key, .before = 1}).empty());
  CHECK(numbers({.id = id, .at_seq = seq_no{2}}) == std::vector<std::uint32_t>{2, 1});
  REQUIRE(e.delete_by(key));
  CHECK(numbers({.id = {}, .key = key}) == std::vector<std::uint32_t>{3, 2, 1});
  CHECK(e.history({.id = id, .actor = "cleo"}).error().code == errc::not_found);
  CHECK(e.history({.id = {}, .key = key, .actor = "cleo"}).error().code == errc::not_found);
  CHECK(e.history({.id = id, .limit = 0}).error().at == "limit");
}

TEST_CASE("namespaces and actors: live memories, as far as the asker sees, at any seq") {
  engine e = world_of();
  const auto put_by = [&](const char* space, const char* name, const char* actor, bool is_public) {
    write_request r = a_note("x", actor);
    if (is_public) r.visibility = visibility::actor_public;
    REQUIRE(e.put({space, name}, r));
  };
  put_by("town", "a", "ana", true);
  put_by("town", "b", "bo", false);
  put_by("harbour", "a", "bo", true);
  put_by("gone", "a", "bo", true);
  const seq_no before = e.published();
  REQUIRE(e.delete_by({"gone", "a"}));
  using counts = std::vector<name_count>;
  CHECK(*e.namespaces() == counts{{"harbour", 1}, {"town", 2}});
  CHECK(*e.namespaces({.actor = "ana", .at_seq = {}}) == counts{{"harbour", 1}, {"town", 1}});
  CHECK(*e.namespaces({.actor = {}, .at_seq = before})
        == counts{{"gone", 1}, {"harbour", 1}, {"town", 2}});
  CHECK(*e.actors() == counts{{"ana", 1}, {"bo", 2}});
  CHECK(*e.actors({.actor = {}, .at_seq = before}) == counts{{"ana", 1}, {"bo", 3}});
}

TEST_CASE("seq_at: the last entry at or before a time, also where the clock went back") {
  const auto clock = noon();
  engine e = world_of(at_noon(clock));
  const std::int64_t start = clock->now().ns;
  const auto at = [&](std::int64_t s) {
    return e.seq_at(timestamp{start + s * one_second})->value;
  };
  CHECK(at(0) == 0);
  for (const std::int64_t s : {0, 10, 10, 5, 20}) {
    clock->set(timestamp{start + s * one_second});
    REQUIRE(e.apply(a_note("x")));
  }
  CHECK(at(-1) == 0);
  CHECK(at(0) == 1);
  CHECK(at(4) == 1);
  CHECK(at(5) == 4);
  CHECK(at(10) == 4);
  CHECK(at(19) == 4);
  CHECK(at(20) == 5);
  CHECK(at(99) == 5);
  CHECK(e.seq_at(timestamp{-1}).error().code == errc::bad_time);
}

TEST_CASE("find: predicates alone, or nothing at all, with a limit; in the order of ids") {
  engine e = world_of();
  for (std::uint8_t n = 1; n <= 9; ++n) {
    auto r = note_by(n, n % 2 == 0 ? "even" : "odd");
    if (n > 6) r.type = memory_type::blocker;
    if (n % 3 == 0) r.id.reset();
    REQUIRE((n % 3 == 0 ? e.put({"threes", std::to_string(n)}, r) : e.apply(r)).has_value());
  }
  find_request r;
  r.limit = 4;
  r.order = {{order_field::head_id, true}};
  auto newest = e.find(r);
  REQUIRE(newest);
  REQUIRE(newest->memories.size() == 4);
  CHECK(std::ranges::is_sorted(ids_of(newest->memories), std::greater()));
  r.order = {{order_field::head_created_at, false}, {order_field::head_id, false}};
  r.limit = 100;
  CHECK(std::ranges::is_sorted(ids_of(e.find(r)->memories)));
  CHECK(e.find(r)->memories.size() == 9);
  r.where = predicate{compare_predicate{comparison::eq, "data.statement", std::string("even")}};
  CHECK(e.find(r)->memories.size() == 4);
  r.limit.reset();
  r.budget_tokens = 100;
  CHECK(e.find(r).error().code == errc::too_broad);
  r.where = predicate{compare_predicate{comparison::eq, "head.namespace", std::string("threes")}};
  r.explain = true;
  auto threes = e.find(r);
  REQUIRE(threes);
  CHECK(threes->memories.size() == 3);
  CHECK(threes->plan->driver == "tags");
  CHECK(threes->candidates_scanned == 3);
  r.where = predicate{compare_predicate{comparison::eq, "head.key", std::string("6")}};
  r.limit = 9;
  CHECK(e.find(r)->memories.size() == 1);
}
