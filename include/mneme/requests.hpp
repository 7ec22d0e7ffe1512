#pragma once
/// Requests that change a world, and what they answer. Validation is the engine's: a request that
/// breaks a rule gets a typed error and changes nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mneme/topics.hpp"
#include "mneme/types.hpp"

namespace mneme {

struct write_request {
  memory_type type{};
  memory_data data;
  std::string actor;           ///< the memory's actor_scope; "" = the host
  std::optional<memory_id> id; ///< drawn by the engine when absent
  mneme::visibility visibility = mneme::visibility::private_;
  std::int64_t importance = 5; ///< 0..10
  std::vector<std::string> tags;
  std::vector<intent_frame> frames;
  metadata_map metadata;
  std::optional<mneme::lifecycle> lifecycle;
  forms_override forms;
  std::optional<timestamp> valid_from; ///< default: created_at
  std::optional<timestamp> valid_until;
  std::optional<timestamp> expires_at;
  double confidence = 1.0; ///< 0 means 1.0
  mneme::provenance provenance;
  std::optional<std::vector<float>> vector;
  std::optional<std::string> created_by; ///< default: actor
  std::optional<timestamp> created_at;   ///< importers only; default: the engine's clock
  /// Give the memory a colour for good; at most 64, all assigned. Empty = no colour.
  std::vector<std::string> hashtags{};
  std::optional<memory_mode> mode{}; ///< of a memory with hashtags; default: adaptive
  /// What this memory takes the place of, at most 1,000, each in its current version (else
  /// version_conflict): it is tombstoned as superseded by this one, and an edge `supersedes` leads
  /// to it. What is named twice counts once.
  std::vector<memory_uri> supersedes{};
  bool similar = false; ///< the answer names what the memory is like
  /// UTF-8 of the host's own, at most 1 MiB, kept beside the data and given back as it was: found
  /// by nothing. Doors that speak JSON take and give JSON text.
  std::string payload{};
};

/// Writes the memory that has the key, or makes it: one step, whatever else is written meanwhile.
/// What is there gets a new version; what was tombstoned is back; an erased memory's key is free. A
/// memory keeps its id, its type (else type_data_mismatch), whose it is and its colour; all else is
/// what the put says, as if it were new.
struct put_request {
  memory_key key;
  /// Its id is that of a new key's memory (default: a drawn one); another than that of the memory
  /// that the key has, and `supersedes`, are bad_value.
  write_request content;
  /// Of the memory that the key has; 0: the key must have none, or a tombstoned one.
  std::optional<std::uint32_t> expect_version{};
};

/// Tombstones the memory that has the key. One that is not there, or tombstoned, changes nothing.
struct delete_by_request {
  memory_key key;
  std::string actor{};
  std::string reason{};
  std::optional<std::string> by{};
  std::optional<std::uint32_t> expect_version{};
};

/// Tombstones what has expired (expires_at) as `expired`: those of the earliest expiry first. The
/// host's alone.
struct sweep_request {
  std::string actor{};                 ///< who acts
  std::optional<std::string> by{};     ///< default: actor
  std::optional<std::string> reason{}; ///< default: "expired"
  std::optional<std::int64_t> limit{}; ///< 1..10,000, the default
};
inline constexpr std::int64_t max_swept = 10'000;

/// A span of a text that becomes another one. It must be there exactly once: not_found, else
/// bad_value, at "replace.old".
struct text_replacement {
  std::string from; ///< not empty
  std::string to;
  std::string field{}; ///< of the data; "" = whichever of its texts has the span
};

struct update_request {
  memory_uri uri;                  ///< any version of the memory is accepted
  std::optional<memory_type> type; ///< if given, must be the memory's
  memory_data data;                ///< replaces the old data whole
  std::string actor;
  forms_override forms;
  std::optional<timestamp> valid_from;
  std::optional<timestamp> valid_until;
  std::optional<timestamp> expires_at;
  double confidence = 1.0;
  mneme::provenance provenance;
  std::optional<std::vector<float>> vector;
  std::optional<std::string> created_by;
  std::optional<std::uint32_t> expect_version;
  std::optional<timestamp> created_at; ///< importers only
  /// Instead of data, of which there is none then: everything of the current version stays but this
  /// span, in the data and in forms of the caller's own. Times that the request names are taken.
  std::optional<text_replacement> replace{};
  std::string payload{}; ///< as in write_request; of `replace`: the old one stays if none is given
};

/// Absent = unchanged, present = replaced whole. An empty patch is no_op.
struct update_head_request {
  memory_uri uri;
  std::string actor;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::vector<intent_frame>> frames;
  std::optional<std::int64_t> importance;
  std::optional<mneme::visibility> visibility;
  std::optional<mneme::lifecycle> lifecycle;
  std::optional<metadata_map> metadata;
  std::optional<std::string> by;
  std::optional<std::uint32_t> expect_version;
  /// Stands by what the memory says, whatever has become of what it rests on: it is stale no more
  /// (memory_standing). A change by itself.
  bool affirm = false;
};

/// Idempotent; versions stay readable.
struct tombstone_request {
  memory_uri uri;
  std::string actor;
  std::string reason;
  std::optional<std::string> by;
  tombstone_cause cause = tombstone_cause::deleted;
  std::optional<memory_id> superseded_by;
  std::optional<std::uint32_t> expect_version;
};

/// Undoes a tombstone, whatever its cause: the memory is what it was before, its activation too. A
/// topic that is archived and not tombstoned is open again. What superseded the memory stays; an
/// edge `supersedes` that came with the tombstone goes with it. A memory that is there changes
/// nothing; an erased one is erased.
struct restore_request {
  memory_id id;
  std::string actor;
  std::optional<std::string> by{};
  std::optional<std::uint32_t> expect_version{};
  /// By which it was named, if so: the memory must be of that type, and have that version.
  std::optional<memory_uri> named{};
};

/// Ends need not exist. A live edge is a no-op; a tombstoned one is revived as a fresh record.
struct add_edge_request {
  memory_id src;
  std::uint8_t type =
      0; ///< raw, so that an invalid type is the engine's error, not the caller's UB
  memory_id dst;
  std::string actor;
  float weight = 1.0F;
  std::string kind;
  std::string data;
  std::optional<std::string> by;
  std::optional<timestamp> created_at; ///< importers only
};

/// Missing or already tombstoned: no-op.
struct remove_edge_request {
  memory_id src;
  std::uint8_t type = 0;
  memory_id dst;
  std::string actor;
  std::string reason;
  std::optional<std::string> by;
};

/// A chunk that was made a memory: searches find the memory and no longer the chunk. Becomes an
/// update of the chunk's `promoted_to`.
struct promote_request {
  memory_id chunk;
  memory_id memory; ///< live, and no chunk
  std::string actor;
};

/// For importers of an export: a version and its head exactly as they were (nonces, times, hash).
/// The first version of an id becomes a write, the next one an update; versions come in order. The
/// current version again restores the head alone, or is a no-op.
struct put_record_request {
  mneme::head head; ///< current_version and version_hash must be those of `version`
  mneme::version version;
  /// Of this content, as head.embedding says. Without it the content has the vector that it has
  /// here already, or none, as earlier versions, and the head names none.
  std::optional<std::vector<float>> vector;
};

/// As put_record_request, for an edge; one that exists in the same state is a no-op.
struct put_edge_record_request {
  edge_record edge;
};

/// Binds a hashtag to an anchor of the semantic stack for good. The same tag and anchor again
/// change nothing; another anchor is tag_assigned, an anchor that another tag has is anchor_taken.
struct assign_tag_request {
  std::string tag;                    ///< normalised as hashtags are
  std::optional<std::int64_t> anchor; ///< 1..10000; exclusive with `zone`
  std::optional<colour_zone> zone;    ///< the lowest free anchor of the zone, or zone_full
  std::string actor;
};

/// Sets what searches weigh by, unless they say otherwise, from this entry on: the host's alone.
/// What the world has already changes nothing.
struct set_weights_request {
  /// "name=number,…" over those that hold now, or with `reset` over those that the world was made
  /// with; absent: `reset` alone.
  std::optional<std::string> weights;
  bool reset = false; ///< to those that the world was made with
  std::string actor;  ///< who acts; "" = the host
};

using mutation =
    std::variant<write_request, update_request, update_head_request, tombstone_request,
                 add_edge_request, remove_edge_request, put_record_request, put_edge_record_request,
                 ingest_request, revise_request, forget_request, unarchive_request,
                 put_field_record_request, assign_tag_request, set_weights_request, restore_request,
                 put_request, delete_by_request, sweep_request>;

/// A hashtag and the anchor it stands for.
struct tag_assignment {
  std::string tag;
  std::uint32_t anchor = 0; ///< 1..10000
  colour_zone zone{};

  friend bool operator==(const tag_assignment&, const tag_assignment&) = default;
};

/// What a memory that was written is like, among live memories that its writer sees. Nothing is
/// merged: the writer decides.
struct resemblance {
  /// At most 3, ascending: their text is the same but for case, accents and spaces.
  std::vector<memory_id> same_text;
  /// At most 3 others, nearest first, whose cosine is `resembles_from` at least. None of a memory
  /// without a vector, or whose vector comes later.
  std::vector<memory_id> resembles;

  friend bool operator==(const resemblance&, const resemblance&) = default;
};
inline constexpr double resembles_from = 0.8;

/// Why a memory that was restored may still not be shown by every door.
struct restored_memory {
  std::optional<timestamp> ended{}; ///< of its valid time or expiry, which is over
  bool archived = false;            ///< it was so before the tombstone; of a topic: restore again
  /// What the tombstone said superseded it, which stays; or what else takes it out of the answers
  /// still: what supersedes it by an edge, what it was merged into, a Decision that replaces it.
  std::optional<memory_id> newer{};

  friend bool operator==(const restored_memory&, const restored_memory&) = default;
};

/// What a put has done.
enum class put_outcome : std::uint8_t { created = 1, updated, revived };

/// What one mutation did. `changed` is false where nothing was journaled; `seq` is then the
/// current one.
struct mutation_result {
  bool changed = true;
  seq_no seq;
  /// Of write, update, update_head, tombstone, restore, ingest and unarchive: the current version.
  std::optional<memory_uri> uri;
  std::optional<topic_changes> topics{};     ///< ingest, revise, forget
  std::optional<tag_assignment> tag{};       ///< assign_tag
  std::optional<resemblance> similar{};      ///< of a write that asks for it
  std::string weights{};                     ///< set_weights: all that hold now, "name=number,…"
  std::optional<restored_memory> restored{}; ///< restore that changed something
  std::optional<put_outcome> put{};          ///< put
  std::vector<memory_id> swept{};            ///< sweep: by expiry, then id
  bool more = false;                         ///< sweep: others have expired
};

enum class durability : std::uint8_t {
  durable, ///< the reply leaves after fsync
  relaxed, ///< the reply leaves when the write is visible; a crash may lose it
};

} // namespace mneme
