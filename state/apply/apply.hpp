#pragma once
/// apply: what a journal entry changes. The very same functions feed live writes, recovery and
/// replay, so live and replayed state cannot differ. A delta is numbered once, in journal order, by
/// the party that owns the numbering; the owners then take it independently of each other.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "index/columns/attributes.hpp"
#include "index/graph/graph.hpp"
#include "index/lexical/lexical.hpp"
#include "index/rows/node_table.hpp"
#include "index/rows/record_places.hpp"
#include "index/vectors/vectors.hpp"
#include "messages/codec/entry.hpp"
#include "storage/kv_store.hpp"

namespace mneme {

class journaled_records;
struct payload_place;

/// Dense numbers that new ids and contents get. Owned by the committer (or by replay).
struct numbering {
  node_table* nodes = nullptr;
  std::uint32_t next_slot = 0;
  /// The first entry whose vector is of the world's embedder: no index has those of before.
  seq_no vectors_since{};
};

struct salience_delta {
  node_no node;
  std::int64_t to_e9 = 0;
};

/// What one entry changes in the indexes. Points into the entry, which must outlive it.
struct index_delta {
  seq_no seq;
  const mneme::head* head = nullptr;       ///< a memory's new state
  const mneme::version* version = nullptr; ///< with new content; null = content unchanged
  const spaced_vector* vector = nullptr;
  bool is_of_former_space = false; ///< whatever vector it brought, it has none
  bool affirms = false;            ///< somebody stands by the content, which is the one before
  bool restores = false;           ///< a tombstone is undone: the memory is as it was before it
  bool is_embedding = false;       ///< the content is the one before; what finds it came now
  std::string_view text;           ///< with is_embedding: by these words; empty: by those before
  node_no node;
  slot_no slot;      ///< of new content
  node_no reference; ///< that new content names: what a Decision replaces, a Chunk is promoted to
  std::vector<node_no> sources; ///< that new content rests on (views/lineage_edges.hpp)
  node_no successor;            ///< that a tombstone names
  const edge_record* edge = nullptr;
  bool edge_has_no_past = false; ///< what it was before was erased, and is not known any more
  node_no src;
  node_no dst;
  std::vector<node_no> touched;           ///< in the order of the payload
  const attest_payload* attest = nullptr; ///< what touched them; null: a query
  timestamp touched_at;
  const reinforce_payload* reinforced = nullptr;
  const decay_cycle_payload* decayed = nullptr;
  const assign_tag_payload* assigned = nullptr;
  const learn_weights_payload* learned = nullptr;
  const search_weights_payload* searches = nullptr;
  timestamp made_at;                     ///< created_at of the entry
  std::string_view made_by;              ///< its created_by
  std::vector<salience_delta> saliences; ///< of topics
};

/// One atomic commit group: a journal frame and all that follows from it.
struct commit_batch {
  std::vector<entry> entries;
  std::vector<index_delta> deltas; ///< one per entry
  std::vector<kv_write> writes;
  seq_no last_seq;
  bool durable = true; ///< false: every request in it was relaxed
};

/// Numbers the entry's ids (new ones are interned) and content.
index_delta number(const entry& e, numbering& numbers);

/// The store rows of one entry.
void append_writes(const entry& e, std::vector<kv_write>& writes);

/// Numbers all entries and collects their rows. The batch must stay where it is from then on.
std::shared_ptr<const commit_batch> make_batch(std::vector<entry> entries, numbering& numbers,
                                               bool durable);

// One owner each; entries of one batch in order.
void apply_to(attributes& owner, std::span<const index_delta> deltas);
void apply_to(graph& owner, std::span<const index_delta> deltas);
void apply_to(vectors& owner, std::span<const index_delta> deltas);
void apply_to(lexical& owner, std::span<const index_delta> deltas);
/// Edges of type related_to and kind "next" or "answer" alone: what follows what.
void apply_order(graph& owner, std::span<const index_delta> deltas);
/// What rests on what, and what speaks against it: views/lineage_edges.hpp. `edges` has the batch;
/// `rows` has all batches before, and may be given this one meanwhile.
void apply_lineage(graph& owner, const graph& edges, const attributes& rows,
                   std::span<const index_delta> deltas);

/// Notes where the journal has the records of a frame's entries, of which the last have these
/// deltas and rows of the store; the first entry's payload is at `first`. Precondition: `rows` has
/// the deltas, and `places` those of all rows before.
void note_records(journaled_records& records, payload_place first, std::span<const entry> entries,
                  std::span<const index_delta> deltas, std::span<const kv_write> writes,
                  const attributes& rows, record_places& places);

} // namespace mneme
