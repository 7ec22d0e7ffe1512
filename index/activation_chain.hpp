#pragma once
/// Activation by node and seq. The newest record of a node lies in the node's own cell; what it
/// replaced moves to a history record, linked newest to oldest. Cells and records are read under a
/// sequence lock of their own: readers never write, the writer never waits.
///
/// History records are reused once retain_from() has passed the seq of the record after them. A
/// link carries the lock value its target had, so a reader whose seq has left the retained window
/// finds a mismatch and stops; within the window a link never dangles.

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "index/numbers.hpp"
#include "index/paged_column.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// One record of a node's chain.
struct activation_record {
  node_no node;
  std::uint64_t seq = 0;
  activation values;
};

class activation_chain {
public:
  /// Writer: seqs ascend over all calls; a second record at the node's newest seq replaces it.
  void set(node_no node, seq_no seq, const activation& values);
  /// Writer: records that no reader at or after `seq` needs may be reused.
  void retain_from(seq_no seq);

  /// The newest record at or before `at`.
  [[nodiscard]] std::optional<activation> find(node_no node, seq_no at) const;
  /// Appends the records that reads from `from` to `at` need, oldest first.
  void append_records(node_no node, seq_no from, seq_no at,
                      std::vector<activation_record>& records) const;
  /// Every node with a record is below this number.
  [[nodiscard]] std::uint32_t node_limit() const {
    return node_limit_.load(std::memory_order_acquire);
  }
  /// History records in memory, in use or free (for tests of the bound).
  [[nodiscard]] std::uint32_t history_capacity() const { return history_count_; }

private:
  /// Every field is read and written atomically.
  struct alignas(64) cell {
    std::uint64_t lock; ///< 0 = never written, odd = being written
    std::uint64_t seq;
    std::int64_t last_used_ns;
    std::int64_t access_count;
    std::int64_t citations;
    std::uint64_t importance;
    std::int64_t topic_salience_e9;
    std::uint64_t before; ///< low half of the target's lock << 32 | record + 1; 0 = none
  };
  struct superseded {
    std::uint64_t by_seq; ///< readers from this seq on do not need the record
    std::uint32_t record;
  };

  static std::uint64_t write(cell& target, const cell& values);
  static cell read(const cell& source);
  std::uint32_t free_record();
  /// The record a link points to, or nullopt if it was reused since.
  [[nodiscard]] std::optional<cell> follow(std::uint64_t link) const;

  sparse_column<cell> newest_;
  paged_column<cell> history_;
  std::uint32_t history_count_ = 0;
  std::vector<std::uint32_t> free_;
  std::deque<superseded> superseded_; ///< by_seq ascends
  std::atomic<std::uint32_t> node_limit_{0};
};

} // namespace mneme
