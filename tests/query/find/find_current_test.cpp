// What does not hold is not found, but by who asks for it or walks to it.
// Of: query/find/row_filter.cpp, views/current_memories.hpp
#include <catch2/catch.hpp>

#include "query/find/find.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

find_request of_current_notes() {
  find_request r;
  r.types = {memory_type::note};
  r.limit = 10;
  return r;
}

memory_state current_note(std::uint64_t number, std::string text) {
  return small_world::draft(number, memory_type::note, std::move(text));
}

std::vector<memory_id> ids(std::initializer_list<std::uint64_t> numbers) {
  std::vector<memory_id> found;
  for (const auto n : numbers) found.push_back(numbered_id(n));
  return found;
}

} // namespace

TEST_CASE("what is found must not have ended, unless it is asked for") {
  small_world world;
  auto s = current_note(1, "one");
  s.vector = {1, 0, 0};
  s.version.valid_from = {100};
  s.version.expires_at = timestamp{150};
  world.put(s);
  s = current_note(2, "two");
  s.vector = {0, 1, 0};
  s.version.valid_from = {100};
  s.version.valid_until = timestamp{200};
  world.put(s);
  find_request r = of_current_notes();
  r.near_vector = {1.0F, 0.0F, 0.0F};
  const auto near_at = [&](std::int64_t ns) {
    return ids_of(*find_inline(world, r, timestamp{ns}));
  };
  CHECK(near_at(149) == ids({1, 2}));
  CHECK(near_at(150) == ids({2}));
  CHECK(near_at(200).empty());
  r.rank = rank_kind::salience;
  CHECK(near_at(150) == ids({2}));
  r.include_ended = true;
  CHECK(near_at(200).size() == 2);
  r.include_ended = false;
  r.as_of = timestamp{149};
  CHECK(near_at(200).size() == 2);
  r.as_of.reset();
  r.rank.reset();
  r.near_vector.reset();
  CHECK(near_at(149).size() == 2);
  CHECK(near_at(150) == ids({2}));
  CHECK(near_at(200).empty());
  r.include_archived = true;
  CHECK(near_at(200).empty());
  r.include_ended = true;
  CHECK(near_at(200).size() == 2);
  // Forgotten is forgotten: who asks for that gets it, whenever it ended.
  s = world.memories[numbered_id(2)].back();
  s.head.tombstone = tombstone{
      .reason = "done", .cause = tombstone_cause::deleted, .superseded_by = {}, .at = {}, .by = {}};
  world.put(s);
  r.include_archived = r.include_ended = false;
  CHECK(near_at(200).empty());
  r.include_tombstoned = true;
  CHECK(near_at(200) == ids({2}));
}

TEST_CASE("what is found must not be superseded, unless it is asked for, or walked to") {
  small_world world;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    auto s = current_note(i, "one");
    s.vector = {1, 0, 0};
    if (i == 5) s.head.actor_scope = "ben";
    s.head.visibility = visibility::actor_public;
    s.version.valid_from = {50};
    world.put(s);
  }
  auto decided = small_world::draft(9, memory_type::decision, "two");
  decided.version.valid_from = {100};
  decided.version.data["replaces"] = numbered_id(1);
  world.put(decided);
  const seq_no before = world.seq();
  world.put_edge(numbered_id(4), edge_type::supersedes, numbered_id(2));
  world.put_edge(numbered_id(5), edge_type::supersedes, numbered_id(3));
  find_request r = of_current_notes();
  const auto found = [&](std::optional<seq_no> at = {}) {
    r.at_seq = at;
    return ids_of(*find_inline(world, r, {}, at));
  };
  CHECK(found() == ids({3, 4, 5})); // ben's takes none of another's out
  CHECK(found(before) == ids({2, 3, 4, 5}));
  r.as_of = timestamp{99};
  CHECK(found() == ids({1, 3, 4, 5})); // the decision is not there yet
  r.as_of.reset();
  r.near_vector = {1.0F, 0.0F, 0.0F};
  CHECK(found() == ids({3, 4, 5}));
  for (bool find_request::* asks :
       {&find_request::include_ended, &find_request::include_archived}) {
    r.*asks = true;
    CHECK(found().size() == 5);
    r.*asks = false;
  }
  r.near_vector.reset();
  r.from = numbered_id(4);
  CHECK(found() == ids({2}));
  r.from.reset();
  world.put_edge(numbered_id(4), edge_type::supersedes, numbered_id(2), true);
  CHECK(found() == ids({2, 3, 4, 5}));
}

} // namespace mneme::testing
