// What does not hold now does not rank with what holds now.
// Of: query/search/search_filter.hpp, query/search/search_select.cpp
#include <catch2/catch.hpp>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

timestamp day(std::int64_t n) {
  return {test_start.ns + n * one_day_ns};
}

write_request note_of(std::string statement) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(statement);
  return r;
}

memory_id note_until(search_world& w, std::string statement, timestamp end) {
  write_request r = note_of(std::move(statement));
  r.valid_until = end;
  return w.put(std::move(r));
}

memory_id note_expiring(search_world& w, std::string statement, timestamp end) {
  write_request r = note_of(std::move(statement));
  r.expires_at = end;
  return w.put(std::move(r));
}

search_request asked(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = 0;
  return r;
}

} // namespace

TEST_CASE("search: what has ended is left out and counted, and found with include_ended") {
  search_world w;
  const auto expired = note_expiring(w, "tea at four", day(5));
  const auto ended = note_until(w, "tea at five", day(7));
  const auto lasting = w.note("the tea is served in the garden these days");
  CHECK(w.search("tea").results.size() == 3);
  CHECK(w.search("tea").coverage.memory.ended == 0);

  w.pass(5); // the end itself is no longer valid
  auto found = w.search("tea");
  CHECK(same_ids(found, {ended, lasting}));
  CHECK(found.coverage.memory.ended == 1);
  CHECK(found.coverage.memory.searched == 2);
  w.pass(2);
  found = w.search("tea");
  CHECK(same_ids(found, {lasting}));
  CHECK(found.coverage.memory.ended == 2);

  auto r = asked("tea");
  r.include_ended = true;
  found = w.search(r);
  CHECK(same_ids(found, {expired, ended, lasting}));
  CHECK(found.coverage.memory.ended == 0);
  for (const auto& hit : found.results) CHECK(hit.ended == (hit.uri.id != lasting));
}

TEST_CASE("search: what ends is judged by the request's own now") {
  search_world w;
  const auto ending = note_expiring(w, "tea at four", day(5));
  auto r = asked("tea");
  r.now = day(4);
  CHECK(same_ids(w.search(r), {ending}));
  r.now = day(5);
  CHECK(w.search(r).results.empty());
}

TEST_CASE("search: a new version may begin again, and at_seq shows the version of then") {
  search_world w;
  const auto id = note_expiring(w, "tea at four", day(5));
  const seq_no before = w.target.published();
  w.pass(6);
  CHECK(w.search("tea").results.empty());
  update_request again;
  again.uri = w.uri(id);
  again.data["statement"] = std::string("tea at four");
  REQUIRE(w.target.apply(again));
  CHECK(same_ids(w.search("tea"), {id}));
  auto r = asked("tea");
  r.at_seq = before;
  CHECK(same_ids(w.search(r), {id})); // it had not ended then
  r.now = day(6);
  CHECK(w.search(r).results.empty());
  CHECK(w.search(r).coverage.memory.ended == 1);
}

TEST_CASE("search: as_of searches what was valid then, and nothing that began later") {
  search_world w;
  const auto four = note_until(w, "tea at four", day(10));
  w.pass(10);
  const auto five = w.note("tea at five");
  w.pass(10);
  CHECK(same_ids(w.search("tea"), {five}));
  auto r = asked("tea");
  r.as_of = day(9);
  CHECK(same_ids(w.search(r), {four}));
  CHECK_FALSE(w.search(r).results.front().ended);
  r.as_of = day(10);
  CHECK(same_ids(w.search(r), {five}));
  CHECK(w.search(r).coverage.memory.ended == 1);
  r.include_ended = true;
  CHECK(same_ids(w.search(r), {four, five}));
  r.as_of = timestamp{-1};
  CHECK(w.refusal(r) == errc::bad_time);
}

TEST_CASE("search: without as_of what begins later is found, as find does") {
  search_world w;
  write_request later = note_of("tea at six");
  later.valid_from = day(30);
  const auto id = w.put(later);
  CHECK(same_ids(w.search("tea"), {id}));
  auto r = asked("tea");
  r.as_of = day(29);
  CHECK(w.search(r).results.empty());
  CHECK(w.search(r).coverage.memory.ended == 0);
}

TEST_CASE("search: with as_of, what supersedes or replaces later hides nothing") {
  search_world w;
  const auto old_decision = w.decision("tea at four");
  const auto old_note = w.note("coffee at two");
  w.pass(10);
  const auto new_decision = w.decision("tea at five", old_decision);
  const auto new_note = w.note("coffee at three");
  w.edge(new_note, edge_type::supersedes, old_note);
  CHECK(same_ids(w.search("tea coffee"), {new_decision, new_note}));
  auto r = asked("tea coffee");
  r.as_of = day(9);
  CHECK(same_ids(w.search(r), {old_decision, old_note}));
  r.as_of = day(10);
  CHECK(same_ids(w.search(r), {new_decision, new_note}));
}

TEST_CASE("search: what supersedes goes on hiding when it has ended itself") {
  search_world w;
  const auto older = w.note("coffee at two");
  const auto newer = note_until(w, "coffee at three", day(5));
  w.edge(newer, edge_type::supersedes, older);
  w.pass(6);
  const auto found = w.search("coffee");
  CHECK(found.results.empty());
  CHECK(found.coverage.memory.ended == 1);
}

TEST_CASE("search: chunks end, too") {
  search_world w;
  write_request r;
  r.type = memory_type::chunk;
  r.data["content"] = std::string("tea at four");
  r.data["path"] = std::string("a.md");
  r.expires_at = day(5);
  const auto ending = w.put(r);
  const auto lasting = w.chunk("b.md", "tea in the garden");
  CHECK(same_ids(w.search("tea"), {ending, lasting}));
  w.pass(5);
  const auto found = w.search("tea");
  CHECK(same_ids(found, {lasting}));
  CHECK(found.coverage.content.ended == 1);
}

TEST_CASE("search: an asker is not told of another's that have ended") {
  search_world w;
  write_request r = note_of("tea at four");
  r.actor = "ana";
  r.expires_at = day(5);
  w.put(r);
  w.pass(6);
  auto asked_by = asked("tea");
  asked_by.actor = "bo";
  CHECK(w.search(asked_by).coverage.memory.ended == 0);
  asked_by.actor = "ana";
  CHECK(w.search(asked_by).coverage.memory.ended == 1);
}

TEST_CASE("search: ids are looked up whatever has ended, and say so") {
  search_world w;
  const auto id = note_expiring(w, "tea at four", day(5));
  w.pass(6);
  search_request r;
  r.memory_ids = {id};
  const auto found = w.search(r);
  REQUIRE(found.results.size() == 1);
  CHECK(found.results.front().ended);
}

TEST_CASE("search: few have ended of many that will, and many have") {
  search_world w;
  std::vector<memory_id> ids;
  // More than are looked at one by one, before and after.
  for (int i = 0; i < 300; ++i)
    ids.push_back(note_expiring(w, "tea number " + std::to_string(i), day(1 + i)));
  for (const std::int64_t passed : {3, 100}) {
    w.pass(passed);
    auto r = asked("tea");
    r.limit = 300;
    const auto found = w.search(r);
    const std::int64_t gone = passed == 3 ? 3 : 103;
    CHECK(found.coverage.memory.ended == gone);
    CHECK(same_ids(found, {ids.begin() + gone, ids.end()}));
  }
}
