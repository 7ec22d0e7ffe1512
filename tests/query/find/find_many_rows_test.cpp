// Finds in worlds of several thousand rows, where rows are looked over by their briefs and zones
// and pages are kept while rows are scored: the answer equals that of the naive model.
// Of: query/find/find_select.cpp, query/find/find_salient.cpp, query/find/first_rows.cpp
// Of: query/find/row_filter.cpp, query/predicate/predicate_bounds.cpp

#include <algorithm>

#include <catch2/catch.hpp>

#include "messages/text/composed.hpp"
#include "query/find/find.hpp"
#include "query/find/find_checks.hpp"
#include "tests/index/dice.hpp"
#include "tests/query/find/naive_find.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing::many_rows {
namespace {

using mneme::dice;

constexpr std::int64_t one_day_ns = 86'400'000'000'000;
constexpr std::uint32_t days = 400;
constexpr std::uint64_t memory_count = 3000;

std::string numbered(const char* name, std::uint32_t n) {
  return name + std::to_string(n);
}

timestamp day(std::int64_t n) {
  return {n * one_day_ns};
}

/// Low numbers come far more often.
std::uint32_t skewed(dice& d, std::uint32_t bound) {
  return d.below(1 + d.below(bound));
}

activation random_use(dice& d, const head& h) {
  return {.last_used = day(d.one_in(2) ? 1 : d.below(days)),
          .access_count = d.one_in(3) ? d.below(5) : 0,
          .citations = d.one_in(9) ? d.below(5) : 0,
          .importance = h.declared_importance};
}

memory_state random_memory(std::uint64_t i, dice& d) {
  constexpr memory_type types[] = {memory_type::note, memory_type::decision, memory_type::blocker};
  auto s = small_world::draft(i, types[d.below(std::size(types))], "text");
  // In the order of their times, but for a few.
  s.head.created_at = day(d.one_in(50) ? d.below(days) : std::int64_t(i * days / memory_count));
  s.head.last_updated_at = day(d.below(days));
  s.version.valid_from = day(d.below(days));
  s.head.actor_scope = numbered("agent ", d.below(6));
  s.head.visibility = static_cast<visibility>(1 + d.below(3));
  s.head.declared_importance = static_cast<std::uint8_t>(d.below(11));
  if (d.one_in(20)) s.version.expires_at = day(d.below(days));
  for (int n = 0; n < 2; ++n)
    if (auto tag = numbered("tag ", skewed(d, 40)); !is_among(s.head.tags, tag))
      s.head.tags.push_back(tag);
  std::ranges::sort(s.head.tags);
  if (d.one_in(2))
    s.vector = {static_cast<float>(d.below(3)), static_cast<float>(d.below(3)), 1.0F};
  return s;
}

/// Memories, and then changes of a part of them, so that rows end and others begin.
void fill(small_world& world, dice& d) {
  for (std::uint64_t i = 1; i <= memory_count; ++i) {
    const auto s = random_memory(i, d);
    world.put(s, random_use(d, s.head));
  }
  for (int i = 0; i < 400; ++i) {
    auto s = world.memories[numbered_id(1 + d.below(memory_count))].back();
    if (s.head.tombstone) continue;
    if (d.one_in(4)) {
      world.touch(s.head.id, random_use(d, s.head));
      continue;
    }
    if (d.one_in(4)) {
      s.head.tombstone.emplace();
      s.head.tombstone->cause = tombstone_cause::deleted;
    } else {
      s.head.declared_importance = static_cast<std::uint8_t>(d.below(11));
      s.head.tags = {numbered("tag ", skewed(d, 40))};
    }
    world.put(s, random_use(d, s.head));
  }
}

predicate random_time(dice& d) {
  constexpr const char* fields[] = {"head.created_at", "head.created_at", "head.last_updated_at",
                                    "version.valid_from"};
  const auto op = static_cast<comparison>(d.below(6));
  return compare(op, fields[d.below(std::size(fields))], day(d.below(days)).ns);
}

predicate random_part(dice& d, int depth) {
  switch (d.below(depth == 0 ? 5 : 7)) {
  case 0:
    return has_tag(numbered("tag ", skewed(d, 40)));
  case 1:
    return compare(static_cast<comparison>(d.below(6)), "head.declared_importance",
                   std::int64_t{d.below(11)});
  case 2:
    return compare(d.one_in(2) ? comparison::eq : comparison::ne, "head.actor_scope",
                   numbered("agent ", d.below(6)));
  case 3:
    return compare(static_cast<comparison>(d.below(6)), "head.type", std::string("Decision"));
  case 4:
    return random_time(d);
  case 5:
    return negate(random_part(d, depth - 1));
  default: {
    std::vector<predicate> parts = {random_part(d, depth - 1), random_part(d, depth - 1)};
    return d.one_in(2) ? any_of(std::move(parts)) : all_of(std::move(parts));
  }
  }
}

find_request random_request(dice& d, std::optional<std::vector<float>>& near, seq_no at,
                            seq_no newest) {
  find_request r;
  if (at != newest) r.at_seq = at;
  if (d.one_in(3)) r.actor = numbered("agent ", d.below(7));
  if (d.one_in(2)) r.types = {memory_type::decision};
  if (d.one_in(4)) r.types.push_back(memory_type::note);
  if (d.one_in(4)) {
    near = std::vector<float>{static_cast<float>(d.below(3)), 1.0F, static_cast<float>(d.below(3))};
    r.near_vector = near;
    if (d.one_in(2)) r.near_k = 1 + d.below(300);
    if (d.one_in(2)) r.rank = rank_kind::salience;
  }
  std::vector<predicate> parts;
  if (r.types.empty() || d.one_in(2)) parts.push_back(has_tag(numbered("tag ", skewed(d, 40))));
  if (d.one_in(2)) parts.push_back(random_time(d));
  if (d.one_in(3)) parts.push_back(random_time(d));
  if (d.one_in(3)) parts.push_back(random_part(d, 2));
  if (!parts.empty()) r.where = all_of(std::move(parts));
  for (auto n = d.below(3); n > 0 && d.one_in(2); --n)
    r.order.push_back({static_cast<order_field>(d.below(4)), d.one_in(2)});
  r.limit = 1 + d.below(d.one_in(4) ? 400 : 30);
  if (d.one_in(4)) r.offset = d.below(40);
  if (d.one_in(8)) r.budget_tokens = 1 + d.below(200);
  if (d.one_in(6)) r.as_of = day(d.below(days));
  r.include_tombstoned = d.one_in(4);
  r.include_ended = d.one_in(3);
  r.count = d.one_in(2);
  return r;
}

TEST_CASE("random finds among many rows equal the naive model") {
  std::size_t rows = 0;
  std::size_t full_pages = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    dice d(seed);
    small_world world;
    fill(world, d);
    for (int i = 0; i < 100; ++i) {
      INFO("seed " << seed << " request " << i);
      const seq_no at = d.one_in(3) ? seq_no{1 + d.below(world.seq().value)} : world.seq();
      const timestamp now = day(d.below(2 * days));
      std::optional<std::vector<float>> near;
      const find_request r = random_request(d, near, at, world.seq());
      INFO("where " << (r.where ? to_text(*r.where) : "-"));
      const naive_answer want = naive_find(world, r, near, now, at);
      const auto got = find_inline(world, r, now, at);
      REQUIRE(got.has_value());
      REQUIRE(ids_of(*got) == want.ids);
      REQUIRE(got->scores == want.scores);
      REQUIRE(got->distances == want.distances);
      REQUIRE(got->trimmed_by_budget == want.trimmed);
      if (r.count) REQUIRE(got->total == want.total);
      REQUIRE(got->candidates_scanned >= static_cast<std::int64_t>(want.ids.size()));
      rows += want.ids.size();
      if (want.total > static_cast<std::int64_t>(2 * page_end(r))) ++full_pages;
    }
  }
  CHECK(rows > 3000);
  CHECK(full_pages > 60);
}

TEST_CASE("an actor is told of as many rows as it may see, however they are passed over") {
  dice d(9);
  small_world world;
  fill(world, d);
  find_request r;
  r.limit = 5;
  r.types = {memory_type::decision, memory_type::note};
  r.where = all_of({has_tag("tag 0"), compare(comparison::gte, "head.created_at", day(390).ns)});
  for (const auto& who : {"", "agent 1", "agent 5", "nobody"}) {
    r.actor = who;
    r.explain = true;
    const auto got = find_inline(world, r);
    REQUIRE(got.has_value());
    std::int64_t shown = 0;
    for (const auto& [id, states] : world.memories) {
      const head& h = states.back().head;
      const bool is_listed = got->plan->driver == "visible" || is_among(h.tags, "tag 0");
      if (is_listed && (h.actor_scope == who || h.visibility == visibility::actor_public)) ++shown;
    }
    INFO(who << " by " << got->plan->driver);
    if (*r.actor != "") CHECK(got->candidates_scanned == shown);
    CHECK(got->plan->stages[1].in == static_cast<std::uint64_t>(got->candidates_scanned));
  }
}

} // namespace
} // namespace mneme::testing::many_rows
