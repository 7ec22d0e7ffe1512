// Canonical text of predicates, and single predicates on single memories: kinds, absent fields,
// and that columns and records agree.
// Of: query/predicate/field_reference.cpp, query/predicate/predicate_compile.cpp
// Of: query/predicate/predicate_bounds.cpp, query/predicate/predicate_eval.cpp
// Of: query/predicate/predicate_text.cpp

#include <catch2/catch.hpp>

#include "messages/text/time_text.hpp"
#include "query/find/find.hpp"
#include "query/predicate/compiled_predicate.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

TEST_CASE("canonical text") {
  using enum comparison;
  const std::string id = to_string(numbered_id(1));
  CHECK(to_text(compare(eq, "data.status", std::string("active")))
        == R"((data.status = "active"))");
  CHECK(to_text(compare(ne, "meta.k", true)) == "(meta.k != true)");
  CHECK(to_text(compare(gt, "data.strength", 0.1)) == "(data.strength > 0.1)");
  CHECK(to_text(compare(gte, "meta.k", 5.0)) == "(meta.k >= 5)");
  CHECK(to_text(compare(lt, "meta.k", -0.0)) == "(meta.k < 0)");
  CHECK(to_text(compare(lte, "meta.k", 1e300)) == "(meta.k <= 1e+300)");
  CHECK(to_text(compare(lte, "meta.k", INT64_MIN)) == "(meta.k <= -9223372036854775808)");
  CHECK(to_text(compare(eq, "head.id", id)) == "(head.id = \"" + id + "\")");
  CHECK(to_text(in("head.type", {std::string("Fact"), std::string("Goal")}))
        == R"((head.type IN ["Fact", "Goal"]))");
  CHECK(to_text(in("meta.k", {})) == "(meta.k IN [])");
  CHECK(to_text(has_tag("a \"b\"\\\n\x01")) == R"((has_tag "a \"b\"\\\n\x01"))");
  CHECK(to_text(all_of({})) == "(and)");
  CHECK(to_text(any_of({has_tag("x"), negate(has_tag("y"))}))
        == R"((or (has_tag "x") (not (has_tag "y"))))");
}

TEST_CASE("times in canonical text") {
  using enum comparison;
  constexpr std::int64_t second = 1'000'000'000;
  CHECK(to_text(compare(gt, "head.created_at", 86400 * second))
        == "(head.created_at > 1970-01-02T00:00:00Z)");
  CHECK(to_text(compare(gt, "data.due_date", std::string("2020-01-01T01:00:00.50+01:00")))
        == "(data.due_date > 2020-01-01T00:00:00.5Z)");
  CHECK(to_text(compare(gt, "meta.k", std::string("2020-01-01T01:00:00Z")))
        == R"((meta.k > "2020-01-01T01:00:00Z"))");
  CHECK(to_text(in("version.valid_from", {second, std::string("no time")}))
        == R"((version.valid_from IN [1970-01-01T00:00:01Z, "no time"]))");
}

TEST_CASE("patterns in canonical text end at the first bare slash") {
  CHECK(to_text(matches("data.path", "a/b")) == R"((data.path ~ /a\/b/))");
  CHECK(to_text(matches("data.path", R"(a\/b\\/)")) == R"((data.path ~ /a\/b\\\//))");
  CHECK(to_text(matches("data.path", "a\tb")) == R"((data.path ~ /a\tb/))");
}

/// Tests one predicate on the newest state of one memory, by record and by find.
class one_memory {
public:
  explicit one_memory(memory_state state) : state_(std::move(state)) { world_.put(state_); }

  bool operator()(const predicate& p) {
    const auto views = world_.views();
    auto compiled = compiled_predicate::compile(p, all_memory_types, *views.attributes);
    REQUIRE(compiled.has_value());
    const memory m{state_.head, state_.version, {}};
    const bool by_record = compiled->test_record(m);
    const row_no row{0};
    const auto by_columns = compiled->test_columns(row, *views.attributes, *views.nodes);
    if (by_columns != verdict::open) CHECK((by_columns == verdict::yes) == by_record);
    if (!compiled->may_stay_open()) CHECK(by_columns != verdict::open);
    const row_store& rows = views.attributes->rows();
    const bool is_within =
        compiled->bounds().may_have(rows.brief(row)) && compiled->bounds().has(rows.line(row));
    CHECK((is_within ? compiled->test_within_bounds(row, *views.attributes, *views.nodes)
                     : verdict::no)
          == by_columns);
    find_request r;
    r.types = {state_.head.type, memory_type::chunk};
    r.limit = 1;
    r.where = p;
    const auto answer = find_inline(world_, r);
    if (answer) CHECK(answer->memories.size() == (by_record ? 1 : 0));
    return by_record;
  }

private:
  memory_state state_;
  small_world world_;
};

TEST_CASE("a tag that was written first since the predicate was compiled is no row's") {
  small_world world;
  auto state = small_world::draft(1, memory_type::fact, "one");
  world.put(state);
  const auto views = world.views();
  auto compiled = compiled_predicate::compile(predicate{has_tag_predicate{"fresh"}},
                                              all_memory_types, *views.attributes);
  REQUIRE(compiled.has_value());
  auto later = small_world::draft(2, memory_type::fact, "two");
  later.head.tags = {"fresh"};
  world.put(later);
  const term_no tag = views.attributes->tag_term("fresh");
  REQUIRE(tag.value != no_number);
  compiled->assume_tag(tag);
  CHECK(compiled->test_within_bounds(row_no{0}, *views.attributes, *views.nodes) == verdict::no);
}

TEST_CASE("a tag is one in whatever spelling the record has it") {
  auto s = small_world::draft(1, memory_type::fact, "one");
  s.head.tags = {"cafe\u0301"};
  one_memory test(s);
  CHECK(test(has_tag("caf\u00E9")));
  CHECK(test(has_tag("cafe\u0301")));
  CHECK_FALSE(test(has_tag("cafe")));
}

TEST_CASE("an absent field makes every predicate on it false") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::fact, "one");
  one_memory test(s);
  for (const auto* field : {"data.source", "meta.k"}) {
    CHECK_FALSE(test(compare(eq, field, std::string("x"))));
    CHECK_FALSE(test(compare(ne, field, std::string("x"))));
    CHECK_FALSE(test(compare(lt, field, std::string("x"))));
    CHECK_FALSE(test(in(field, {std::string("x")})));
    CHECK_FALSE(test(matches(field, "")));
    CHECK(test(negate(compare(eq, field, std::string("x")))));
    CHECK(test(negate(compare(ne, field, std::string("x")))));
  }
  for (const auto* field : {"version.expires_at", "version.valid_until"}) {
    CHECK_FALSE(test(compare(ne, field, std::int64_t{1})));
    CHECK_FALSE(test(compare(gt, field, std::int64_t{0})));
  }
  CHECK_FALSE(test(compare(ne, "data.status", std::string("active")))); // of another type
  CHECK_FALSE(test(compare(ne, "data.nosuch", std::int64_t{1})));
}

TEST_CASE("valid_until and expires_at are told apart though they share a column") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::fact, "one");
  s.version.expires_at = timestamp{5'000'000'000};
  one_memory test(s);
  CHECK(test(compare(eq, "version.expires_at", std::string("1970-01-01T00:00:05Z"))));
  CHECK_FALSE(test(compare(eq, "version.valid_until", std::string("1970-01-01T00:00:05Z"))));
  CHECK_FALSE(test(compare(ne, "version.valid_until", std::string("1970-01-01T00:00:05Z"))));
}

TEST_CASE("a field of two kinds compares only with its own") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::constraint, "one");
  one_memory test(s);
  CHECK(test(compare(eq, "data.strength", std::string("hard"))));
  CHECK(test(compare(gt, "data.strength", std::string("a"))));
  CHECK_FALSE(test(compare(ne, "data.strength", 0.5)));
  CHECK_FALSE(test(compare(lt, "data.strength", 99.0)));
  CHECK(test(in("data.strength", {0.5, std::string("hard")})));
  CHECK(test(in("data.strength", {std::string("zzz"), std::string("hard"), std::string("a")})));
}

TEST_CASE("numbers compare as f64, whole or not") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::pattern, "one");
  s.version.data["strength"] = 1.0;
  s.version.data["coverage"] = std::int64_t{3};
  s.head.metadata["big"] = std::int64_t{9007199254740993};
  one_memory test(s);
  CHECK(test(compare(eq, "data.strength", std::int64_t{1})));
  CHECK(test(compare(eq, "data.coverage", 3.0)));
  CHECK(test(compare(lt, "data.coverage", 3.5)));
  CHECK(test(in("data.coverage", {7.5, std::int64_t{3}, -1.0})));
  CHECK(test(compare(eq, "meta.big", 9007199254740992.0)));
}

TEST_CASE("metadata of another kind is no error and no match") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::note, "one");
  s.head.metadata["k"] = true;
  s.head.metadata["a.b c"] = std::string("dots");
  s.head.metadata["list"] = std::vector<scalar>{std::string("x")};
  one_memory test(s);
  CHECK(test(compare(eq, "meta.k", true)));
  CHECK(test(compare(ne, "meta.k", false)));
  CHECK_FALSE(test(compare(ne, "meta.k", std::int64_t{1})));
  CHECK_FALSE(test(compare(ne, "meta.k", std::string("true"))));
  CHECK_FALSE(test(matches("meta.k", "t")));
  CHECK(test(matches("meta.a.b c", "^dots$")));
  CHECK_FALSE(test(compare(eq, "meta.list", std::string("x"))));
  CHECK_FALSE(test(compare(ne, "meta.list", std::string("y"))));
}

TEST_CASE("enums and ids") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::decision, "one");
  s.head.visibility = visibility::actor_public;
  s.version.data["replaces"] = numbered_id(9);
  s.version.provenance.signed_by = "ana";
  one_memory test(s);
  CHECK(test(compare(eq, "head.visibility", std::string("actor_public"))));
  CHECK(test(compare(gte, "head.type", std::string("Decision"))));
  CHECK(test(compare(eq, "version.provenance_kind", std::string("user_input"))));
  CHECK(test(compare(eq, "version.provenance.source", std::string("user_input"))));
  CHECK(test(compare(eq, "version.provenance.signed_by_present", true)));
  std::string lower = to_string(numbered_id(1));
  for (auto& c : lower) c = static_cast<char>(std::tolower(c));
  CHECK(test(compare(eq, "head.id", lower)));
  CHECK(test(compare(ne, "head.id", to_string(numbered_id(2)))));
  CHECK(test(in("data.replaces", {to_string(numbered_id(8)), to_string(numbered_id(9))})));
}

TEST_CASE("empty groups") {
  one_memory test(small_world::draft(1, memory_type::note, "one"));
  CHECK(test(all_of({})));
  CHECK_FALSE(test(any_of({})));
  CHECK(test(negate(any_of({}))));
}

TEST_CASE("the schema names what predicates can ask about") {
  const auto kinds = [](std::string_view field) {
    const auto f = resolve_field(field, all_memory_types);
    REQUIRE(f.has_value());
    return f->kinds;
  };
  CHECK(kinds("data.cost.asset") == kind_bit(value_kind::text));
  CHECK(kinds("data.cost.amount") == kind_bit(value_kind::text));
  CHECK(kinds("data.duration") == kind_bit(value_kind::number));
  CHECK(kinds("data.verified") == kind_bit(value_kind::boolean));
  CHECK(kinds("data.horizon_end") == kind_bit(value_kind::time));
  CHECK(kinds("data.promoted_to") == kind_bit(value_kind::id));
  CHECK(kinds("data.polarity") == kind_bit(value_kind::text));
  CHECK(kinds("data.strength") == (kind_bit(value_kind::text) | kind_bit(value_kind::number)));
  CHECK(kinds("data.roles") == 0);
}

TEST_CASE("what a predicate asks of the line of a row bounds it") {
  using enum comparison;
  auto s = small_world::draft(1, memory_type::note, "one");
  s.head.declared_importance = 7;
  s.head.created_at = {1000};
  s.head.tags = {"red", "green"};
  one_memory test(s);
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{999}, std::int64_t{1000},
                                std::int64_t{1001}, max_timestamp.ns}) {
    CHECK(test(compare(eq, "head.created_at", at)) == (at == 1000));
    CHECK(test(compare(ne, "head.created_at", at)) == (at != 1000));
    CHECK(test(compare(gt, "head.created_at", at)) == (at < 1000));
    CHECK(test(compare(gte, "head.created_at", at)) == (at <= 1000));
    CHECK(test(compare(lt, "head.created_at", at)) == (at > 1000));
    CHECK(test(compare(lte, "head.created_at", at)) == (at >= 1000));
  }
  for (const double number : {-1.0, 6.5, 7.0, 7.5, 11.0, 1e300}) {
    CHECK(test(compare(eq, "head.declared_importance", number)) == (number == 7));
    CHECK(test(compare(ne, "head.declared_importance", number)) == (number != 7));
    CHECK(test(compare(gt, "head.declared_importance", number)) == (7 > number));
    CHECK(test(compare(gte, "head.declared_importance", number)) == (7 >= number));
    CHECK(test(compare(lt, "head.declared_importance", number)) == (7 < number));
    CHECK(test(compare(lte, "head.declared_importance", number)) == (7 <= number));
  }
  CHECK(test(in("head.declared_importance", {std::int64_t{1}, std::int64_t{7}})));
  CHECK_FALSE(test(in("head.declared_importance", {})));
  CHECK(test(all_of({compare(eq, "head.type", std::string("Note")), has_tag("red"),
                     all_of({compare(eq, "head.tombstoned", false), has_tag("green")})})));
  CHECK_FALSE(test(all_of({has_tag("red"), has_tag("blue")})));
  CHECK_FALSE(test(all_of({has_tag("red"), compare(ne, "head.tombstoned", false)})));
  CHECK(test(compare(ne, "head.visibility", std::string("scoped"))));
  CHECK(test(compare(gt, "head.type", std::string("Goal"))));
  CHECK_FALSE(test(all_of({compare(gt, "head.type", std::string("Goal")),
                           compare(lt, "head.type", std::string("Goal"))})));
}

} // namespace
} // namespace mneme::testing
