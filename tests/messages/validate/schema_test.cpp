// The closed schema: field numbers are stored, so the whole table stands here once more.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "messages/validate/schema.hpp"
#include "messages/validate/validate.hpp"

using namespace mneme;

namespace {

/// "1 name! 2 did": required fields end in !, plain ones in =default.
std::string table_of(memory_type type) {
  std::string text;
  for (const field_schema& f : fields_of(type)) {
    constexpr std::string_view kinds[] = {"text", "int", "real", "bool",
                                          "time", "id",  "list", "name"};
    text += fmt::format("{}{} {}:{}{}{}{}", text.empty() ? "" : " ", f.number, f.name,
                        kinds[static_cast<std::size_t>(f.kind)], f.unit_interval ? "01" : "",
                        f.required ? "!" : "",
                        f.default_text ? fmt::format("={}", *f.default_text) : "");
  }
  return text;
}

} // namespace

TEST_CASE("fields of every type") {
  CHECK(table_of(memory_type::identity)
        == "1 name:text! 2 did:text 3 wallets:list 4 roles:list 5 public_keys:list");
  CHECK(table_of(memory_type::fact)
        == "1 statement:text! 2 subject:text! 3 predicate:text! 4 object:text 5 source:text "
           "6 as_of:time");
  CHECK(table_of(memory_type::preference)
        == "1 topic:text! 2 value:text 3 polarity:name! 4 strength_val:real01=0 5 rationale:text");
  CHECK(table_of(memory_type::belief)
        == "1 statement:text! 2 subject:text= 3 stance:name! 4 evidence_for:list "
           "5 evidence_against:list");
  CHECK(table_of(memory_type::event)
        == "1 kind:name! 2 intent_ref:text 3 counterparty:text 4 outcome:name! 5 cost.asset:text "
           "6 cost.amount:text 7 duration:int 8 artifacts:list 9 summary:text");
  CHECK(table_of(memory_type::goal)
        == "1 statement:text! 2 horizon_end:time 3 success_criteria:list 4 status:name! "
           "5 subgoals:list 6 verb_hint:text 7 objects:list 8 constraints:list 9 budget:text "
           "10 persistent:bool");
  CHECK(table_of(memory_type::constraint)
        == "1 statement:text! 2 polarity:name=neutral 3 trigger:text 4 strength:name! "
           "5 source:name!");
  CHECK(table_of(memory_type::capability)
        == "1 subject:text! 2 capability:text! 3 parameters:text 4 verified:bool=false "
           "5 last_observed:time=created_at");
  CHECK(table_of(memory_type::pattern)
        == "1 statement:text! 2 derived_from:list 3 strength:real01=0 4 coverage:int=0");
  CHECK(table_of(memory_type::decision) == "1 statement:text! 2 rationale:text 3 replaces:id");
  CHECK(table_of(memory_type::commitment)
        == "1 statement:text! 2 due_date:time 3 counterparty:text");
  CHECK(table_of(memory_type::blocker) == "1 statement:text! 2 blocked_ref:text");
  CHECK(table_of(memory_type::note) == "1 statement:text! 2 label:text");
  CHECK(table_of(memory_type::topic) == "1 title:text! 2 summary:text 3 topic_kind:text");
  CHECK(table_of(memory_type::chunk)
        == "1 content:text! 2 path:text! 3 source_type:name=local 4 chunk_index:int=0 "
           "5 promoted_to:id");
  CHECK(fields_of(memory_type{}).empty());
  CHECK(fields_of(static_cast<memory_type>(16)).empty());
}

TEST_CASE("names of enum fields") {
  const auto names = [](memory_type type, std::string_view field) {
    const field_schema* f = find_field(type, field);
    REQUIRE(f != nullptr);
    return fmt::format("{}", fmt::join(f->names, " "));
  };
  CHECK(names(memory_type::preference, "polarity") == "prefer avoid neutral do dont");
  CHECK(names(memory_type::constraint, "polarity") == "prefer avoid neutral do dont");
  CHECK(names(memory_type::constraint, "strength") == "soft firm hard");
  CHECK(names(memory_type::constraint, "source") == "user_declared learned inferred");
  CHECK(names(memory_type::belief, "stance") == "believe doubt suspect");
  CHECK(names(memory_type::goal, "status") == "active paused completed abandoned");
  CHECK(names(memory_type::event, "kind")
        == "intent_completed intent_failed payment dispatch observation interaction");
  CHECK(names(memory_type::event, "outcome") == "success failure partial");
  CHECK(names(memory_type::chunk, "source_type") == "github local");
  CHECK(find_field(memory_type::fact, "polarity") == nullptr);
  CHECK(find_field(memory_type::fact, "Statement") == nullptr);
}

TEST_CASE("defaults fill what may be left out, and only that") {
  const timestamp created{42};
  const auto filled = [&](memory_type type) { return with_defaults(type, {}, created); };
  CHECK(filled(memory_type::fact).empty());
  CHECK(filled(memory_type::preference) == memory_data{{"strength_val", 0.0}});
  CHECK(filled(memory_type::belief) == memory_data{{"subject", std::string()}});
  CHECK(filled(memory_type::constraint) == memory_data{{"polarity", std::string("neutral")}});
  CHECK(filled(memory_type::capability)
        == memory_data{{"verified", false}, {"last_observed", created}});
  CHECK(filled(memory_type::pattern)
        == memory_data{{"strength", 0.0}, {"coverage", std::int64_t{0}}});
  CHECK(filled(memory_type::chunk)
        == memory_data{{"source_type", std::string("local")}, {"chunk_index", std::int64_t{0}}});
  // What is there stays, and an integer given for a number becomes one.
  CHECK(with_defaults(memory_type::pattern,
                      {{"strength", std::int64_t{1}}, {"coverage", std::int64_t{7}}}, created)
        == memory_data{{"strength", 1.0}, {"coverage", std::int64_t{7}}});
}
