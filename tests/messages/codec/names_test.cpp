// Names of enums stand in JSON and in uris, numbers in the journal: both are fixed here.
// Of: messages/types.cpp, messages/error.cpp

#include <set>

#include <catch2/catch.hpp>

#include "messages/codec/entry.hpp"
#include "mneme/error.hpp"
#include "mneme/types.hpp"

using namespace mneme;

namespace {

template <class Enum>
void check_names(const std::vector<std::string_view>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = static_cast<Enum>(i + 1);
    CHECK(to_string(value) == names[i]);
    CHECK(parse_enum<Enum>(names[i]) == value);
  }
  CHECK(to_string(static_cast<Enum>(0)).empty());
  CHECK(to_string(static_cast<Enum>(names.size() + 1)).empty());
  CHECK(to_string(static_cast<Enum>(255)).empty());
  CHECK(parse_enum<Enum>("") == std::nullopt);
  CHECK(parse_enum<Enum>("nonsense") == std::nullopt);
}

} // namespace

TEST_CASE("enums have their names and numbers") {
  check_names<memory_type>({"Identity", "Fact", "Preference", "Belief", "Event", "Goal",
                            "Constraint", "Capability", "Pattern", "Decision", "Commitment",
                            "Blocker", "Note", "Topic", "Chunk"});
  check_names<edge_type>({"derived_from", "supersedes", "references", "contradicts", "corroborates",
                          "consents_to", "dispatched_to", "attested_by", "cited_in", "tombstones",
                          "part_of", "instance_of", "caused_by", "observed_by", "related_to"});
  check_names<visibility>({"private", "scoped", "actor_public"});
  check_names<verb>({"find", "acquire", "build", "modify", "deliver", "analyze", "negotiate",
                     "schedule", "monitor", "delegate"});
  check_names<object_kind>(
      {"service", "model", "agent", "knowledge", "intent", "asset", "plan", "capability"});
  check_names<provenance_source>({"user_input", "derived", "observed", "imported"});
  check_names<lifecycle_status>(
      {"open", "waiting", "scheduled", "resolved", "expired", "archived"});
  check_names<lifecycle_origin>({"manual", "hook", "mcp", "auto"});
  check_names<lifecycle_audience>({"personal", "work"});
  check_names<tombstone_cause>({"superseded", "wrong", "deleted", "expired", "erased"});
  CHECK(parse_enum<memory_type>("fact") == std::nullopt);
  CHECK(memory_type::chunk == static_cast<memory_type>(memory_type_count));
  CHECK(edge_type::related_to == static_cast<edge_type>(edge_type_count));
}

TEST_CASE("kinds of entries have their names and numbers") {
  const std::vector<std::string_view> names = {
      "write",       "update",     "tombstone",       "update_head",    "add_edge",
      "remove_edge", "field",      "topic_archive",   "topic_merge",    "embed",
      "find_late",   "reinforce",  "decay_cycle",     "attest",         "learn_weights",
      "compact",     "snapshot",   "scope_violation", "config",         "migration",
      "erase",       "assign_tag", "topic_unarchive", "topic_salience", "search_weights",
      "restore",     "trim"};
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(to_string(static_cast<entry_kind>(i + 1)) == names[i]);
  CHECK(to_string(entry_kind{}).empty());
  CHECK(to_string(static_cast<entry_kind>(28)).empty());
}

TEST_CASE("namespaces are in the order of their names") {
  CHECK(to_string(state_namespace::edges) == "edges");
  CHECK(to_string(state_namespace::fields) == "fields");
  CHECK(to_string(state_namespace::memories) == "memories");
  for (const auto ns : {state_namespace::edges, state_namespace::fields, state_namespace::memories})
    CHECK(parse_state_namespace(to_string(ns)) == ns);
  CHECK(parse_state_namespace("Edges") == std::nullopt);
  CHECK(to_string(static_cast<state_namespace>(3)).empty());
}

TEST_CASE("error codes have distinct names") {
  std::set<std::string_view> names;
  for (int i = 1; i <= static_cast<int>(errc::trimmed); ++i)
    names.insert(to_string(static_cast<errc>(i)));
  CHECK(names.size() == static_cast<std::size_t>(errc::trimmed));
  CHECK(names.count("") == 0);
  CHECK(to_string(errc::bad_json) == "bad_json");
  CHECK(to_string(errc::out_of_range) == "out_of_range");
  CHECK(to_string(errc::form_too_long) == "form_too_long");
  CHECK(to_string(errc::version_conflict) == "version_conflict");
  CHECK(to_string(errc::zero_id) == "zero_id");
  CHECK(to_string(errc::bad_regex) == "bad_regex");
  CHECK(to_string(errc::query_profile_error) == "query_profile_error");
  CHECK(to_string(errc::proof_mismatch) == "proof_mismatch");
  CHECK(to_string(errc::deadline_exceeded) == "deadline_exceeded");
  CHECK(to_string(errc::shutdown) == "shutdown");
  CHECK(to_string(errc{}).empty());
  CHECK(may_retry(errc::busy));
  CHECK(may_retry(errc::disk_full));
  CHECK(may_retry(errc::rate_limited));
  CHECK(!may_retry(errc::corrupt));
  CHECK(!may_retry(errc::version_conflict));
}
