#pragma once
/// Colour signals by node and seq, as activation_chain keeps activation: the newest record in the
/// node's own cell, older ones in history records linked newest to oldest. Readers never write, the
/// writer never waits; cells are read under a sequence lock of their own. A history record is
/// reused once retain_from() has passed the seq of the record after it, and a link then no longer
/// fits its target, so that a reader from before the window stops instead of seeing what is later.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "index/numbers.hpp"
#include "index/paged_column.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// One record of a node's chain.
struct signal_record {
  node_no node;
  std::uint64_t seq = 0;
  colour_signals values;
};

class signal_chain {
public:
  /// Writer: seqs ascend over all calls; a second record at the node's newest seq replaces it.
  void set(node_no node, seq_no seq, const colour_signals& values);
  /// Writer: records that no reader at or after `seq` needs may be reused.
  void retain_from(seq_no seq);

  /// The newest record at or before `at`.
  [[nodiscard]] std::optional<colour_signals> find(node_no node, seq_no at) const;
  /// Appends the records that reads from `from` to `at` need, oldest first.
  void append_records(node_no node, seq_no from, seq_no at,
                      std::vector<signal_record>& records) const;

private:
  /// strength, last_accessed, last_decay_at, flags.
  using words = std::array<std::uint64_t, 4>;
  /// Every field is read and written atomically.
  struct alignas(64) cell {
    std::uint64_t lock; ///< 0 = never written, odd = being written
    std::uint64_t seq;
    words values;
    std::uint64_t before; ///< low half of the target's lock << 32 | record + 1; 0 = none
  };
  struct superseded {
    std::uint64_t by_seq; ///< readers from this seq on do not need the record
    std::uint32_t record;
  };

  static words pack(const colour_signals& s);
  static colour_signals unpack(const words& w);
  static std::uint64_t write(cell& target, const cell& values);
  static cell read(const cell& source);
  std::uint32_t free_record();
  [[nodiscard]] std::optional<cell> follow(std::uint64_t link) const;

  sparse_column<cell> newest_;
  paged_column<cell> history_;
  std::uint32_t history_count_ = 0;
  std::vector<std::uint32_t> free_;
  std::deque<superseded> superseded_; ///< by_seq ascends
};

} // namespace mneme
