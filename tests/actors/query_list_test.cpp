// A list of queries: however many readers run it, what it answers and leaves is the same.
// Of: actors/inline_query.cpp, actors/reader_actor.cpp, query/query_run.cpp
#include <catch2/catch.hpp>

#include "query/list_deadline.hpp"
#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// What a list of touching finds answers and leaves in the journal.
std::string list_with_readers(std::size_t readers, query_driver driver) {
  engine_options o;
  o.seed = 7;
  o.embedder_spec = "none";
  o.clock = std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000});
  o.exact_near = true;
  o.commit = commit_mode::per_request;
  o.readers = readers;
  o.queries = driver;
  auto e = opened(std::move(o));
  for (int i = 0; i < 30; ++i) REQUIRE(e.apply(fact("fact " + std::to_string(i))));
  std::vector<find_request> list;
  for (int i = 0; i < 40; ++i) {
    find_request f;
    f.types = {memory_type::fact};
    f.limit = 1 + i % 7;
    f.late_binding = i % 3 != 0;
    list.push_back(f);
  }
  list[11].types.clear(); // refused alone
  list[11].limit.reset();
  list[12].at_seq = seq_no{5};
  std::string seen;
  for (const auto& r : e.find_many(list)) {
    if (!r) {
      seen += std::string(to_string(r.error().code)) + "\n";
      continue;
    }
    seen += std::to_string(r->at_seq.value) + " " + std::to_string(r->seq ? r->seq->value : 0);
    for (const auto& m : r->memories) seen += " " + to_string(m.head->id);
    seen += "\n";
  }
  const auto journal = e.journal(seq_no{1}, 1000);
  REQUIRE(journal);
  for (const auto& item : *journal) seen += to_hex(item.payload_hash) + "\n";
  REQUIRE(e.close());
  return seen;
}

} // namespace

TEST_CASE("the deadlines of a list count from its start") {
  find_request r;
  CHECK(shorten_deadline(r, 5'000'000'000));
  CHECK_FALSE(r.deadline_ms);
  r.deadline_ms = 10;
  CHECK(shorten_deadline(r, 3'999'999));
  CHECK(r.deadline_ms == 7);
  const auto late = shorten_deadline(r, 7'000'000);
  REQUIRE_FALSE(late);
  CHECK(late.error().code == errc::deadline_exceeded);
  CHECK(late.error().at == "deadline_ms");
  r.deadline_ms = -1; // refused by find itself
  CHECK(shorten_deadline(r, 7'000'000));
}

TEST_CASE("a list of queries gives the same answers and journal with 1 or N readers") {
  const std::string one = list_with_readers(1, query_driver::caller);
  CHECK(one.find("unbounded") != std::string::npos);
  CHECK(list_with_readers(2, query_driver::caller) == one);
  CHECK(list_with_readers(5, query_driver::caller) == one);
  CHECK(list_with_readers(3, query_driver::coordinator) == one);
}

TEST_CASE("an engine has as many readers as its options say, or as the machine has cores") {
  for (const std::size_t readers : {0U, 1U, 3U}) {
    engine_options o;
    o.embedder_spec = "none";
    o.readers = readers;
    auto e = opened(std::move(o));
    REQUIRE(e.apply(fact("x")));
    std::vector<find_request> list(10);
    for (auto& f : list) {
      f.types = {memory_type::fact};
      f.limit = 1;
      f.deadline_ms = 1'000'000;
    }
    for (const auto& r : e.find_many(list)) CHECK(r->memories.size() == 1);
    CHECK(e.close());
  }
}
