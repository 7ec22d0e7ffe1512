#pragma once
/// Topics: memories of type Topic whose fields are versioned one by one, with their whole history;
/// the requests that change them, their audit log, and retrieve, the door to them.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mneme/past_marks.hpp"
#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

struct json_member;
/// Any JSON value. A number is an int64 where it was written without point and exponent, else a
/// double; the members of an object are in byte order of their names, each name once.
struct json_value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<json_value>,
               std::vector<json_member>>
      node;

  friend bool operator==(const json_value& a, const json_value& b);
};
struct json_member {
  std::string name;
  json_value value;

  friend bool operator==(const json_member& a, const json_member& b) {
    return a.name == b.name && a.value == b.value;
  }
};

/// What a field says of its values: a label, not checked. Stored; append-only.
enum class topic_field_type : std::uint8_t {
  string = 1,
  int_,
  float_,
  bool_,
  date,
  datetime,
  list,
  json,
};
std::string_view to_string(topic_field_type v) noexcept;

/// Saliences are fixed-point: this is 1.0.
inline constexpr std::int64_t salience_one_e9 = 1'000'000'000;
constexpr double salience_of(std::int64_t e9) {
  return static_cast<double>(e9) / static_cast<double>(salience_one_e9);
}

/// One value of a field. Immutable; `hash` is SHA-256 of the canonical bytes with an all-zero
/// hash. Numbers count from 1 in the order in which revisions came to the field.
struct field_revision {
  memory_id topic;
  std::string field;
  std::uint32_t number = 0;
  json_value value;
  timestamp valid_from; ///< half-open interval [valid_from, valid_until)
  std::optional<timestamp> valid_until;
  std::string why_changed;
  std::string impact_expected;
  std::string operation;
  mneme::provenance provenance;
  timestamp created_at;
  std::string created_by;
  /// The topic whose history this was before a merge filed it behind the field's own.
  std::optional<memory_id> merged_from;
  mneme::nonce nonce{};
  digest hash;

  friend bool operator==(const field_revision&, const field_revision&) = default;
};

/// What of a field stands in the `fields` tree: its canonical bytes are the value.
struct field_head {
  memory_id topic;
  std::string name;
  topic_field_type type = topic_field_type::string;
  std::optional<memory_id> ref_topic_id;
  std::uint32_t revisions = 0; ///< how many there are
  digest newest_hash;          ///< of the current revision

  friend bool operator==(const field_head&, const field_head&) = default;
};

/// What is left of a field that was erased (mneme/erasure.hpp): that it was there.
struct field_erasure {
  seq_no since; ///< the first entry of what was erased
  timestamp at;
  std::string by;
  std::string reason;

  friend bool operator==(const field_erasure&, const field_erasure&) = default;
};

/// A field whole but for its revisions.
struct topic_field {
  field_head head;
  std::uint32_t current = 0;                  ///< number of the current revision
  std::int64_t salience_e9 = salience_one_e9; ///< [0, 10] in units of 1e-9; never in a root
  /// Set: what it said is erased, and its head has the name alone. Reads of fields leave it out,
  /// and tell of it beside them.
  std::optional<field_erasure> erased{};

  friend bool operator==(const topic_field&, const topic_field&) = default;
};

/// The value that a field is to get next.
struct field_input {
  std::string name; ///< 1..128 bytes
  json_value value;
  /// Default: the field's; of a new field what the value is (text is string, an object json).
  std::optional<topic_field_type> type;
  std::optional<memory_id> ref_topic_id; ///< an existing topic; default: the field's
  std::optional<double> salience;        ///< [0, 10]; default: the field's, 1.0 of a new one
  std::optional<timestamp> valid_from;   ///< default: now
  std::optional<timestamp> valid_until;
  std::string why_changed;
  std::string impact_expected;
  std::string operation;
  mneme::provenance provenance;
};

/// An edge from the topic.
struct topic_link {
  memory_id topic_id;
  std::uint8_t type = static_cast<std::uint8_t>(edge_type::related_to); ///< raw, as of an edge
  std::string kind;
};

enum class ingest_placement : std::uint8_t { new_topic, extend_topic, version_field };

/// new_topic writes a topic; extend_topic adds to one; version_field gives one field that exists
/// its next revision. All or nothing.
struct ingest_request {
  ingest_placement placement{};
  std::optional<memory_id> topic_id; ///< of new_topic: an id of the caller's own
  std::optional<std::string> title;
  std::optional<std::string> summary;
  std::optional<std::string> topic_kind;
  std::optional<double> salience; ///< >= 0, sets topic_salience
  std::optional<std::vector<float>> vector;
  std::string actor;                           ///< of new_topic the actor_scope
  std::optional<mneme::visibility> visibility; ///< new_topic only; default private
  std::vector<field_input> fields;             ///< in this order; a name may come again
  std::vector<topic_link> links;
  std::optional<std::string> created_by{}; ///< who acts; default: actor
  /// How far all this is to be trusted, and whose word it is: of a new topic, and of the fields
  /// whose own provenance tells neither. A topic that is there is trusted less by it, never more.
  std::optional<double> trust{}; ///< in [0,1]
  std::optional<mneme::source_class> source_class{};
};

/// Merges topics with equal titles (of one actor_scope and visibility) into the smallest id.
struct revise_request {
  std::string actor;
};
/// Archives topics whose topic_salience is below 0.05, and halves it.
struct forget_request {
  std::string actor;
};
/// Brings an archived topic back: its lifecycle status becomes open.
struct unarchive_request {
  memory_id id;
  std::string actor;
};

/// For importers of an export: a field with all its revisions, as they were.
struct put_field_record_request {
  topic_field field;
  std::vector<field_revision> revisions; ///< 1 to field.head.revisions
  bool brings_back_erased = false;       ///< else what was erased of the topic stays away
};

struct merged_topics {
  memory_id keeper;
  memory_id loser;

  friend bool operator==(const merged_topics&, const merged_topics&) = default;
};

/// What a request about topics did.
struct topic_changes {
  std::vector<std::string> applied; ///< created_topic:<id>, field:<name>, edge:<id>, …
  std::map<std::string, std::uint32_t, std::less<>> revisions; ///< newest by field
  /// ingest with a title: at most 8 topics that have the same one, or an alias that is, but for
  /// case, accents and spaces; ascending.
  std::vector<memory_id> same_title_ids;
  /// ingest: at most 8, nearest first, as of when it was asked.
  std::vector<memory_id> similar_topic_ids;
  std::vector<merged_topics> merged; ///< revise
  std::vector<memory_id> archived;   ///< forget, ascending
};

/// Stored; append-only.
enum class topic_event_kind : std::uint8_t {
  created = 1,
  salience,
  meta,
  embedding,
  field,
  archived,
  merged,
};
std::string_view to_string(topic_event_kind v) noexcept;

/// One line of a topic's audit log, derived from the journal entry `seq`.
struct topic_event {
  seq_no seq;
  timestamp ts;
  topic_event_kind kind{};
  std::optional<std::int64_t> from_e9; ///< salience before
  std::optional<std::int64_t> to_e9;
  std::string reason;
  std::string field;
  std::optional<std::uint32_t> revision; ///< of the field; of kind meta the topic's version
  std::optional<memory_id> topic;        ///< the other one of a merge

  friend bool operator==(const topic_event&, const topic_event&) = default;
};

/// A field as a reader gets it.
struct topic_field_view {
  topic_field field;
  /// Absent where no revision was valid at the time asked for.
  std::optional<field_revision> current;
  /// Newest first, then what merges filed behind it by valid_from (latest first). The current one
  /// alone unless the history was asked for.
  std::vector<field_revision> history;
};

/// So many revisions of a field does a reply hold; more are kept than are shown.
inline constexpr std::int64_t default_history_limit = 500;

struct field_options {
  bool history = false;
  std::int64_t history_limit = default_history_limit;
  std::optional<timestamp> as_of{}; ///< valid time: which revision is the current one
  /// A current one that has ended by then is not told; without, it is.
  std::optional<timestamp> ended_by{};
};

enum class retrieve_stage : std::uint8_t { semantic, structural, temporal };
std::string_view to_string(retrieve_stage v) noexcept;

struct retrieve_request {
  std::string q; ///< non-blank
  /// Absent = all three. Empty = bundles without neighbours and fields.
  std::optional<std::vector<retrieve_stage>> stages{};
  bool explain = false; ///< with the stage temporal: whole histories
  std::int64_t top_k = 8;
  std::optional<std::vector<memory_id>> topic_ids{};
  std::optional<std::vector<std::string>> field_names{};
  std::optional<std::vector<float>> vector{}; ///< of q; default: embedded by the world's embedder
  std::optional<timestamp> as_of{};           ///< valid time of field values, and of topics' ends
  /// Also topics that no longer hold, and are not named by topic_ids, and values that have ended.
  bool include_ended = false;
  /// In [0,1]: leaves out topics and neighbours that are trusted less; not those that topic_ids
  /// name.
  std::optional<double> min_trust{};
  std::optional<seq_no> at_seq{};
  /// What has ended by; default: the clock, with at_seq the time of that entry.
  std::optional<timestamp> now{};
  bool expand_refs = false;                    ///< topics that fields refer to are neighbours too
  std::optional<bool> touch{};                 ///< default true; at_seq: false
  std::optional<std::string> actor{};          ///< who is asking; absent or "" = the host, sees all
  std::shared_ptr<const mneme::scope> scope{}; ///< shows what it opens, and nothing else
  std::int64_t history_limit = default_history_limit;
  std::optional<std::int64_t> deadline_ms{};
};

struct topic_neighbour {
  memory_id id;
  std::string title;
  std::string kind; ///< the edge's kind, or its type; of a reference ref:<field>
  bool outgoing = true;
};

struct topic_bundle {
  memory_id topic_id;
  std::string title;
  std::string summary;
  std::string topic_kind;
  std::int64_t salience_e9 = salience_one_e9; ///< before the touch
  std::optional<double> similarity;           ///< cosine; only where semantic ran
  std::optional<std::vector<topic_neighbour>> neighbours;
  std::optional<std::vector<topic_field_view>> fields;
  memory_standing standing{};
  bool trust_told = false; ///< its content says how far it is trusted, or whose word it is
  std::optional<mneme::source_class> source_class{};
  std::vector<topic_field> erased_fields{}; ///< of those that `fields` would have, by name
  past_marks past{};                        ///< of what no longer holds, and was named or asked for
};

struct retrieve_result {
  std::vector<topic_bundle> candidates;
  std::string summary_text;
  seq_no at_seq;
  std::optional<seq_no> seq; ///< of the reinforce entry
};

} // namespace mneme
