#include "messages/validate/schema.hpp"

#include <array>
#include <cstddef>

namespace mneme {

namespace {

using std::string_view;

constexpr std::array<string_view, 3> stances = {"believe", "doubt", "suspect"};
constexpr std::array<string_view, 5> polarities = {"prefer", "avoid", "neutral", "do", "dont"};
constexpr std::array<string_view, 3> constraint_strengths = {"soft", "firm", "hard"};
constexpr std::array<string_view, 3> constraint_sources = {"user_declared", "learned", "inferred"};
constexpr std::array<string_view, 4> goal_states = {"active", "paused", "completed", "abandoned"};
constexpr std::array<string_view, 6> event_kinds = {
    "intent_completed", "intent_failed", "payment", "dispatch", "observation", "interaction"};
constexpr std::array<string_view, 3> outcomes = {"success", "failure", "partial"};
constexpr std::array<string_view, 2> chunk_sources = {"github", "local"};

/// Builds one row of a table. The three classes of a field: required, optional, and plain (may be
/// left out and then takes its default).
struct field : field_schema {
  constexpr field(std::uint8_t its_number, string_view its_name, field_kind its_kind)
      : field_schema{.name = its_name, .number = its_number, .kind = its_kind} {}
  constexpr field(std::uint8_t its_number, string_view its_name,
                  std::span<const string_view> its_names)
      : field(its_number, its_name, field_kind::name) {
    names = its_names;
  }
  [[nodiscard]] constexpr field must() const {
    field copy = *this;
    copy.required = true;
    return copy;
  }
  [[nodiscard]] constexpr field or_else(string_view text) const {
    field copy = *this;
    copy.default_text = text;
    return copy;
  }
  [[nodiscard]] constexpr field in_unit_interval() const {
    field copy = *this;
    copy.unit_interval = true;
    return copy;
  }
};

using enum field_kind;

constexpr std::array<field_schema, 5> identity_fields = {
    field(1, "name", text).must(),      field(2, "did", text),
    field(3, "wallets", text_list),     field(4, "roles", text_list),
    field(5, "public_keys", text_list),
};
constexpr std::array<field_schema, 6> fact_fields = {
    field(1, "statement", text).must(), field(2, "subject", text).must(),
    field(3, "predicate", text).must(), field(4, "object", text),
    field(5, "source", text),           field(6, "as_of", time),
};
constexpr std::array<field_schema, 5> preference_fields = {
    field(1, "topic", text).must(),
    field(2, "value", text),
    field(3, "polarity", polarities).must(),
    field(4, "strength_val", real).in_unit_interval().or_else("0"),
    field(5, "rationale", text),
};
constexpr std::array<field_schema, 5> belief_fields = {
    field(1, "statement", text).must(),      field(2, "subject", text).or_else(""),
    field(3, "stance", stances).must(),      field(4, "evidence_for", text_list),
    field(5, "evidence_against", text_list),
};
constexpr std::array<field_schema, 9> event_fields = {
    field(1, "kind", event_kinds).must(),
    field(2, "intent_ref", text),
    field(3, "counterparty", text),
    field(4, "outcome", outcomes).must(),
    field(5, "cost.asset", text),
    field(6, "cost.amount", text),
    field(7, "duration", integer),
    field(8, "artifacts", text_list),
    field(9, "summary", text),
};
constexpr std::array<field_schema, 10> goal_fields = {
    field(1, "statement", text).must(),
    field(2, "horizon_end", time),
    field(3, "success_criteria", text_list),
    field(4, "status", goal_states).must(),
    field(5, "subgoals", text_list),
    field(6, "verb_hint", text),
    field(7, "objects", text_list),
    field(8, "constraints", text_list),
    field(9, "budget", text),
    field(10, "persistent", boolean),
};
constexpr std::array<field_schema, 5> constraint_fields = {
    field(1, "statement", text).must(),
    field(2, "polarity", polarities).or_else("neutral"),
    field(3, "trigger", text),
    field(4, "strength", constraint_strengths).must(),
    field(5, "source", constraint_sources).must(),
};
constexpr std::array<field_schema, 5> capability_fields = {
    field(1, "subject", text).must(),
    field(2, "capability", text).must(),
    field(3, "parameters", text),
    field(4, "verified", boolean).or_else("false"),
    field(5, "last_observed", time).or_else("created_at"),
};
constexpr std::array<field_schema, 4> pattern_fields = {
    field(1, "statement", text).must(),
    field(2, "derived_from", text_list),
    field(3, "strength", real).in_unit_interval().or_else("0"),
    field(4, "coverage", integer).or_else("0"),
};
constexpr std::array<field_schema, 3> decision_fields = {
    field(1, "statement", text).must(),
    field(2, "rationale", text),
    field(3, "replaces", id),
};
constexpr std::array<field_schema, 3> commitment_fields = {
    field(1, "statement", text).must(),
    field(2, "due_date", time),
    field(3, "counterparty", text),
};
constexpr std::array<field_schema, 2> blocker_fields = {
    field(1, "statement", text).must(),
    field(2, "blocked_ref", text),
};
constexpr std::array<field_schema, 2> note_fields = {
    field(1, "statement", text).must(),
    field(2, "label", text),
};
constexpr std::array<field_schema, 3> topic_fields = {
    field(1, "title", text).must(),
    field(2, "summary", text),
    field(3, "topic_kind", text),
};
constexpr std::array<field_schema, 5> chunk_fields = {
    field(1, "content", text).must(),
    field(2, "path", text).must(),
    field(3, "source_type", chunk_sources).or_else("local"),
    field(4, "chunk_index", integer).or_else("0"),
    field(5, "promoted_to", id),
};

constexpr std::array<std::span<const field_schema>, memory_type_count> tables = {
    identity_fields,   fact_fields,       preference_fields, belief_fields,  event_fields,
    goal_fields,       constraint_fields, capability_fields, pattern_fields, decision_fields,
    commitment_fields, blocker_fields,    note_fields,       topic_fields,   chunk_fields};

/// The codec finds a field by its number as an index.
constexpr bool numbers_are_positions() {
  for (const auto table : tables)
    for (std::size_t i = 0; i < table.size(); ++i)
      if (table[i].number != i + 1) return false;
  return true;
}
static_assert(numbers_are_positions());

} // namespace

std::span<const field_schema> fields_of(memory_type type) noexcept {
  const auto index = static_cast<std::size_t>(type) - 1;
  return index < tables.size() ? tables[index] : std::span<const field_schema>();
}

const field_schema* find_field(memory_type type, string_view name) noexcept {
  for (const field_schema& f : fields_of(type))
    if (f.name == name) return &f;
  return nullptr;
}

} // namespace mneme
