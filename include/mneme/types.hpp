#pragma once
/// The domain: typed memories with versions, tags, vectors; typed edges. Plain values; validation
/// and the canonical bytes live in messages/. All byte values of the enums are stored and are
/// append-only: never renumber.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mneme/ids.hpp"
#include "mneme/shared.hpp"

namespace mneme {

enum class memory_type : std::uint8_t {
  identity = 0x01,
  fact = 0x02,
  preference = 0x03,
  belief = 0x04,
  event = 0x05,
  goal = 0x06,
  constraint = 0x07,
  capability = 0x08,
  pattern = 0x09,
  decision = 0x0A,
  commitment = 0x0B,
  blocker = 0x0C,
  note = 0x0D,
  topic = 0x0E,
  chunk = 0x0F,
};
inline constexpr std::uint8_t memory_type_count = 15;

enum class edge_type : std::uint8_t {
  derived_from = 0x01,
  supersedes = 0x02,
  references = 0x03,
  contradicts = 0x04,
  corroborates = 0x05,
  consents_to = 0x06,
  dispatched_to = 0x07,
  attested_by = 0x08,
  cited_in = 0x09,
  tombstones = 0x0A,
  part_of = 0x0B,
  instance_of = 0x0C,
  caused_by = 0x0D,
  observed_by = 0x0E,
  related_to = 0x0F,
};
inline constexpr std::uint8_t edge_type_count = 15;

enum class visibility : std::uint8_t { private_ = 1, scoped = 2, actor_public = 3 };

enum class verb : std::uint8_t {
  find = 1,
  acquire,
  build,
  modify,
  deliver,
  analyze,
  negotiate,
  schedule,
  monitor,
  delegate,
};

enum class object_kind : std::uint8_t {
  service = 1,
  model,
  agent,
  knowledge,
  intent,
  asset,
  plan,
  capability,
};

enum class provenance_source : std::uint8_t { user_input = 1, derived, observed, imported };

/// Whose word a content is: a person's, what a tool gave, what a model made of it, or a page of the
/// web. docs/TRUST.md says how far each is trusted where nothing else is told.
enum class source_class : std::uint8_t { user = 1, tool, model, web };

enum class lifecycle_status : std::uint8_t {
  open = 1,
  waiting,
  scheduled,
  resolved,
  expired,
  archived,
};
enum class lifecycle_origin : std::uint8_t { manual = 1, hook, mcp, auto_ };
enum class lifecycle_audience : std::uint8_t { personal = 1, work };

/// Why a memory is no longer valid.
enum class tombstone_cause : std::uint8_t { superseded = 1, wrong, deleted, expired, erased };

/// How the signals of a coloured memory rise and fall: the columns of the table in docs/CHROMA.md.
enum class memory_mode : std::uint8_t { sparse = 1, adaptive, spacey, eidetic };

/// Which ring of the semantic stack an anchor is in; by its rank, never by its radius.
enum class colour_zone : std::uint8_t { core = 1, mid, outer };

// Names as they stand in JSON and uris ("Fact", "derived_from", "private", …). The parse functions
// return nullopt for a name that is not in the enum.
std::string_view to_string(memory_type v) noexcept;
std::string_view to_string(edge_type v) noexcept;
std::string_view to_string(visibility v) noexcept;
std::string_view to_string(verb v) noexcept;
std::string_view to_string(object_kind v) noexcept;
std::string_view to_string(provenance_source v) noexcept;
std::string_view to_string(source_class v) noexcept;
std::string_view to_string(lifecycle_status v) noexcept;
std::string_view to_string(lifecycle_origin v) noexcept;
std::string_view to_string(lifecycle_audience v) noexcept;
std::string_view to_string(tombstone_cause v) noexcept;
std::string_view to_string(memory_mode v) noexcept;
std::string_view to_string(colour_zone v) noexcept;
/// Enum value by name; specialised for every enum above.
template <class Enum>
std::optional<Enum> parse_enum(std::string_view name) noexcept;

/// One version of one memory: mneme://<Type>/<ulid>#<version>, version >= 1.
struct memory_uri {
  memory_type type{};
  memory_id id;
  std::uint32_t version = 0;

  friend auto operator<=>(const memory_uri&, const memory_uri&) = default;
};
std::string to_string(const memory_uri& uri);
/// `#latest`, version 0, an unknown type or a malformed id are bad_uri.
result<memory_uri> parse_memory_uri(std::string_view text);

/// Value of a data field. Enums are held as their names. Lists are lists of text.
using field_value = std::variant<std::string, std::int64_t, double, bool, timestamp, memory_id,
                                 std::vector<std::string>>;
/// Typed data of a memory by field name; which names and kinds a type has is the closed schema
/// of messages/validate/schema.hpp. `cost` is two fields, "cost.asset" and "cost.amount".
using memory_data = std::map<std::string, field_value, std::less<>>;

using scalar = std::variant<std::string, std::int64_t, double, bool>;
/// Free metadata beside the typed data: a scalar or a list of scalars.
using meta_value = std::variant<std::string, std::int64_t, double, bool, std::vector<scalar>>;
using metadata_map = std::map<std::string, meta_value, std::less<>>;

/// What a memory is about in an agent's intents; `ref` is 1..256 bytes.
struct intent_frame {
  verb action{};
  object_kind kind{};
  std::string ref;

  friend auto operator<=>(const intent_frame&, const intent_frame&) = default;
};

struct provenance {
  provenance_source source = provenance_source::user_input;
  std::vector<std::string> derived_from; ///< uris
  std::vector<std::string> attestations;
  std::string signed_by;
  std::optional<timestamp> signed_at;
  std::string signature;
  std::optional<double> trust{};                     ///< in [0,1]; default: that of its class, or 1
  std::optional<mneme::source_class> source_class{}; ///< absent = not told

  friend bool operator==(const provenance&, const provenance&) = default;
};

struct forms {
  std::string short_form;
  std::string medium_form;

  friend bool operator==(const forms&, const forms&) = default;
};

/// Caller's own forms; what is absent is rendered automatically.
struct forms_override {
  std::optional<std::string> short_form;
  std::optional<std::string> medium_form;

  friend bool operator==(const forms_override&, const forms_override&) = default;
};

struct lifecycle {
  std::optional<lifecycle_status> status;
  std::optional<timestamp> due_date;
  std::string project;
  std::optional<lifecycle_origin> origin;
  bool atomic = false;
  std::optional<lifecycle_audience> audience;

  friend bool operator==(const lifecycle&, const lifecycle&) = default;
};

struct tombstone {
  std::string reason;
  tombstone_cause cause = tombstone_cause::deleted;
  std::optional<memory_id> superseded_by;
  timestamp at;
  std::string by;

  friend bool operator==(const tombstone&, const tombstone&) = default;
};

/// The colour of a memory in L*a*b* (fixed at write).
struct colour {
  std::vector<std::string> hashtags;
  double L = 0;
  double a = 0;
  double b = 0;
  std::string mode; ///< name of a memory_mode

  friend bool operator==(const colour&, const colour&) = default;
};

/// What touches and decay cycles change of a coloured memory; never inside a root, rebuilt exactly
/// by replay.
struct colour_signals {
  std::int64_t strength_e9 = 0; ///< strength_raw in units of 1e-9; >= 0
  timestamp last_accessed;      ///< created_at until the first touch
  std::optional<timestamp> last_decay_at;
  bool ascended = false; ///< keeps its strength for good
  bool rotten = false;   ///< left out unless asked for; never together with ascended

  friend bool operator==(const colour_signals&, const colour_signals&) = default;
};

/// Which version carries the memory's vector, and of what dimension.
struct embedding_ref {
  std::uint32_t dim = 0;
  std::uint32_t version = 0;

  friend bool operator==(const embedding_ref&, const embedding_ref&) = default;
};

/// 16 random bytes in every record, so that a hash does not let a guess be confirmed after erasure.
using nonce = std::array<std::uint8_t, 16>;

/// What a host calls a memory by: a name in a namespace of the host's. At most one memory of a
/// world that is not erased has it, whoever's it is.
struct memory_key {
  std::string name_space; ///< 1..512 bytes
  std::string name;       ///< 1..512 bytes

  friend auto operator<=>(const memory_key&, const memory_key&) = default;
};

/// Both names, for people to read.
std::string to_string(const memory_key& key);

/// The mutable part of a memory, one per memory. Its canonical bytes are the value in the
/// `memories` tree; `version_hash` anchors the current version.
struct head {
  memory_id id;
  memory_type type{};
  std::uint32_t current_version = 0;
  std::string actor_scope;
  mneme::visibility visibility = mneme::visibility::private_;
  std::uint8_t declared_importance = 5; ///< 0..10
  std::vector<std::string> tags;        ///< sorted bytewise, distinct
  std::vector<intent_frame> frames;
  metadata_map metadata;
  std::optional<mneme::lifecycle> lifecycle;
  std::optional<mneme::colour> colour;
  std::optional<mneme::tombstone> tombstone;
  std::optional<embedding_ref> embedding;
  timestamp created_at;
  timestamp last_updated_at;
  digest version_hash;
  bool erased = false;
  mneme::nonce nonce{};
  std::optional<memory_key> key{}; ///< of what was put by one

  friend bool operator==(const head&, const head&) = default;
};

/// One immutable version, numbered from 1. `hash` is SHA-256 of the canonical bytes with an
/// all-zero hash.
struct version {
  memory_id id;
  std::uint32_t number = 0;
  memory_type type{};
  memory_data data;
  timestamp created_at;
  std::string created_by;
  std::optional<timestamp> expires_at;
  double confidence = 1.0;
  mneme::provenance provenance;
  mneme::forms forms;
  bool short_overridden = false;
  bool medium_overridden = false;
  timestamp valid_from;
  std::optional<timestamp> valid_until; ///< half-open interval [valid_from, valid_until)
  mneme::nonce nonce{};
  digest hash;
  std::string payload{}; ///< the host's own, as it was given; in no index. Empty = none

  friend bool operator==(const version&, const version&) = default;
};

/// Identity of an edge; orders as its key bytes do: source, type, destination.
struct edge_key {
  memory_id src;
  edge_type type{};
  memory_id dst;

  friend auto operator<=>(const edge_key&, const edge_key&) = default;
};

struct edge_record {
  edge_key key;
  timestamp created_at;
  std::string created_by;
  float weight = 1.0F;
  std::string data; ///< opaque bytes, <= 64 KiB
  std::string kind; ///< free text, for topic links
  bool tombstoned = false;
  std::optional<timestamp> tombstoned_at;
  std::string tombstoned_reason;
  std::string tombstoned_by;
  mneme::nonce nonce{};

  friend bool operator==(const edge_record&, const edge_record&) = default;
};

/// What reinforcement changes; never inside a root, rebuilt exactly by replay.
struct activation {
  timestamp last_used;
  std::int64_t access_count = 0;
  std::int64_t citations = 0;
  std::uint8_t importance = 5;                    ///< follows declared_importance
  std::int64_t topic_salience_e9 = 1'000'000'000; ///< of topics, in units of 1e-9

  friend bool operator==(const activation&, const activation&) = default;
};

/// How far a memory can be relied on, by itself and by all that it rests on (docs/TRUST.md).
struct memory_standing {
  /// The least of its own trust and of all that it rests on.
  double trust = 1;
  /// Something that it rests on was tombstoned, superseded or contradicted since it was last
  /// affirmed.
  bool stale = false;
  /// It rests on more than is looked at; trust and stale are those of what was.
  bool truncated = false;

  friend bool operator==(const memory_standing&, const memory_standing&) = default;
};

/// A memory as a reader gets it: head, one version, activation as of the seq read. Head and version
/// are shared with whoever else has been given them.
struct memory {
  shared<mneme::head> head;
  shared<mneme::version> version;
  mneme::activation activation;
  std::optional<colour_signals> signals{}; ///< of a memory with a colour
  memory_standing standing{};              ///< as of the seq read
};

/// The space that a world's vectors live in; vectors of another space are never compared.
struct vector_space {
  std::string model; ///< name@digest; "external" for callers' vectors; empty = none yet
  std::uint32_t dim = 0;

  friend bool operator==(const vector_space&, const vector_space&) = default;
};

} // namespace mneme
