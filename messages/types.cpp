#include "mneme/types.hpp"

#include "mneme/agents.hpp"

#include <array>
#include <span>

#include "mneme/changes.hpp"
#include "mneme/erasure.hpp"
#include "mneme/topics.hpp"

namespace mneme {

namespace {

/// Names of an enum's values in order; every enum of the model starts at 1 and has no gaps.
template <class Enum>
constexpr std::array<std::string_view, 0> names_of;

template <>
constexpr std::array<std::string_view, memory_type_count> names_of<memory_type> = {
    "Identity", "Fact",     "Preference", "Belief",  "Event", "Goal",  "Constraint", "Capability",
    "Pattern",  "Decision", "Commitment", "Blocker", "Note",  "Topic", "Chunk"};
template <>
constexpr std::array<std::string_view, edge_type_count> names_of<edge_type> = {
    "derived_from", "supersedes",    "references",  "contradicts", "corroborates",
    "consents_to",  "dispatched_to", "attested_by", "cited_in",    "tombstones",
    "part_of",      "instance_of",   "caused_by",   "observed_by", "related_to"};
template <>
constexpr std::array<std::string_view, 3> names_of<visibility> = {"private", "scoped",
                                                                  "actor_public"};
template <>
constexpr std::array<std::string_view, 10> names_of<verb> = {
    "find",    "acquire",   "build",    "modify",  "deliver",
    "analyze", "negotiate", "schedule", "monitor", "delegate"};
template <>
constexpr std::array<std::string_view, 8> names_of<object_kind> = {
    "service", "model", "agent", "knowledge", "intent", "asset", "plan", "capability"};
template <>
constexpr std::array<std::string_view, 4> names_of<provenance_source> = {"user_input", "derived",
                                                                         "observed", "imported"};
template <>
constexpr std::array<std::string_view, 4> names_of<source_class> = {"user", "tool", "model", "web"};
template <>
constexpr std::array<std::string_view, 6> names_of<lifecycle_status> = {
    "open", "waiting", "scheduled", "resolved", "expired", "archived"};
template <>
constexpr std::array<std::string_view, 4> names_of<lifecycle_origin> = {"manual", "hook", "mcp",
                                                                        "auto"};
template <>
constexpr std::array<std::string_view, 2> names_of<lifecycle_audience> = {"personal", "work"};
template <>
constexpr std::array<std::string_view, 5> names_of<tombstone_cause> = {
    "superseded", "wrong", "deleted", "expired", "erased"};
template <>
constexpr std::array<std::string_view, change_kind_count> names_of<change_kind> = {
    "written",     "updated",        "head_changed",   "tombstoned", "restored",
    "edge_added",  "edge_removed",   "field_changed",  "archived",   "unarchived",
    "merged",      "salience_set",   "erased",         "hidden",     "tag_assigned",
    "weights_set", "snapshot_taken", "scope_violated", "trimmed",    "embedded",
    "found",       "reinforced",     "decayed",        "attested",   "learned",
    "compacted"};
template <>
constexpr std::array<std::string_view, 5> names_of<branch_outcome> = {"erased", "nothing", "busy",
                                                                      "missing", "failed"};
template <>
constexpr std::array<std::string_view, 2> names_of<attest_outcome> = {"success", "failure"};
template <>
constexpr std::array<std::string_view, 4> names_of<memory_mode> = {"Sparse", "Adaptive", "Spacey",
                                                                   "Eidetic"};
template <>
constexpr std::array<std::string_view, 3> names_of<colour_zone> = {"Core", "Mid", "Outer"};
template <>
constexpr std::array<std::string_view, 8> names_of<topic_field_type> = {
    "string", "int", "float", "bool", "date", "datetime", "list", "json"};
template <>
constexpr std::array<std::string_view, 7> names_of<topic_event_kind> = {
    "created", "salience", "meta", "embedding", "field", "archived", "merged"};

template <class Enum>
std::string_view name_of(Enum v) noexcept {
  const auto index = static_cast<std::size_t>(v) - 1;
  return index < names_of<Enum>.size() ? names_of<Enum>[index] : std::string_view();
}

} // namespace

std::string_view to_string(memory_type v) noexcept {
  return name_of(v);
}
std::string_view to_string(edge_type v) noexcept {
  return name_of(v);
}
std::string_view to_string(visibility v) noexcept {
  return name_of(v);
}
std::string_view to_string(verb v) noexcept {
  return name_of(v);
}
std::string_view to_string(object_kind v) noexcept {
  return name_of(v);
}
std::string_view to_string(provenance_source v) noexcept {
  return name_of(v);
}
std::string_view to_string(source_class v) noexcept {
  return name_of(v);
}
std::string_view to_string(lifecycle_status v) noexcept {
  return name_of(v);
}
std::string_view to_string(lifecycle_origin v) noexcept {
  return name_of(v);
}
std::string_view to_string(lifecycle_audience v) noexcept {
  return name_of(v);
}
std::string_view to_string(tombstone_cause v) noexcept {
  return name_of(v);
}
std::string_view to_string(attest_outcome v) noexcept {
  return name_of(v);
}
std::string_view to_string(branch_outcome v) noexcept {
  return name_of(v);
}
std::string_view to_string(change_kind v) noexcept {
  return name_of(v);
}
std::string_view to_string(memory_mode v) noexcept {
  return name_of(v);
}
std::string_view to_string(colour_zone v) noexcept {
  return name_of(v);
}
std::string_view to_string(topic_field_type v) noexcept {
  return name_of(v);
}
std::string_view to_string(topic_event_kind v) noexcept {
  return name_of(v);
}
std::string_view to_string(retrieve_stage v) noexcept {
  constexpr std::array<std::string_view, 3> names = {"semantic", "structural", "temporal"};
  const auto index = static_cast<std::size_t>(v);
  return index < names.size() ? names[index] : std::string_view();
}

template <class Enum>
std::optional<Enum> parse_enum(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names_of<Enum>.size(); ++i)
    if (names_of<Enum>[i] == name) return static_cast<Enum>(i + 1);
  return std::nullopt;
}

template std::optional<memory_type> parse_enum<memory_type>(std::string_view) noexcept;
template std::optional<edge_type> parse_enum<edge_type>(std::string_view) noexcept;
template std::optional<visibility> parse_enum<visibility>(std::string_view) noexcept;
template std::optional<verb> parse_enum<verb>(std::string_view) noexcept;
template std::optional<object_kind> parse_enum<object_kind>(std::string_view) noexcept;
template std::optional<provenance_source> parse_enum<provenance_source>(std::string_view) noexcept;
template std::optional<source_class> parse_enum<source_class>(std::string_view) noexcept;
template std::optional<lifecycle_status> parse_enum<lifecycle_status>(std::string_view) noexcept;
template std::optional<lifecycle_origin> parse_enum<lifecycle_origin>(std::string_view) noexcept;
template std::optional<lifecycle_audience>
    parse_enum<lifecycle_audience>(std::string_view) noexcept;
template std::optional<tombstone_cause> parse_enum<tombstone_cause>(std::string_view) noexcept;
template std::optional<attest_outcome> parse_enum<attest_outcome>(std::string_view) noexcept;
template std::optional<change_kind> parse_enum<change_kind>(std::string_view) noexcept;
template std::optional<memory_mode> parse_enum<memory_mode>(std::string_view) noexcept;
template std::optional<colour_zone> parse_enum<colour_zone>(std::string_view) noexcept;
template std::optional<topic_field_type> parse_enum<topic_field_type>(std::string_view) noexcept;
template std::optional<topic_event_kind> parse_enum<topic_event_kind>(std::string_view) noexcept;

std::string to_string(const memory_key& key) {
  return key.name_space + " " + key.name;
}

} // namespace mneme
