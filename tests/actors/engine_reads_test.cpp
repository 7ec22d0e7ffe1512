// What reads of the facade see: who asks, as of which seq, and what late binding leaves.
// Of: query/records/point_reads.cpp, actors/end_query.cpp
#include <catch2/catch.hpp>

#include <set>

#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("late binding reinforces exactly what it returned, a plain find moves no root") {
  engine e = opened(deterministic(""));
  for (int i = 0; i < 5; ++i) REQUIRE(e.apply(fact("f" + std::to_string(i))));
  const auto before = *e.root();
  REQUIRE(e.find(by_type(memory_type::fact, 2)));
  CHECK(*e.root() == before);
  find_request late = by_type(memory_type::fact, 2);
  late.late_binding = true;
  auto found = e.find(late);
  REQUIRE(found);
  CHECK(e.root()->state_roots == before.state_roots);
  CHECK(e.published() == before.seq.next());
  std::int64_t counted = 0;
  const auto all = e.find(by_type(memory_type::fact, 10));
  for (const auto& m : all->memories) counted += m.activation.access_count;
  CHECK(counted == 2);
  for (const auto& m : found->memories) CHECK(e.get(m.head->id)->activation.access_count == 1);
}

TEST_CASE("who asks decides what is seen, in every single read") {
  engine e = opened(deterministic(""));
  write_request hidden = fact("secret", "ana");
  write_request open = fact("open", "ana");
  open.visibility = visibility::actor_public;
  const auto a = *e.apply(hidden)->uri;
  const auto b = *e.apply(open)->uri;
  REQUIRE(e.apply(add_edge_request{.src = a.id,
                                   .type = 3,
                                   .dst = b.id,
                                   .actor = {},
                                   .weight = 1,
                                   .kind = {},
                                   .data = {},
                                   .by = {},
                                   .created_at = {}}));
  const read_options bob{.actor = "bob", .at_seq = {}};
  CHECK(e.get(a.id, bob).error().code == errc::not_found);
  CHECK(e.resolve(a, bob).error().code == errc::not_found);
  CHECK(e.get(b.id, bob));
  CHECK(e.get_edge({a.id, edge_type::references, b.id}, bob).error().code == errc::not_found);
  int seen = 0;
  REQUIRE(e.for_each_edge(b.id, edge_direction::both, {}, bob, [&](const edge_record&) {
    ++seen;
    return true;
  }));
  CHECK(seen == 0);
  CHECK(e.prove({.ids = {a.id}, .edges = {}, .fields = {}, .seqs = {}, .root = {}, .actor = "bob"})
            .error()
            .code
        == errc::not_found);
  find_request f = by_type(memory_type::fact);
  f.actor = "bob";
  CHECK(statements(*e.find(f)) == std::set<std::string>{"open"});
}

TEST_CASE("reads at an earlier seq see the past exactly") {
  engine e = opened(deterministic(""));
  const auto uri = *e.apply(fact("one"))->uri;
  const auto root1 = *e.root();
  update_request u;
  u.uri = uri;
  u.data = fact("two").data;
  REQUIRE(e.apply(u));
  const read_options past{.actor = {}, .at_seq = seq_no{1}};
  CHECK(std::get<std::string>(e.get(uri.id, past)->version->data.at("statement")) == "one");
  CHECK(*e.root(seq_no{1}) == root1);
  CHECK(e.get(uri.id, {.actor = {}, .at_seq = seq_no{9}}).error().code == errc::seq_unavailable);
  CHECK(e.root(seq_no{9}).error().code == errc::seq_unavailable);
  find_request f = by_type(memory_type::fact);
  f.at_seq = seq_no{1};
  CHECK(statements(*e.find(f)) == std::set<std::string>{"one"});
  f.at_seq = seq_no{0};
  CHECK(e.find(f)->memories.empty());
}
