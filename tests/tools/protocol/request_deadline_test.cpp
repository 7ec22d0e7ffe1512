// What is late, where the engine does not see to it.
#include "tools/protocol/request_deadline.hpp"

#include <catch2/catch.hpp>

#include "tools/protocol/agent_json.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/chroma_json.hpp"
#include "tools/protocol/search_json.hpp"
#include "tools/protocol/topic_json.hpp"

using namespace mneme;
using namespace mneme::protocol;
using protocol::json;
using protocol::request_deadline;

TEST_CASE("a request is late once its time has passed, and never under a manual clock") {
  auto world = open_in_memory({});
  REQUIRE(world);
  protocol::session timed(*world);
  const request_deadline over(timed, 0); // has passed when it begins
  REQUIRE_FALSE(over.check());
  CHECK(over.check().error().code == errc::deadline_exceeded);
  CHECK(over.in_time(json::object()).error().code == errc::deadline_exceeded);
  const json answer{{"seq", 1}};
  CHECK(request_deadline(timed, std::nullopt).in_time(answer) == answer);
  CHECK(request_deadline(timed, std::int64_t{1} << 60).in_time(answer) == answer);
  manual_clock clock(timestamp{0});
  protocol::session repeated(*world, &clock);
  CHECK(request_deadline(repeated, 0).check());
}

TEST_CASE("a part is late as soon as it or the whole is, both from where the whole began") {
  auto world = open_in_memory({});
  REQUIRE(world);
  protocol::session timed(*world);
  const request_deadline none(timed, std::nullopt);
  CHECK(none.or_sooner(timed, std::nullopt).check());
  CHECK_FALSE(none.or_sooner(timed, 0).check());
  const request_deadline over(timed, 0);
  CHECK_FALSE(over.or_sooner(timed, std::int64_t{1} << 60).check());
  CHECK_FALSE(over.or_sooner(timed, std::nullopt).check());
}

TEST_CASE(
    "the answers of every door are late between their rows, but not those that tell of a change") {
  auto world = open_in_memory({});
  REQUIRE(world);
  protocol::session timed(*world);
  const request_deadline over(timed, 0);
  find_result found;
  retrieve_result retrieved;
  chroma_result coloured;
  search_result hits;
  context_result tiers;
  found.memories.resize(1);
  retrieved.candidates.resize(1);
  coloured.rows.resize(1);
  hits.results.resize(1);
  tiers.outcomes.resize(1);
  CHECK(find_json(found, over, json::object()).error().code == errc::deadline_exceeded);
  CHECK(retrieve_json(retrieved, over).error().code == errc::deadline_exceeded);
  CHECK(chroma_json(coloured, over).error().code == errc::deadline_exceeded);
  CHECK(search_json(hits, over).error().code == errc::deadline_exceeded);
  CHECK(context_json(tiers, over).error().code == errc::deadline_exceeded);
  CHECK(find_json(found, {}, json::object()));

  found.seq = retrieved.seq = coloured.seq = seq_no{1};
  CHECK(find_json(found, over, json::object()));
  CHECK(retrieve_json(retrieved, over));
  CHECK(chroma_json(coloured, over));
}
