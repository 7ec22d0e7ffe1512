// What does not hold is left out by every door that ranks, by one rule, with one flag to get it.
// Of: views/current_memories.hpp, query/context/context_tiers.cpp, query/retrieve/retrieve.cpp
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

using some = std::vector<memory_id>;

some by_id(some ids) {
  std::ranges::sort(ids);
  return ids;
}

/// How each door is asked: the flag, a seq, and by when.
struct asked_by {
  bool include_ended = false;
  std::optional<seq_no> at_seq{};
  std::optional<std::string> actor{};
};

class many_doors : public search_world {
public:
  many_doors() : search_world("", "hash") {}

  memory_id topic(std::string title, std::string actor = {}) {
    write_request r;
    r.type = memory_type::topic;
    r.data["title"] = std::move(title);
    r.actor = std::move(actor);
    r.visibility = visibility::actor_public;
    return put(std::move(r));
  }
  /// Ends after so many days.
  memory_id topic_for(std::string title, std::int64_t days) {
    write_request r;
    r.type = memory_type::topic;
    r.data["title"] = std::move(title);
    r.expires_at = timestamp{test_start.ns + days * one_day_ns};
    return put(std::move(r));
  }

  some found_near(const asked_by& how) {
    find_request r;
    r.types = {memory_type::topic};
    r.near = "tea house";
    r.limit = 20;
    return found(r, how);
  }
  some found_by_type(const asked_by& how) {
    find_request r;
    r.types = {memory_type::topic};
    r.limit = 20;
    return found(r, how);
  }
  some searched(const asked_by& how) {
    search_request r;
    r.query = "tea house";
    r.similarity_floor = 0;
    r.include_ended = how.include_ended;
    r.at_seq = how.at_seq;
    r.actor = how.actor;
    return by_id(ids_of(search(r)));
  }
  some retrieved(const asked_by& how, std::optional<some> only = {}) {
    retrieve_request r;
    r.q = "tea house";
    r.top_k = 20;
    r.topic_ids = std::move(only);
    r.include_ended = how.include_ended;
    r.at_seq = how.at_seq;
    r.actor = how.actor;
    r.touch = false;
    auto answer = target.retrieve(r);
    REQUIRE(answer);
    some ids;
    for (const auto& c : answer->candidates) ids.push_back(c.topic_id);
    return by_id(std::move(ids));
  }
  /// Of a context without a question, or with one.
  some in_context(const asked_by& how, std::optional<std::string> query = {}) {
    context_request r;
    r.query = std::move(query);
    r.include_ended = how.include_ended;
    r.at_seq = how.at_seq;
    r.actor = how.actor;
    auto answer = target.context(r);
    REQUIRE(answer);
    some ids;
    for (const auto* tier : {&answer->pinned, &answer->found, &answer->notable})
      for (const auto& i : *tier) ids.push_back(i.uri.id);
    return by_id(std::move(ids));
  }
  void check_doors(const asked_by& how, const some& expected) {
    const some all = by_id(expected);
    CHECK(found_near(how) == all);
    CHECK(found_by_type(how) == all);
    CHECK(searched(how) == all);
    CHECK(retrieved(how) == all);
    CHECK(in_context(how) == all);
    // Of what is found a context shows what is not far behind the best.
    const some asked = in_context(how, "tea house");
    CHECK_FALSE(asked.empty());
    CHECK(std::ranges::includes(all, asked));
  }

private:
  some found(find_request r, const asked_by& how) {
    r.include_ended = how.include_ended;
    r.at_seq = how.at_seq;
    r.actor = how.actor;
    auto answer = target.find(r);
    REQUIRE(answer);
    some ids;
    for (const auto& m : answer->memories) ids.push_back(m.head->id);
    return by_id(std::move(ids));
  }
};

} // namespace

TEST_CASE("no door ranks what has ended, or is superseded, unless it is asked for") {
  many_doors w;
  const auto old = w.topic("tea house of old");
  const auto ending = w.topic_for("tea house for a week", 7);
  const auto lasting = w.topic("tea house that lasts");
  w.check_doors({}, {old, ending, lasting});
  const seq_no before = w.target.published();
  w.pass(7);
  w.check_doors({}, {old, lasting});
  const auto fresh = w.topic("tea house of today");
  w.edge(fresh, edge_type::supersedes, old);
  w.check_doors({}, {lasting, fresh});
  w.check_doors({.include_ended = true}, {old, ending, lasting, fresh});
  w.check_doors({.at_seq = before}, {old, ending, lasting});
  // Who names a topic wants it as it is.
  CHECK(w.retrieved({}, some{old, ending}) == by_id({old, ending}));
  const auto decided = w.decision("no tea house lasts", lasting);
  for (const bool asks : {false, true}) {
    const auto in = [&](const some& ids) { return std::ranges::binary_search(ids, lasting); };
    const asked_by how{.include_ended = asks};
    CHECK(in(w.found_near(how)) == asks);
    CHECK(in(w.searched(how)) == asks);
    CHECK(in(w.retrieved(how)) == asks);
    CHECK(in(w.in_context(how)) == asks);
  }
  w.tombstone(decided);
  w.check_doors({}, {lasting, fresh});
}

TEST_CASE(
    "nobody's memory takes another's out of any door, and nobody is hidden by what he sees not") {
  many_doors w;
  const auto anas = w.topic("tea house of ana", "ana");
  const auto bens = w.topic("tea house of ben", "ben");
  w.edge(bens, edge_type::supersedes, anas);
  w.check_doors({}, {anas, bens});
  write_request hidden;
  hidden.type = memory_type::topic;
  hidden.data["title"] = std::string("tea house of the host");
  const auto hosts = w.put(hidden);
  w.edge(hosts, edge_type::supersedes, bens);
  w.check_doors({}, {anas, hosts});
  const asked_by ben{.actor = "ben"};
  CHECK(w.found_near(ben) == by_id({anas, bens}));
  CHECK(w.retrieved(ben) == by_id({anas, bens}));
  CHECK(w.in_context(ben) == by_id({anas, bens}));
}

TEST_CASE("what was tombstoned as superseded held once; what was for another cause is gone") {
  many_doors w;
  const auto old = w.topic("tea house of old");
  const auto wrong = w.topic("tea house that never was");
  const auto fresh = w.topic("tea house of today");
  const seq_no before = w.target.published();
  w.pass(3);
  w.tombstone(old, tombstone_cause::superseded);
  w.tombstone(wrong, tombstone_cause::wrong);
  w.check_doors({}, {fresh});
  w.check_doors({.include_ended = true}, {old, fresh});
  w.check_doors({.at_seq = before}, {old, wrong, fresh});
  // What is named is what is there.
  CHECK(w.retrieved({}, some{old, fresh}) == some{fresh});
  CHECK(w.retrieved({.include_ended = true}, some{old, wrong}) == some{old});

  search_request r;
  r.query = "tea house";
  r.similarity_floor = 0;
  const search_result now = w.search(r);
  CHECK(now.coverage.memory.superseded == 1);
  CHECK(now.coverage.memory.searched == 1);
  r.as_of = timestamp{test_start.ns + one_day_ns};
  const search_result then = w.search(r);
  CHECK(by_id(ids_of(then)) == by_id({old, fresh}));
  CHECK(std::ranges::none_of(then.results, &search_hit::superseded));
  r.as_of = std::nullopt;
  r.include_ended = true;
  const search_result both = w.search(r);
  CHECK(both.coverage.memory.superseded == 0);
  for (const search_hit& hit : both.results) CHECK(hit.superseded == (hit.uri.id == old));

  find_request f;
  f.types = {memory_type::topic};
  f.as_of = timestamp{test_start.ns + one_day_ns};
  f.limit = 10;
  auto found = w.target.find(f);
  REQUIRE(found);
  CHECK(found->memories.size() == 2);
}

TEST_CASE("what was superseded itself goes on hiding what it superseded") {
  many_doors w;
  const auto first = w.topic("tea house at four");
  const auto second = w.topic("tea house at five");
  w.edge(second, edge_type::supersedes, first);
  const auto third = w.topic("tea house at six");
  w.edge(third, edge_type::supersedes, second);
  w.tombstone(second, tombstone_cause::superseded);
  w.check_doors({}, {third});
  w.check_doors({.include_ended = true}, {first, second, third});
}

TEST_CASE("what is pinned or framed holds, too, and by the request's own now") {
  many_doors w;
  write_request r;
  r.type = memory_type::constraint;
  r.data["statement"] = std::string("no guests after ten");
  r.data["strength"] = std::string("hard");
  r.data["source"] = std::string("learned");
  r.valid_until = timestamp{test_start.ns + 5 * one_day_ns};
  const auto rule = w.put(r);
  CHECK(w.in_context({}) == some{rule});
  context_request asked;
  asked.now = timestamp{test_start.ns + 5 * one_day_ns};
  CHECK(w.target.context(asked)->pinned.empty());
  asked.include_ended = true;
  CHECK(w.target.context(asked)->pinned.size() == 1);
  w.pass(5);
  CHECK(w.in_context({}).empty());
}

TEST_CASE("chunks are superseded, too") {
  many_doors w;
  const auto old = w.chunk("a.md", "the tea house opens at nine");
  const auto fresh = w.chunk("b.md", "the tea house opens at ten");
  w.edge(fresh, edge_type::supersedes, old);
  CHECK(w.searched({}) == some{fresh});
  CHECK(w.search("tea house").coverage.content.superseded == 1);
  CHECK(w.searched({.include_ended = true}) == by_id({old, fresh}));
}

TEST_CASE("a context without a question is of what was imported, not of the import") {
  many_doors w;
  some notes;
  for (const char* text : {"tea is served at four", "the pier is closed", "Bo likes boats"})
    notes.push_back(w.note(text));
  w.pass(300);
  // Newer, and more of them than a small budget has looked at.
  for (int i = 0; i < 90; ++i) {
    write_request r;
    r.type = memory_type::topic;
    r.data["title"] = "of session " + std::to_string(i);
    r.tags = {"import:overview"};
    w.put(std::move(r));
  }
  for (const std::int64_t budget : {12, 30, 60, 400}) {
    context_request r;
    r.budget_tokens = budget;
    const auto answer = w.target.context(r);
    REQUIRE(answer);
    REQUIRE_FALSE(answer->notable.empty());
    some first;
    for (const auto& item : answer->notable)
      if (first.size() < notes.size()) first.push_back(item.uri.id);
    for (const auto& id : first) CHECK(std::ranges::count(notes, id) == 1);
    CHECK(answer->more + std::ssize(answer->notable) == 93);
  }
}
