// What is committed is at hand for readers, the same as the store has it.
#include <catch2/catch.hpp>

#include "state/apply/apply.hpp"
#include "tests/state/site.hpp"
#include "views/read_views.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request tagged_note(std::uint8_t n, const std::string& text) {
  write_request r = note(text);
  r.id = id_of(n);
  r.tags = {"tag"};
  return r;
}

memory_uri uri_of(std::uint8_t n) {
  return {memory_type::note, id_of(n), 1};
}

/// The record that the cache has of the newest row, which the store must have, too.
void check_kept(world& w, std::uint8_t n) {
  INFO("memory " << int{n} << " at " << w.published_seq().value);
  const auto kept = w.records.take(w.published_seq());
  REQUIRE(kept.has_value());
  auto reader = w.store->reader();
  REQUIRE(reader);
  const auto h = read_head(**reader, id_of(n), w.published_seq());
  REQUIRE((h && *h));
  CHECK(*kept->head == **h);
  const auto v = read_version(**reader, id_of(n), (*h)->current_version);
  REQUIRE((v && *v));
  CHECK(*kept->version == **v);
}

} // namespace

TEST_CASE("a write, an update and a change of the head leave their records with readers") {
  site place;
  const auto w = place.open();
  driven d(*w);
  REQUIRE(d.apply(tagged_note(1, "first")));
  check_kept(*w, 1);
  REQUIRE(d.apply(tagged_note(2, "of another")));
  check_kept(*w, 2);
  update_request second;
  second.uri = uri_of(1);
  second.data["statement"] = "second";
  REQUIRE(d.apply(second));
  check_kept(*w, 1);
  update_head_request third;
  third.uri = uri_of(1);
  third.tags = std::vector<std::string>{"other tag"};
  REQUIRE(d.apply(third));
  check_kept(*w, 1);
  tombstone_request last;
  last.uri = uri_of(2);
  REQUIRE(d.apply(last));
  check_kept(*w, 2);
}

TEST_CASE("a batch leaves the records of all its memories, each as of its own seq") {
  site place;
  const auto w = place.open();
  driven d(*w);
  add_edge_request edge;
  edge.src = id_of(1);
  edge.dst = id_of(2);
  edge.type = static_cast<std::uint8_t>(edge_type::references);
  REQUIRE(
      d.run({tagged_note(1, "one"), tagged_note(2, "two"), edge, tagged_note(3, "three")}, true));
  CHECK(w->records.take({1})->head->id == id_of(1));
  CHECK(w->records.take({2})->head->id == id_of(2));
  CHECK_FALSE(w->records.take({3}).has_value());
  CHECK(w->records.take({4})->head->id == id_of(3));
}

TEST_CASE("a new head before a content that nobody kept is left to the store") {
  site place;
  {
    const auto w = place.open();
    driven d(*w);
    REQUIRE(d.apply(tagged_note(1, "first")));
    REQUIRE(d.checkpoint());
  }
  const auto w = place.open();
  driven d(*w);
  update_head_request change;
  change.uri = uri_of(1);
  change.importance = 9;
  REQUIRE(d.apply(change));
  CHECK_FALSE(w->records.take(w->published_seq()).has_value());
  auto reader = w->store->reader();
  REQUIRE(reader);
  const auto found = read_memory(w->views(), **reader, id_of(1), w->published_seq());
  REQUIRE((found && *found));
  CHECK((*found)->head->declared_importance == 9);
  check_kept(*w, 1);
}
