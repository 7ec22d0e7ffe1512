#pragma once
/// The roots of a world: Merkle log plus state trees, kept incrementally, with an undo list so that
/// roots and proofs of retained earlier seqs can be had. Pure over its two sources (state leaves
/// from the store, headers from the journal). Single owner.

#include <deque>
#include <memory>
#include <span>

#include "messages/entry.hpp"
#include "mneme/proof.hpp"

namespace mneme {

struct ledger_sources {
  /// Leaves of one namespace's tree in the store.
  std::function<result<std::vector<tree_leaf>>(state_namespace, const digest& first,
                                               const digest& last)>
      leaves;
  /// Canonical header bytes of entries [first, first + count) from the journal.
  std::function<result<std::vector<std::string>>(seq_no first, std::uint64_t count)> headers;
};

class ledger {
public:
  ledger(const world_id& world, ledger_sources sources);
  ~ledger();
  ledger(ledger&&) noexcept;

  /// Applies consecutive entries (headers and their bytes). Returns the roots after the last one.
  /// The root after an entry never depends on how entries are grouped into calls.
  result<root_set> apply(std::span<const entry> entries);
  [[nodiscard]] const root_set& roots() const;

  /// Roots as of an earlier seq at entry granularity. seq_unavailable after the end or before what
  /// is retained.
  result<root_set> roots_at(seq_no seq) const;
  /// Keeps undo for the last `count` seqs only.
  void retain(std::uint64_t count);

  struct proof_request {
    std::vector<std::pair<state_namespace, std::string>> keys; ///< raw key bytes
    std::vector<seq_no> seqs;                                  ///< journal entries
  };
  /// Proofs against the roots at `seq`.
  result<proof_bundle> prove(const proof_request& request, seq_no seq) const;

  /// Image for a checkpoint; load() replaces the state. An image that does not belong to the
  /// store's recovered seq is rebuilt with rebuild().
  [[nodiscard]] std::string save() const;
  result<void> load(std::string_view image);
  /// Rebuilds from the store's leaves and the journal's headers 1..seq.
  result<void> rebuild(seq_no seq);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
