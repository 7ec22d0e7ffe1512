#pragma once
/// A journal entry: header (what the Merkle log hashes) and payload (full canonical bytes of what
/// changed). The payload is bound to the header by its hash only, so that it can be erased.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mneme/agents.hpp"
#include "mneme/proof.hpp"
#include "mneme/topics.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Stored; append-only.
enum class entry_kind : std::uint8_t {
  write = 1,
  update = 2,
  tombstone = 3,
  update_head = 4,
  add_edge = 5,
  remove_edge = 6,
  field = 7,
  topic_archive = 8,
  topic_merge = 9,
  embed = 10,
  find_late = 11,
  reinforce = 12,
  decay_cycle = 13,
  attest = 14,
  learn_weights = 15,
  compact = 16,
  snapshot = 17,
  scope_violation = 18,
  config = 19,
  migration = 20,
  erase = 21,
  assign_tag = 22,
  topic_unarchive = 23,
  topic_salience = 24,
  search_weights = 25,
  restore = 26,
  trim = 27,
};
std::string_view to_string(entry_kind kind) noexcept;

/// Anchors of the semantic stack are numbered from 1 to this.
inline constexpr std::uint32_t anchor_count = 10'000;

/// path of a key in a state tree: SHA-256(0x03 ‖ namespace name ‖ 0x00 ‖ key bytes).
digest state_path(state_namespace ns, std::string_view key);

/// One change of a state tree. value_hash is 32 zero bytes for a deletion.
struct state_leaf {
  state_namespace ns{};
  digest path;
  digest value_hash;

  friend bool operator==(const state_leaf&, const state_leaf&) = default;
};

struct entry_header {
  seq_no seq;
  entry_kind kind{};
  timestamp created_at;
  std::string created_by;
  std::vector<state_leaf> leaves;
  digest payload_hash;

  friend bool operator==(const entry_header&, const entry_header&) = default;
};
/// Canonical array [schema, seq, kind, created_at, created_by, [[ns, path, value_hash]…],
/// payload_hash].
std::string encode(const entry_header& h);
result<entry_header> decode_entry_header(std::string_view bytes);

/// A vector with the space it lives in.
struct spaced_vector {
  vector_space space;
  std::vector<float> values;

  friend bool operator==(const spaced_vector&, const spaced_vector&) = default;
};

struct write_payload {
  mneme::head head;
  mneme::version version;
  std::optional<spaced_vector> vector;
  bool id_drawn = true; ///< false: the id was the caller's and does not push drawn ones

  friend bool operator==(const write_payload&, const write_payload&) = default;
};
struct update_payload {
  mneme::head head;
  mneme::version version;
  std::optional<spaced_vector> vector; ///< absent: the vector of the version before is kept

  friend bool operator==(const update_payload&, const update_payload&) = default;
};
/// update_head, tombstone and restore: the whole new head.
struct head_payload {
  mneme::head head;
  bool affirms = false; ///< of update_head: somebody stands by what the memory says

  friend bool operator==(const head_payload&, const head_payload&) = default;
};
/// add_edge and remove_edge: the whole new record.
struct edge_payload {
  edge_record edge;

  friend bool operator==(const edge_payload&, const edge_payload&) = default;
};
/// What a content is found by came later than the content: its vector, or of a topic whose fields
/// changed its text, with the vector of that where there is one. The head with its new `embedding`.
struct embed_payload {
  mneme::head head;
  std::optional<spaced_vector> vector;
  std::string text{}; ///< that words are looked for in from now on; empty: as before

  friend bool operator==(const embed_payload&, const embed_payload&) = default;
};
struct find_late_payload {
  std::string predicate; ///< canonical text
  std::vector<memory_type> types;
  std::vector<std::string> tags;
  std::optional<std::int64_t> limit;
  std::int64_t result_count = 0;
  std::vector<memory_id> accessed; ///< in result order
  std::string actor;
  mneme::nonce nonce{}; ///< so that the payload hash confirms no guess at the predicate

  friend bool operator==(const find_late_payload&, const find_late_payload&) = default;
};
struct snapshot_payload {
  mneme::manifest manifest;
  mneme::nonce nonce{}; ///< as in find_late_payload: the reason given is free text

  friend bool operator==(const snapshot_payload&, const snapshot_payload&) = default;
};
/// Reinforces what was cited. A learn_weights entry of the same actor follows at once.
struct attest_payload {
  std::string intent_id;
  attest_outcome outcome{};
  std::string reason;
  std::vector<memory_id> cited; ///< distinct, in the order given; may be empty
  std::string actor;
  mneme::nonce nonce{};

  friend bool operator==(const attest_payload&, const attest_payload&) = default;
};
/// The actor's weights from here on.
struct learn_weights_payload {
  std::string actor;
  bool skipped = false; ///< there was nothing to learn from: the weights are those before
  learned_weights weights;
  mneme::nonce nonce{};

  friend bool operator==(const learn_weights_payload&, const learn_weights_payload&) = default;
};
/// A salience in units of 1e-9 beside what it is of.
struct weighed_uri {
  memory_uri uri;
  std::int64_t salience = 0;
  std::int64_t tokens = 0;
  std::string short_form; ///< empty for what was kept: its version has the text

  friend bool operator==(const weighed_uri&, const weighed_uri&) = default;
};
/// Saliences of a compact record are whole numbers of 1 / this.
inline constexpr double compact_salience_unit = 1e9;
struct compact_payload {
  std::string intent_id;
  std::string step_id;
  std::string actor;
  std::int64_t budget_tokens = 0;
  std::int64_t tokens = 0;
  std::vector<weighed_uri> kept;
  std::vector<weighed_uri> compacted;
  mneme::nonce nonce{};

  friend bool operator==(const compact_payload&, const compact_payload&) = default;
};
/// Somebody with a scope asked for what it does not open.
struct scope_violation_payload {
  std::string grantee;
  std::string granter;
  std::string actor;  ///< whose memories the scope opens
  std::string target; ///< what was asked for
  mneme::nonce nonce{};

  friend bool operator==(const scope_violation_payload&, const scope_violation_payload&) = default;
};
/// A field's new state and the revisions that are new in it (one, but for a merge or a restore;
/// none where it is what is left of an erased one).
struct field_payload {
  topic_field field;
  std::vector<field_revision> revisions;

  friend bool operator==(const field_payload&, const field_payload&) = default;
};
/// A topic that was forgotten: archived, its salience halved.
struct topic_archive_payload {
  mneme::head head;
  std::int64_t from_e9 = 0;
  std::int64_t to_e9 = 0;

  friend bool operator==(const topic_archive_payload&, const topic_archive_payload&) = default;
};
/// The end of a merge: the loser's head, archived. What it had came to the keeper before.
struct topic_merge_payload {
  memory_id keeper;
  mneme::head head;

  friend bool operator==(const topic_merge_payload&, const topic_merge_payload&) = default;
};
/// A salience that somebody set.
struct topic_salience_payload {
  memory_id topic;
  std::int64_t from_e9 = 0;
  std::int64_t to_e9 = 0;
  std::string reason;
  mneme::nonce nonce{};

  friend bool operator==(const topic_salience_payload&, const topic_salience_payload&) = default;
};
/// One reinforced memory: the value before and after, in units of 1e-9.
struct reinforced_item {
  memory_id id;
  std::int64_t from_e9 = 0;
  std::int64_t to_e9 = 0;

  friend bool operator==(const reinforced_item&, const reinforced_item&) = default;
};
/// Which door reinforced; stored, append-only.
enum class reinforcing_door : std::uint8_t { retrieve = 1, chroma = 2 };
std::string_view to_string(reinforcing_door door) noexcept;
/// What a retrieve (topic_salience) or a chroma query (strength_raw) reinforced, in result order.
struct reinforce_payload {
  reinforcing_door door{};
  std::string actor;
  std::vector<reinforced_item> items;
  mneme::nonce nonce{};

  friend bool operator==(const reinforce_payload&, const reinforce_payload&) = default;
};
/// One row of a decay cycle as it is afterwards; the strength in units of 1e-9.
struct decayed_item {
  memory_id id;
  std::int64_t strength_e9 = 0;
  bool ascended = false;
  bool rotten = false;

  friend bool operator==(const decayed_item&, const decayed_item&) = default;
};
/// Every coloured memory that is neither tombstoned nor ascended before the cycle, in id order.
struct decay_cycle_payload {
  std::vector<decayed_item> items;
  std::string actor;
  mneme::nonce nonce{};

  friend bool operator==(const decay_cycle_payload&, const decay_cycle_payload&) = default;
};
struct assign_tag_payload {
  std::string tag;          ///< normalised
  std::uint32_t anchor = 0; ///< 1..10000
  std::string actor;
  mneme::nonce nonce{};

  friend bool operator==(const assign_tag_payload&, const assign_tag_payload&) = default;
};
/// What searches weigh by from here on, unless they say otherwise.
struct search_weights_payload {
  std::string weights; ///< "name=number,…", each of them; empty: those that the world was made with
  std::string actor;
  mneme::nonce nonce{};

  friend bool operator==(const search_weights_payload&, const search_weights_payload&) = default;
};
/// What is left of one memory, or of one edge of it, when the payloads of `seqs` are erased: its
/// stub, which says nothing but that it was there. One of `head`, `edge` and `topic`.
struct erase_payload {
  std::optional<mneme::head> head; ///< erased, with a tombstone that says why and by whom
  std::optional<edge_record> edge; ///< without data and kind
  std::vector<seq_no> seqs;        ///< ascending: entries before this one whose payloads go
  mneme::nonce nonce{};
  /// Of which one field goes. What is left of that is a field entry before this one, and what words
  /// find the topic by from now on an embed entry: they can be erased with the topic.
  std::optional<memory_id> topic{};

  friend bool operator==(const erase_payload&, const erase_payload&) = default;
};
/// What the uses of a memory have come to, and what was reinforced of a topic.
struct carried_use {
  memory_id id;
  activation used;

  friend bool operator==(const carried_use&, const carried_use&) = default;
};
/// The same of a coloured memory's signals.
struct carried_signals {
  memory_id id;
  colour_signals signals;

  friend bool operator==(const carried_signals&, const carried_signals&) = default;
};
/// Versions of one memory.
struct version_range {
  std::uint32_t first = 0; ///< at least 1
  std::uint32_t last = 0;

  friend bool operator==(const version_range&, const version_range&) = default;
};
/// Those of a memory whose contents a trim has dropped: they ascend, and never touch.
struct dropped_versions {
  memory_id id;
  std::vector<version_range> ranges;

  friend bool operator==(const dropped_versions&, const dropped_versions&) = default;
};
/// History before an entry is not read any more: what entries before it had that only such reads
/// would need is dropped, and what they had added up to is here. The last trim of a journal says
/// all of it, what earlier ones dropped too.
struct trim_payload {
  seq_no before;       ///< where a frame begins; reads at it and behind it are what they were
  std::string dropped; ///< a bit for each entry from the first on, lowest first; no zero at the end
  std::vector<carried_use> used; ///< as of the entry before `before`, in id order, likewise:
  std::vector<carried_signals> coloured;
  std::string reason;
  std::string actor;
  mneme::nonce nonce{};
  /// Overwritten contents that are dropped, too, by this trim or one before; in id order.
  std::vector<dropped_versions> versions{};
  /// The greatest id that was drawn for a memory whose first entry is dropped.
  std::optional<memory_id> last_drawn{};

  [[nodiscard]] bool drops(seq_no seq) const {
    const std::uint64_t bit = seq.value - 1;
    return seq.value != 0 && bit / 8 < dropped.size()
           && (static_cast<unsigned char>(dropped[bit / 8]) >> (bit % 8) & 1U) != 0;
  }
  void drop(seq_no seq) {
    const std::uint64_t bit = seq.value - 1;
    if (bit / 8 >= dropped.size()) dropped.resize(bit / 8 + 1, '\0');
    dropped[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(dropped[bit / 8]) | (1U << (bit % 8)));
  }

  friend bool operator==(const trim_payload&, const trim_payload&) = default;
};
/// The payload was dropped by a trim; of it the journal has how long it was.
struct trimmed_payload {
  std::uint32_t bytes = 0;
  seq_no by; ///< an entry that says so

  friend bool operator==(const trimmed_payload&, const trimmed_payload&) = default;
};
/// The content was erased; replays as a stub.
struct erased_payload {
  friend bool operator==(const erased_payload&, const erased_payload&) = default;
};

/// Which alternative goes with which kind: write→write_payload, update→update_payload,
/// tombstone, update_head and restore→head_payload, add_edge and remove_edge→edge_payload,
/// embed→embed_payload, find_late→find_late_payload, snapshot→snapshot_payload,
/// reinforce→reinforce_payload, decay_cycle→decay_cycle_payload, assign_tag→assign_tag_payload,
/// attest→attest_payload, learn_weights→learn_weights_payload, compact→compact_payload,
/// scope_violation→scope_violation_payload, field→field_payload,
/// topic_archive→topic_archive_payload, topic_merge→topic_merge_payload,
/// topic_unarchive→head_payload, topic_salience→topic_salience_payload,
/// search_weights→search_weights_payload, erase→erase_payload, trim→trim_payload,
/// reinforce→reinforce_payload; any kind but erase and trim may be erased_payload, any
/// trimmed_payload.
using entry_payload =
    std::variant<write_payload, update_payload, head_payload, edge_payload, embed_payload,
                 find_late_payload, snapshot_payload, reinforce_payload, decay_cycle_payload,
                 assign_tag_payload, attest_payload, learn_weights_payload, compact_payload,
                 scope_violation_payload, field_payload, topic_archive_payload, topic_merge_payload,
                 topic_salience_payload, search_weights_payload, erase_payload, trim_payload,
                 trimmed_payload, erased_payload>;
std::string encode(const entry_payload& payload);
result<entry_payload> decode_entry_payload(entry_kind kind, std::string_view bytes);

/// What the store has in place of a memory's versions that were dropped.
struct trimmed_versions {
  std::vector<version_range> ranges; ///< as in dropped_versions
  seq_no by;                         ///< the last trim that says so

  [[nodiscard]] bool has(std::uint32_t number) const {
    for (const version_range& r : ranges)
      if (r.first <= number && number <= r.last) return true;
    return false;
  }
  friend bool operator==(const trimmed_versions&, const trimmed_versions&) = default;
};
std::string encode(const trimmed_versions& v);
result<trimmed_versions> decode_trimmed_versions(std::string_view bytes);

std::string encode(const manifest& m);
result<manifest> decode_manifest(std::string_view bytes);

/// Canonical bytes of records that a payload has, for who has made them already. Empty: to be made.
struct ready_records {
  std::string_view head{};
  std::string_view version{};
  std::string_view edge{};
};

/// Where in the bytes of a payload those of a record stand.
struct record_span {
  std::uint32_t begin = 0;
  std::uint32_t size = 0; ///< 0: not known

  [[nodiscard]] std::string_view of(std::string_view payload) const {
    return payload.substr(begin, size);
  }
};

/// A whole entry: the typed payload that apply() reads, and the bytes that the journal keeps.
struct entry {
  entry_header header;
  entry_payload payload;
  std::string header_bytes;
  std::string payload_bytes;
  record_span head_span{}; ///< in payload_bytes, likewise the others
  record_span version_span{};
  record_span edge_span{};
};

/// Fills header.payload_hash and both byte strings from `header` and `payload`; `ready` is of the
/// records of the payload, and needed for speed alone.
entry seal_entry(entry_header header, entry_payload payload, const ready_records& ready = {});
/// Decodes a journaled entry and checks the payload hash (unless erased).
result<entry> open_entry(std::string header_bytes, std::string payload_bytes, bool erased);
/// The same of one whose payload was dropped.
result<entry> open_trimmed_entry(std::string header_bytes, const trimmed_payload& dropped);

} // namespace mneme
