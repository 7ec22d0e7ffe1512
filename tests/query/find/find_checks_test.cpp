// Every error of a find request: the code, the path in `at`, and that nothing else is reported
// first. Requests that are legal though odd stand at the end of each group.
// Of: query/predicate/field_reference.cpp, query/predicate/predicate_compile.cpp
// Of: query/request_numbers.cpp

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "query/find/find.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// Code and place of the error, as text; "ok" if there is none.
std::string outcome(const small_world& world, const find_request& r) {
  const auto answer = find_inline(world, r);
  if (answer) return "ok";
  CHECK_FALSE(answer.error().message.empty());
  return std::string(to_string(answer.error().code)) + " " + answer.error().at;
}

find_request of_facts() {
  find_request r;
  r.types = {memory_type::fact};
  r.limit = 5;
  return r;
}

std::string outcome_of(const small_world& world, predicate where,
                       std::vector<memory_type> types = {memory_type::fact}) {
  find_request r = of_facts();
  r.types = std::move(types);
  r.where = std::move(where);
  if (r.types.empty()) r.where = all_of({has_tag("t"), *r.where});
  return outcome(world, r);
}

struct filled_world : small_world {
  filled_world() {
    auto fact = draft(1, memory_type::fact, "one");
    fact.vector = {1, 0, 0};
    put(fact);
    put(draft(2, memory_type::fact, "two"));
    auto hidden = draft(3, memory_type::goal, "three");
    hidden.head.actor_scope = "ben";
    hidden.vector = {0, 1, 0};
    put(hidden);
  }
};

TEST_CASE("bounds") {
  const filled_world world;
  find_request r = of_facts();

  SECTION("neither limit nor budget") {
    r.limit.reset();
    CHECK(outcome(world, r) == "unbounded ");
    r.budget_tokens = 10;
    CHECK(outcome(world, r) == "ok");
  }
  SECTION("limit") {
    r.limit = GENERATE(std::int64_t{0}, std::int64_t{-1}, least);
    CHECK(outcome(world, r) == "out_of_range limit");
  }
  SECTION("offset") {
    r.offset = GENERATE(std::int64_t{-1}, least);
    CHECK(outcome(world, r) == "out_of_range offset");
  }
  SECTION("budget") {
    r.budget_tokens = GENERATE(std::int64_t{0}, std::int64_t{-7}, least);
    CHECK(outcome(world, r) == "out_of_range budget_tokens");
  }
  SECTION("near_k") {
    r.near_vector = std::vector<float>{1, 0, 0};
    r.near_k = GENERATE(std::int64_t{0}, least);
    CHECK(outcome(world, r) == "out_of_range near_k");
  }
  SECTION("deadline") {
    r.deadline_ms = GENERATE(std::int64_t{0}, std::int64_t{-1});
    CHECK(outcome(world, r) == "out_of_range deadline_ms");
  }
  SECTION("the largest numbers are legal") {
    r.limit = most;
    r.offset = most;
    r.budget_tokens = most;
    r.near_vector = std::vector<float>{1, 0, 0};
    r.near_k = most;
    r.deadline_ms = most;
    CHECK(outcome(world, r) == "ok");
    r.offset = 0;
    const auto answer = find_inline(world, r);
    REQUIRE(answer.has_value());
    CHECK(answer->memories.size() == 1);
  }
}

TEST_CASE("values that are no names of their enum") {
  const filled_world world;
  find_request r = of_facts();
  SECTION("type") {
    const auto byte = GENERATE(0, 16, 255);
    r.types.push_back(static_cast<memory_type>(byte));
    CHECK(outcome(world, r) == "bad_value types[1]");
  }
  SECTION("order field") {
    r.order = {{order_field::salience, true}, {static_cast<order_field>(8), false}};
    CHECK(outcome(world, r) == "bad_value order_by[1].field");
  }
  SECTION("form") {
    r.form = static_cast<form_kind>(3);
    CHECK(outcome(world, r) == "bad_value form");
  }
  SECTION("rank") {
    r.rank = static_cast<rank_kind>(2);
    CHECK(outcome(world, r) == "bad_value rank");
  }
  SECTION("comparison") {
    r.where = compare(static_cast<comparison>(6), "head.id", std::string("x"));
    CHECK(outcome(world, r) == "bad_value where");
  }
  SECTION("not without a predicate") {
    r.where = all_of({predicate{not_predicate{}}});
    CHECK(outcome(world, r) == "bad_value where.and[0].not");
  }
}

TEST_CASE("texts and times") {
  const filled_world world;
  find_request r = of_facts();
  SECTION("actor is not UTF-8") {
    r.actor = "\xff";
    CHECK(outcome(world, r) == "bad_utf8 actor");
  }
  SECTION("actor is too long") {
    r.actor = std::string(256, 'a');
    CHECK(outcome(world, r) == "ok");
    r.actor = std::string(257, 'a');
    CHECK(outcome(world, r) == "limit_exceeded actor");
  }
  SECTION("near is not UTF-8") {
    r.near = "\xc3";
    CHECK(outcome(world, r) == "bad_utf8 near");
  }
  SECTION("as_of") {
    r.as_of = timestamp{GENERATE(std::int64_t{-1}, least, most)};
    CHECK(outcome(world, r) == "bad_time as_of");
  }
}

TEST_CASE("near") {
  filled_world world;
  find_request r = of_facts();
  SECTION("more than one") {
    r.near_vector = std::vector<float>{1, 0, 0};
    r.near = "north";
    CHECK(outcome(world, r) == "bad_value near_vector");
    r.near_vector.reset();
    r.near_uri = memory_uri{memory_type::fact, numbered_id(1), 1};
    CHECK(outcome(world, r) == "bad_value near_uri");
  }
  SECTION("text without an embedder") {
    world.has_embedder = false;
    r.near = "north";
    CHECK(outcome(world, r) == "no_embedder near");
  }
  SECTION("text that holds nothing to embed") {
    r.near = " ";
    CHECK(outcome(world, r) == "no_vector near");
  }
  SECTION("bad vectors") {
    const float nan = std::nanf("");
    const float infinity = std::numeric_limits<float>::infinity();
    r.near_vector = GENERATE_COPY(
        values({std::vector<float>{}, std::vector<float>{0, 0, 0}, std::vector<float>{1, nan, 0},
                std::vector<float>{infinity, 0, 0}, std::vector<float>(4097, 1.0F)}));
    CHECK(outcome(world, r) == "bad_vector near_vector");
  }
  SECTION("another dimension") {
    r.near_vector = std::vector<float>{1, 0};
    CHECK(outcome(world, r) == "dim_mismatch near_vector");
  }
  SECTION("another dimension before any vector is held") {
    const small_world empty;
    r.near_vector = std::vector<float>{1, 0};
    CHECK(outcome(empty, r) == "dim_mismatch near_vector");
  }
  SECTION("any dimension where there is no space yet") {
    small_world empty;
    empty.has_embedder = false;
    empty.put(small_world::draft(1, memory_type::fact, "one"));
    r.near_vector = std::vector<float>{1, 0};
    CHECK(outcome(empty, r) == "ok");
  }
  SECTION("uri: unknown id, other type, versions that do not exist") {
    r.near_uri = GENERATE(memory_uri{memory_type::fact, numbered_id(77), 1},
                          memory_uri{memory_type::goal, numbered_id(1), 1},
                          memory_uri{memory_type::fact, numbered_id(1), 2},
                          memory_uri{memory_type::fact, numbered_id(1), 0},
                          memory_uri{memory_type::fact, memory_id{}, 1});
    CHECK(outcome(world, r) == "not_found near_uri");
  }
  SECTION("uri of a memory without a vector") {
    r.near_uri = memory_uri{memory_type::fact, numbered_id(2), 1};
    CHECK(outcome(world, r) == "no_vector near_uri");
  }
  SECTION("uri of what the asker may not see") {
    r.near_uri = memory_uri{memory_type::goal, numbered_id(3), 1};
    CHECK(outcome(world, r) == "ok");
    r.actor = "ana";
    CHECK(outcome(world, r) == "not_found near_uri");
    r.actor = "ben";
    CHECK(outcome(world, r) == "ok");
  }
  SECTION("uri of what was written later") {
    r.near_uri = memory_uri{memory_type::goal, numbered_id(3), 1};
    const auto answer = find_inline(world, r, {}, seq_no{2});
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().code == errc::not_found);
  }
  SECTION("uri of an erased memory") {
    auto s = world.memories[numbered_id(1)].back();
    s.head.erased = true;
    world.put(s);
    r.near_uri = memory_uri{memory_type::fact, numbered_id(1), 1};
    CHECK(outcome(world, r) == "erased near_uri");
  }
}

TEST_CASE("combinations without a meaning") {
  const filled_world world;
  find_request r = of_facts();
  SECTION("late_binding in the past") {
    r.late_binding = true;
    r.at_seq = seq_no{1};
    CHECK(outcome(world, r) == "unsupported late_binding");
  }
  SECTION("follow without from") {
    r.follow = follow_spec{};
    CHECK(outcome(world, r) == "unsupported follow");
  }
  SECTION("rank distance without near") {
    r.rank = rank_kind::distance;
    CHECK(outcome(world, r) == "unsupported rank");
  }
  SECTION("order near.distance without near") {
    r.order = {{order_field::near_distance, false}};
    CHECK(outcome(world, r) == "unsupported order_by[0].field");
  }
  SECTION("order hop without from") {
    r.order = {{order_field::salience, true}, {order_field::hop, false}};
    CHECK(outcome(world, r) == "unsupported order_by[1].field");
  }
  SECTION("nothing narrows") {
    r.types.clear();
    CHECK(outcome(world, r) == "ok");
    r.limit.reset();
    r.budget_tokens = 100;
    CHECK(outcome(world, r) == "too_broad ");
    r.where = any_of({has_tag("t")});
    CHECK(outcome(world, r) == "too_broad ");
    r.where = negate(has_tag("t"));
    CHECK(outcome(world, r) == "too_broad ");
    r.where = compare(comparison::eq, "head.id", to_string(numbered_id(1)));
    CHECK(outcome(world, r) == "too_broad ");
    r.where = all_of({all_of({has_tag("t")})});
    CHECK(outcome(world, r) == "ok");
    r.where = has_tag("t");
    CHECK(outcome(world, r) == "ok");
    r.where.reset();
    r.from = numbered_id(1);
    CHECK(outcome(world, r) == "ok");
    r.from.reset();
    r.near = "north";
    CHECK(outcome(world, r) == "ok");
  }
}

TEST_CASE("follow") {
  const filled_world world;
  find_request r = of_facts();
  r.from = numbered_id(1);
  follow_spec f;
  const auto with = [&](follow_spec spec) {
    r.follow = std::move(spec);
    return outcome(world, r);
  };
  SECTION("hops") {
    CHECK(with({.min_hops = -1, .max_hops = 2}) == "bad_hops follow.min_hops");
    CHECK(with({.min_hops = 1, .max_hops = -1}) == "bad_hops follow.max_hops");
    CHECK(with({.min_hops = least, .max_hops = least}) == "bad_hops follow.min_hops");
    CHECK(with({.min_hops = 1, .max_hops = 7}) == "max_hops_exceeded follow.max_hops");
    CHECK(with({.min_hops = 9, .max_hops = most}) == "max_hops_exceeded follow.max_hops");
    CHECK(with({.min_hops = 2}) == "bad_hops follow.min_hops");
    CHECK(with({.min_hops = 3, .max_hops = 2}) == "bad_hops follow.min_hops");
    CHECK(with({.min_hops = 0, .max_hops = 0}) == "bad_hops follow.min_hops");
    CHECK(with({.min_hops = 0, .max_hops = 1}) == "ok");
    CHECK(with({.min_hops = 6, .max_hops = 6}) == "ok");
  }
  SECTION("edge types") {
    CHECK(with({.types = {edge_type::references, static_cast<edge_type>(0)}})
          == "invalid_edge_type follow.types[1]");
    CHECK(with({.types = {static_cast<edge_type>(16)}}) == "invalid_edge_type follow.types[0]");
  }
  SECTION("direction") {
    CHECK(with({.direction = static_cast<edge_direction>(3)}) == "bad_value follow.direction");
  }
  SECTION("max_visited") {
    CHECK(with({.max_visited = 0}) == "out_of_range follow.max_visited");
    CHECK(with({.max_visited = -5}) == "out_of_range follow.max_visited");
    CHECK(with({.max_visited = most}) == "ok");
  }
}

TEST_CASE("references to fields") {
  const filled_world world;
  const auto eq = [&](std::string field) {
    return outcome_of(world, compare(comparison::eq, std::move(field), std::string("x")));
  };
  const auto* malformed =
      GENERATE("", "status", "data", "data.", ".status", "data..x", "data.x.", "data.a b", "head.",
               "body.x", "Head.id", "meta.", "meta", "data.x\n");
  CHECK(eq(malformed) == "bad_field where.eq");
  CHECK(eq("data.no_such_field") == "ok");
  CHECK(eq("head.no_such_field") == "ok");
  CHECK(eq("meta.any key at all, with.dots") == "ok");
  CHECK(eq("meta.\xff") == "bad_utf8 where.eq");
}

TEST_CASE("fields that no type asked has") {
  const filled_world world;
  const literal one = std::int64_t{1};
  // Goal.status, List fields, and names of nothing.
  for (const auto* field : {"data.status", "data.nosuch", "head.tags", "version.nosuch"}) {
    INFO(field);
    CHECK(outcome_of(world, compare(comparison::eq, field, one)) == "ok");
    CHECK(outcome_of(world, compare(comparison::ne, field, true)) == "ok");
    CHECK(outcome_of(world, in(field, {one, std::string("x")})) == "ok");
    for (const auto op : {comparison::gt, comparison::gte, comparison::lt, comparison::lte})
      CHECK(outcome_of(world, compare(op, field, one)).starts_with("field_unknown where."));
    CHECK(outcome_of(world, matches(field, "x")) == "field_unknown where.matches");
  }
  CHECK(outcome_of(world, matches("data.status", "x"), {memory_type::goal}) == "ok");
  CHECK(outcome_of(world, matches("data.status", "x"), {}) == "ok");
  CHECK(outcome_of(world, matches("data.success_criteria", "x"), {memory_type::goal})
        == "field_unknown where.matches");
}

TEST_CASE("literals of another kind than the field") {
  const filled_world world;
  const auto eq = [&](std::string field, literal value, std::vector<memory_type> types = {}) {
    return outcome_of(world, compare(comparison::eq, std::move(field), std::move(value)),
                      types.empty() ? std::vector{memory_type::fact} : std::move(types));
  };
  CHECK(eq("head.declared_importance", std::string("5")) == "type_mismatch where.eq");
  CHECK(eq("head.declared_importance", true) == "type_mismatch where.eq");
  CHECK(eq("head.declared_importance", 5.0) == "ok");
  CHECK(eq("head.type", std::int64_t{2}) == "type_mismatch where.eq");
  CHECK(eq("head.type", std::string("NoSuchType")) == "ok");
  CHECK(eq("head.tombstoned", std::int64_t{0}) == "type_mismatch where.eq");
  CHECK(eq("head.created_at", 1.5) == "type_mismatch where.eq");
  CHECK(eq("head.created_at", true) == "type_mismatch where.eq");
  CHECK(eq("head.created_at", std::string("yesterday")) == "bad_time where.eq");
  CHECK(eq("head.created_at", std::int64_t{-1}) == "bad_time where.eq");
  CHECK(eq("head.created_at", most) == "bad_time where.eq");
  CHECK(eq("head.created_at", std::string("2020-02-30T00:00:00Z")) == "bad_time where.eq");
  CHECK(eq("head.created_at", std::string("2020-02-03T04:05:06+01:00")) == "ok");
  CHECK(eq("head.id", std::string("no id")) == "bad_id where.eq");
  CHECK(eq("head.id", std::int64_t{1}) == "type_mismatch where.eq");
  CHECK(eq("data.strength", 0.5, {memory_type::pattern}) == "ok");
  CHECK(eq("data.strength", 0.5, {memory_type::constraint}) == "type_mismatch where.eq");
  CHECK(eq("data.strength", std::string("hard"), {memory_type::pattern})
        == "type_mismatch where.eq");
  CHECK(eq("data.strength", std::string("hard"), {memory_type::constraint, memory_type::pattern})
        == "ok");
  CHECK(outcome_of(world, in("head.type", {std::string("Fact"), std::int64_t{3}}))
        == "type_mismatch where.in");
  CHECK(outcome_of(world, in("head.type", {})) == "ok");
  CHECK(outcome_of(world, in("nothing", {})) == "bad_field where.in");
  CHECK(outcome_of(world, matches("head.declared_importance", "5"))
        == "type_mismatch where.matches");
  CHECK(outcome_of(world, matches("head.id", "5")) == "type_mismatch where.matches");
  CHECK(eq("meta.k", std::nan("")) == "out_of_range where.eq");
  CHECK(eq("version.confidence", std::numeric_limits<double>::infinity())
        == "out_of_range where.eq");
  CHECK(eq("head.actor_scope", std::string("\xff")) == "bad_utf8 where.eq");
  CHECK(outcome_of(world, has_tag("\xff")) == "bad_utf8 where.has_tag");
  CHECK(outcome_of(world, has_tag("")) == "ok");
}

TEST_CASE("fields without an order") {
  const filled_world world;
  for (const auto& [op, name] : {std::pair{comparison::gt, "gt"},
                                 {comparison::gte, "gte"},
                                 {comparison::lt, "lt"},
                                 {comparison::lte, "lte"}}) {
    const std::string want = std::string("field_not_comparable where.") + name;
    CHECK(outcome_of(world, compare(op, "head.tombstoned", true)) == want);
    CHECK(outcome_of(world, compare(op, "head.tombstoned", std::int64_t{1})) == want);
    CHECK(outcome_of(world, compare(op, "head.id", to_string(numbered_id(1)))) == want);
    CHECK(outcome_of(world, compare(op, "meta.k", false)) == want);
    CHECK(outcome_of(world, compare(op, "meta.k", 1.5)) == "ok");
    CHECK(outcome_of(world, compare(op, "head.type", std::string("Fact"))) == "ok");
  }
}

TEST_CASE("patterns") {
  const filled_world world;
  for (const auto* pattern : {"(", "[", "a{2000}", "*", "(?<n>a)", "\\1", "(?=a)"}) {
    INFO(pattern);
    CHECK(outcome_of(world, matches("data.statement", pattern)) == "bad_regex where.matches");
  }
  CHECK(outcome_of(world, matches("data.statement", "\xff")) == "bad_utf8 where.matches");
  CHECK(outcome_of(world, matches("data.statement", "")) == "ok");
  CHECK(outcome_of(world, matches("data.statement", "a[ab]{900}q")) == "ok");
  std::string widest;
  for (int i = 0; i < 30; ++i) widest += ".{1000}";
  CHECK(outcome_of(world, matches("data.statement", widest)) == "bad_regex where.matches");
  const auto wide = matches("data.statement", ".{1000}.{1000}");
  CHECK(outcome_of(world, any_of(std::vector<predicate>(10, wide))) == "ok");
  CHECK(outcome_of(world, any_of(std::vector<predicate>(1000, wide)))
            .starts_with("limit_exceeded where.or["));
}

TEST_CASE("the path of a predicate's error") {
  const filled_world world;
  const auto bad = compare(comparison::gt, "nothing", std::int64_t{1});
  CHECK(outcome_of(world, all_of({has_tag("t"), bad})) == "bad_field where.and[1].gt");
  CHECK(outcome_of(world, any_of({negate(all_of({bad}))}))
        == "bad_field where.or[0].not.and[0].gt");
  // Static: found also where the outcome is already fixed.
  CHECK(outcome_of(world, any_of({all_of({}), bad})) == "bad_field where.or[1].gt");
  CHECK(outcome_of(world, all_of({any_of({}), bad})) == "bad_field where.and[1].gt");
}

TEST_CASE("size of a predicate") {
  const filled_world world;
  SECTION("1,024 nodes") {
    CHECK(outcome_of(world, all_of(std::vector<predicate>(1023, has_tag("t")))) == "ok");
    CHECK(outcome_of(world, all_of(std::vector<predicate>(1024, has_tag("t"))))
          == "limit_exceeded where.and[1023]");
  }
  SECTION("64 deep") {
    predicate p = has_tag("t");
    for (int i = 0; i < 63; ++i) p = negate(std::move(p));
    CHECK(outcome_of(world, p) == "ok");
    CHECK(outcome_of(world, negate(p)).starts_with("limit_exceeded where.not.not"));
  }
}

TEST_CASE("the order of the checks") {
  filled_world world;
  world.has_embedder = false;
  find_request r;
  r.near = "north";
  r.follow = follow_spec{.max_hops = 9};
  r.where = compare(comparison::gt, "nothing", true);
  r.rank = rank_kind::distance;
  CHECK(outcome(world, r) == "unbounded ");
  r.limit = 3;
  CHECK(outcome(world, r) == "no_embedder near");
  r.near.reset();
  CHECK(outcome(world, r) == "unsupported follow");
  r.from = numbered_id(1);
  CHECK(outcome(world, r) == "max_hops_exceeded follow.max_hops");
  r.follow->max_hops = 1;
  CHECK(outcome(world, r) == "bad_field where.gt");
  r.where.reset();
  CHECK(outcome(world, r) == "unsupported rank");
  r.rank.reset();
  r.from.reset();
  r.follow.reset();
  r.limit.reset();
  r.budget_tokens = 100;
  CHECK(outcome(world, r) == "too_broad ");
}

} // namespace
} // namespace mneme::testing
