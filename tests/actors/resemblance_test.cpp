// What a write names of what was there before.
// Of: query/records/resemblance.cpp
#include <catch2/catch.hpp>

#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

engine comparing_world(const std::string& embedder) {
  engine_options o;
  o.embedder_spec = embedder;
  o.seed = 1;
  o.exact_near = true;
  return opened(std::move(o));
}

write_request note_of(std::uint8_t id, std::string text, std::string actor = "ana") {
  write_request w;
  w.type = memory_type::note;
  w.id = id_of(id);
  w.data["statement"] = std::move(text);
  w.actor = std::move(actor);
  w.similar = true;
  return w;
}

tombstone_request end_of(memory_type type, std::uint8_t id) {
  tombstone_request t;
  t.uri = {type, id_of(id), 1};
  return t;
}

resemblance similar_to(engine& e, const mutation& m) {
  const auto done = e.apply(m);
  REQUIRE(done);
  REQUIRE(done->similar);
  return *done->similar;
}

std::vector<memory_id> numbered(std::initializer_list<std::uint8_t> numbers) {
  std::vector<memory_id> all;
  for (const auto n : numbers) all.push_back(id_of(n));
  return all;
}

} // namespace

TEST_CASE("a write names memories with the same text, but for case, accents and spaces") {
  for (const char* embedder : {"none", "hash:64"}) {
    engine e = comparing_world(embedder);
    CHECK(similar_to(e, note_of(9, "Tea at FOUR in the Café")).same_text.empty());
    CHECK(similar_to(e, note_of(5, "tea at  four in the cafe")).same_text == numbered({9}));
    CHECK(similar_to(e, note_of(7, "tea at four in the café\n")).same_text == numbered({5, 9}));
    // Other points, another order and other words are other texts.
    CHECK(similar_to(e, note_of(10, "tea, at four in the cafe")).same_text.empty());
    CHECK(similar_to(e, note_of(11, "four at tea in the cafe")).same_text.empty());
    CHECK(similar_to(e, note_of(12, "tea at four in the cafes today")).same_text.empty());
    // Three at most, the smallest ids.
    CHECK(similar_to(e, note_of(1, "Tea at four in the cafe")).same_text == numbered({5, 7, 9}));
    CHECK(similar_to(e, note_of(2, "tea at four in the cafe")).same_text == numbered({1, 5, 7}));
    // The type does not matter, and what is gone is not named.
    REQUIRE(e.apply(end_of(memory_type::note, 1)));
    write_request blocker = note_of(3, "TEA at four in the cafe");
    blocker.type = memory_type::blocker;
    CHECK(similar_to(e, blocker).same_text == numbered({2, 5, 7}));
    // Nobody is told of what he may not see.
    CHECK(similar_to(e, note_of(4, "tea at four in the cafe", "bo")).same_text.empty());
    CHECK(similar_to(e, note_of(20, "!!")).same_text.empty());
    CHECK(similar_to(e, note_of(21, "!!")).same_text.empty());
  }
}

TEST_CASE("a write names what its vector is near to, at most three, and nothing that is far") {
  engine e = comparing_world("none");
  const auto at = [](std::uint8_t id, std::string text, float y) {
    write_request w = note_of(id, std::move(text));
    w.vector = std::vector<float>{1, y};
    return w;
  };
  CHECK(similar_to(e, at(1, "one", 0)) == resemblance{});
  CHECK(similar_to(e, at(2, "two", 0.1F)).resembles == numbered({1}));
  CHECK(similar_to(e, at(3, "far", 5)).resembles.empty());
  CHECK(similar_to(e, at(4, "three", 0.05F)).resembles == numbered({2, 1}));
  CHECK(similar_to(e, at(5, "four", -0.2F)).resembles == numbered({1, 4, 2}));
  CHECK(similar_to(e, at(6, "five", 0.01F)).resembles == numbered({1, 4, 2}));
  // What has the same text is named once.
  const auto again = similar_to(e, at(7, "One", 0));
  CHECK(again.same_text == numbered({1}));
  CHECK(again.resembles == numbered({6, 4, 2}));
  CHECK(similar_to(e, note_of(8, "no vector")).resembles.empty());
  // Only who asks is answered.
  write_request silent = at(9, "one", 0);
  silent.similar = false;
  const auto done = e.apply(silent);
  REQUIRE(done);
  CHECK_FALSE(done->similar);
}

TEST_CASE("an item of a batch is compared with those before it") {
  engine e = comparing_world("hash:64");
  const auto done = e.write_batch({note_of(1, "tea at four"), note_of(2, "Tea at four")});
  REQUIRE(done);
  CHECK(done->results[0].similar->same_text.empty());
  CHECK(done->results[1].similar->same_text == numbered({1}));
}

TEST_CASE("an ingest names topics with its title, whatever their vectors are") {
  for (const char* embedder : {"none", "hash:64"}) {
    engine e = comparing_world(embedder);
    const auto same = [&](std::uint8_t id, std::string title, std::string actor = "ana") {
      ingest_request r;
      r.placement = ingest_placement::new_topic;
      r.topic_id = id_of(id);
      r.title = std::move(title);
      r.summary = "number " + std::to_string(id);
      r.actor = std::move(actor);
      const auto done = e.apply(r);
      REQUIRE(done);
      return done->topics->same_title_ids;
    };
    CHECK(same(1, "Ana López").empty());
    CHECK(same(2, "ana lopez") == numbered({1}));
    CHECK(same(3, "ANA  LOPEZ") == numbered({1, 2}));
    CHECK(same(4, "Ana Lopez Garcia").empty());
    CHECK(same(5, "Ana Lopez", "bo").empty());
    // A note of that name is no topic.
    CHECK(similar_to(e, note_of(6, "Ana Lopez")).same_text.empty());
    // An extension that names no title asks for none.
    ingest_request more;
    more.placement = ingest_placement::extend_topic;
    more.topic_id = id_of(2);
    more.actor = "ana";
    more.summary = "of Porto";
    auto done = e.apply(more);
    REQUIRE(done);
    CHECK(done->topics->same_title_ids.empty());
    more.title = "ana  lopez";
    done = e.apply(more);
    REQUIRE(done);
    CHECK(done->topics->same_title_ids == numbered({1, 3}));
    REQUIRE(e.apply(end_of(memory_type::topic, 1)));
    CHECK(same(7, "Ana Lopez") == numbered({2, 3}));
    // What a topic is called besides counts as its title does.
    ingest_request alias;
    alias.placement = ingest_placement::extend_topic;
    alias.topic_id = id_of(4);
    alias.actor = "ana";
    alias.fields.emplace_back();
    alias.fields.back().name = "aliases";
    alias.fields.back().value = {std::string("Anita, Ana  lópez")};
    REQUIRE(e.apply(alias));
    CHECK(same(8, "anita") == numbered({4}));
    CHECK(same(9, "Ana Lopez") == numbered({2, 3, 4, 7}));
    CHECK(same(10, "Anita Ana Lopez").empty());
  }
}

TEST_CASE("what was imported is compared by its words alone") {
  engine e = comparing_world("none");
  const auto at_one = [](std::uint8_t id, std::string text) {
    write_request w = note_of(id, std::move(text));
    w.vector = std::vector<float>{1, 0};
    return w;
  };
  CHECK(similar_to(e, at_one(1, "tea at four")) == resemblance{});
  CHECK(similar_to(e, at_one(2, "coffee at ten")).resembles == numbered({1}));
  auto imported = at_one(3, "Tea at  four");
  imported.provenance.source = provenance_source::imported;
  const auto found = similar_to(e, imported);
  CHECK(found.same_text == numbered({1}));
  CHECK(found.resembles.empty());
}
