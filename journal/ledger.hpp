#pragma once
/// The roots of a world: Merkle log plus state trees, kept incrementally, with an undo list so that
/// roots and proofs of retained earlier seqs can be had. Pure over its two sources (state leaves
/// from a table of them, headers from the journal). Single owner.
///
/// Order towards the leaves: apply() first, then set them (leaf_table::apply), and only then the
/// next apply(). Leaves that do not fit are refused as corrupt, and nothing changes.
///
/// Three entries, of which 1 writes the key A, 2 writes B, and 3 writes A again:
///
///     seq   the state tree holds   what the entry overwrote (undo)
///       1   A = a1                 A = nothing
///       2   A = a1, B = b1         B = nothing
///       3   A = a2, B = b1         A = a1
///
/// The roots at 1 are those of the log's first leaf and of the tree seen through the last two
/// lines, newest first: A = a1, B = nothing. At 0 all three are folded in, and the last of A
/// counts: nothing.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/proof.hpp"

namespace mneme {

/// Canonical header bytes of entries [first, first + count) from the journal.
using header_reader =
    std::function<result<std::vector<std::string>>(seq_no first, std::uint64_t count)>;

struct ledger_sources {
  /// Leaves of one namespace's tree: first <= path <= last, in path order.
  std::function<result<std::vector<tree_leaf>>(state_namespace, const digest& first,
                                               const digest& last)>
      leaves;
  /// A reader for one question to the journal; most of what it is asked for ascends.
  std::function<header_reader()> headers;
};

/// Asked between two items of a long work: what it refuses with ends the work. Empty = go on.
using keep_going = std::function<result<void>()>;

/// Asked with the bytes of each item of an answer, likewise.
using take_room = std::function<result<void>(std::uint64_t bytes)>;

/// About 600,000 leaves.
inline constexpr std::uint64_t default_leaf_cache_bytes = 64ULL << 20;

/// A ledger as it was, whatever became of it; from any thread.
class frozen_ledger {
public:
  /// As ledger::save().
  [[nodiscard]] std::string save() const;

private:
  friend class ledger;
  struct impl;
  explicit frozen_ledger(std::shared_ptr<const impl> frozen);

  std::shared_ptr<const impl> impl_;
};

class ledger {
public:
  /// Keeps about `leaf_cache_bytes` of leaves in memory: what they hold is not read from the
  /// source.
  ledger(const world_id& world, ledger_sources sources,
         std::uint64_t leaf_cache_bytes = default_leaf_cache_bytes);
  ~ledger();
  ledger(ledger&&) noexcept;
  ledger& operator=(ledger&&) noexcept;

  /// Applies consecutive entries (headers and their bytes). Returns the roots after the last one.
  /// The root after an entry never depends on how entries are grouped into calls. On error nothing
  /// changed.
  result<root_set> apply(std::span<const entry> entries);
  [[nodiscard]] const root_set& roots() const;
  /// How many leaves the tree of `ns` has.
  [[nodiscard]] std::uint64_t leaf_count(state_namespace ns) const;

  /// Roots as of an earlier seq at entry granularity. seq_unavailable after the end or before what
  /// is retained.
  result<root_set> roots_at(seq_no seq) const;
  /// Keeps undo for the last `count` seqs only; until called, for all.
  void retain(std::uint64_t count);
  /// The earliest seq that roots_at() and prove() answer for.
  [[nodiscard]] seq_no earliest() const;

  struct proof_request {
    std::vector<std::pair<state_namespace, std::string>> keys; ///< raw key bytes
    std::vector<seq_no> seqs;                                  ///< journal entries
  };
  /// Proofs against the roots at `seq`, keys first, each once and in the order first asked. The
  /// journal is read in one walk, whatever the number of seqs. seq_unavailable as for roots_at(),
  /// and for an entry after `seq`. What it returns has passed verify().
  result<proof_bundle> prove(const proof_request& request, seq_no seq, const keep_going& go_on = {},
                             const take_room& room = {}) const;
  /// RFC 6962 proof that the journal of `old_seq` entries is a prefix of that of `new_seq`
  /// (seq_unavailable after the end or if they are out of order).
  result<std::vector<digest>> prove_consistency(seq_no old_seq, seq_no new_seq) const;

  /// Image for a checkpoint; load() replaces the state, or fails (corrupt, format_unsupported) and
  /// leaves it. Whether it belongs to the leaves is for the caller to know; if not, there is
  /// rebuild(). Parts of the image are left where they lie if there is a `holder` who keeps them
  /// there.
  [[nodiscard]] std::string save() const;
  result<void> load(std::string_view image, std::shared_ptr<const void> holder = {});
  /// To be saved later and elsewhere; takes microseconds, and a moment more for each million
  /// entries. For the owner, though const: what is shared is copied when it changes.
  [[nodiscard]] frozen_ledger freeze() const;
  /// Rebuilds from all leaves and the journal's headers 1..seq, the undo of the retained
  /// seqs included. On error nothing changed.
  result<void> rebuild(seq_no seq);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
