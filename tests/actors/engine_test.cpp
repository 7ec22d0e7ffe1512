// The blocking facade as a host uses it: write, ask, prove, close, reopen, take over an export.
// Of: query/records/whole_world.cpp, actors/attributes_actor.cpp, actors/graph_actor.cpp
// Of: actors/ledger_actor.cpp, actors/lexical_actor.cpp
// Of: actors/store_actor.cpp, actors/vectors_actor.cpp, state/execute/execute_put_record.cpp
#include <catch2/catch.hpp>

#include <set>

#include "messages/hash.hpp"
#include "mneme/arms.hpp"
#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("write, find, prove, close and reopen on disk") {
  scratch s;
  root_set root;
  memory_id id;
  {
    engine e = opened(deterministic(s.world()));
    auto first = e.apply(fact("rain tomorrow"));
    REQUIRE(first);
    id = first->uri->id;
    REQUIRE(e.apply(fact("sun today")));
    auto found = e.find(by_type(memory_type::fact));
    REQUIRE(found);
    CHECK(statements(*found) == std::set<std::string>{"rain tomorrow", "sun today"});
    find_request near = by_type(memory_type::fact, 1);
    near.near = "will it rain tomorrow";
    CHECK(statements(*e.find(near)) == std::set<std::string>{"rain tomorrow"});
    root = *e.root();
    REQUIRE(e.close());
    CHECK(e.get(id).error().code == errc::shutdown);
    CHECK(e.apply(fact("late")).error().code == errc::shutdown);
    CHECK(e.close().error().code == errc::shutdown);
  }
  engine e = opened(deterministic(s.world()));
  CHECK(*e.root() == root);
  CHECK(e.opened().replayed_entries == 2);
  CHECK(e.get(id)->head->id == id);
  auto bundle = e.prove(
      {.ids = {id}, .edges = {}, .fields = {}, .seqs = {{1}, {2}}, .root = {}, .actor = {}});
  REQUIRE(bundle);
  CHECK(verify(*bundle));
  CHECK(bundle->states[0].proof.value_hash == sha256_of(*e.raw_head(id)));
  bundle->states[0].proof.value_hash->bytes[0] ^= 1;
  CHECK_FALSE(verify(*bundle));
}

TEST_CASE("an engine that was moved from answers as behind close, at every door") {
  engine_options o;
  o.embedder_spec = "hash:64";
  engine first = opened(o);
  const auto id = first.apply(fact("rain tomorrow"))->uri->id;
  engine e = std::move(first);
  CHECK(e.get(id));
  // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): that is what is shown
  const auto is_shut = [](const auto& answer) { return answer.error().code == errc::shutdown; };
  CHECK(is_shut(first.apply(fact("late"))));
  CHECK(is_shut(first.get(id)));
  CHECK(is_shut(first.find(by_type(memory_type::fact))));
  CHECK(is_shut(first.search({.query = "rain"})));
  CHECK(is_shut(first.find_many({by_type(memory_type::fact)}).front()));
  select_request words;
  words.words = "forget rain";
  CHECK(is_shut(first.select(words)));
  CHECK(is_shut(first.changes({})));
  CHECK(is_shut(first.root()));
  CHECK(is_shut(first.stats()));
  CHECK(is_shut(first.checkpoint()));
  CHECK(is_shut(first.erase({})));
  CHECK(is_shut(first.trim({})));
  CHECK(is_shut(arm_base::of(first)));
  CHECK(is_shut(first.close()));
  CHECK(first.published() == seq_no{});
  CHECK(first.now() == timestamp{});
  CHECK_FALSE(first.position().has_value());
  first.stop_waiting();
  first = std::move(e);
  CHECK(first.get(id));
  CHECK(is_shut(e.get(id)));
  // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
}

TEST_CASE("the same requests give the same root and journal, in memory and on disk") {
  const auto run = [](std::string directory) {
    engine e = opened(deterministic(std::move(directory), 7));
    const auto a = e.apply(fact("a"))->uri->id;
    const auto b = e.apply(fact("b"))->uri->id;
    (void)e.apply(add_edge_request{.src = a,
                                   .type = 1,
                                   .dst = b,
                                   .actor = {},
                                   .weight = 1,
                                   .kind = {},
                                   .data = {},
                                   .by = {},
                                   .created_at = {}});
    find_request late = by_type(memory_type::fact);
    late.late_binding = true;
    REQUIRE(e.find(late)->seq == seq_no{4});
    std::vector<std::string> headers;
    const auto items = e.journal({1}, 100);
    REQUIRE(items);
    for (const auto& item : *items) headers.push_back(item.header);
    return std::pair(e.root()->overall, headers);
  };
  scratch s;
  CHECK(run("") == run(s.world()));
}

TEST_CASE("an export restores to the same heads, versions and edges") {
  engine a = opened(deterministic("", 1));
  const auto one = *a.apply(fact("one"))->uri;
  const auto two = *a.apply(fact("two"))->uri;
  update_request u;
  u.uri = one;
  u.data = fact("one again").data;
  REQUIRE(a.apply(u));
  REQUIRE(a.apply(add_edge_request{.src = one.id,
                                   .type = 1,
                                   .dst = two.id,
                                   .actor = {},
                                   .weight = 0.5F,
                                   .kind = "k",
                                   .data = "d",
                                   .by = {},
                                   .created_at = {}}));
  engine b = opened(deterministic("", 2));
  REQUIRE(a.for_each_memory([&](const memory_record& m) {
    for (const auto& v : m.versions) {
      put_record_request r{.head = m.head, .version = v, .vector = {}};
      r.head.current_version = v.number;
      r.head.version_hash = v.hash;
      if (v.number == m.head.current_version) r.vector = m.vector;
      REQUIRE(b.apply(r));
    }
    return true;
  }));
  REQUIRE(a.for_each_edge_record([&](const edge_record& e) {
    REQUIRE(b.apply(put_edge_record_request{e}));
    CHECK_FALSE(b.apply(put_edge_record_request{e})->changed);
    return true;
  }));
  CHECK(b.root()->state_roots == a.root()->state_roots);
  CHECK(b.get(one.id)->version == a.get(one.id)->version);
}
