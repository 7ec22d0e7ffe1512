#pragma once
/// Small values by dense number and seq. The newest record of a number lies in the number's own
/// cell; what it replaced moves to a history record, linked newest to oldest. Cells and records are
/// read under a sequence lock of their own: readers never write, the writer never waits.
///
/// History records are reused once retain_from() has passed the seq of the record after them. A
/// link carries the lock value its target had, so a reader whose seq has left the retained window
/// finds a mismatch and stops; within the window a link never dangles.
///
/// Node 7 after set() at the seqs 3, 5 and 9; a link is written lock:record:
///
///     newest_[7]    lock 6   seq 9   before 2:1 ──┐
///     history_[1]   lock 2   seq 5   before 2:0 <─┘ ──┐
///     history_[0]   lock 2   seq 3   before none    <─┘
///
/// find(7, 6) passes seq 9 and answers seq 5. retain_from(5) frees record 0, whose successor every
/// reader from 5 on has; the next record to be superseded takes it, at lock 4. A reader at seq 4
/// then follows 2:0 from record 1, finds lock 4, and has no answer instead of another node's.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "index/columns/column_image.hpp"
#include "index/columns/paged_column.hpp"
#include "index/numbers.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// How values become words that can be read and written atomically. Specialise it with
/// `static constexpr std::size_t count` (at most 5, so that a cell is a cache line), pack() to
/// std::array<std::uint64_t, count> and unpack() from it.
template <class Values>
struct chain_words;

/// One record of a number's chain.
template <class Values>
struct chain_record {
  node_no node;
  std::uint64_t seq = 0;
  Values values;
};

template <class Values>
class seq_chain {
public:
  /// Writer: seqs ascend over all calls; a second record at the node's newest seq replaces it.
  void set(node_no node, seq_no seq, const Values& values);
  /// Writer: records that no reader at or after `seq` needs may be reused.
  void retain_from(seq_no seq);

  /// The newest record at or before `at`.
  [[nodiscard]] std::optional<Values> find(node_no node, seq_no at) const;
  /// Hints that `node` is looked for soon.
  void prefetch(node_no node) const {
    if (const cell* newest = newest_.find(node.value)) __builtin_prefetch(newest);
  }
  /// Appends the records that reads from `from` to `at` need, oldest first.
  void append_records(node_no node, seq_no from, seq_no at,
                      std::vector<chain_record<Values>>& records) const;
  /// Every node with a record is below this number.
  [[nodiscard]] std::uint32_t node_limit() const {
    return node_limit_.load(std::memory_order_acquire);
  }
  /// Writer: history records in use, of at most no_number.
  [[nodiscard]] std::uint64_t history_size() const { return superseded_.size(); }
  /// As it lies in memory. Only while nothing is set.
  void save(image_writer& out) const {
    out.put(node_limit());
    put_column(out, newest_, node_limit());
    put_column(out, history_, history_count_);
    std::vector<superseded> all(superseded_.begin(), superseded_.end());
    put_list<superseded>(out, all);
  }
  /// Into an empty chain; false if it does not fit together.
  [[nodiscard]] bool adopt(image_reader& in) {
    node_limit_.store(in.get<std::uint32_t>(), std::memory_order_relaxed);
    if (!adopt_column(in, newest_)) return false;
    const auto history = get_list<cell>(in);
    const auto superseded_records = get_list<superseded>(in);
    if (!in.ok() || history.size() != superseded_records.size()) return false;
    history_.adopt(history);
    history_count_ = static_cast<std::uint32_t>(history.size());
    superseded_.assign(superseded_records.begin(), superseded_records.end());
    return true;
  }
  /// History records in memory, in use or free (for tests of the bound).
  [[nodiscard]] std::uint32_t history_capacity() const { return history_count_; }

private:
  using codec = chain_words<Values>;
  using words = std::array<std::uint64_t, codec::count>;
  static_assert(codec::count <= 5, "a cell is one cache line");

  /// Every field is read and written atomically.
  struct alignas(64) cell {
    std::uint64_t lock; ///< 0 = never written, odd = being written
    std::uint64_t seq;
    words values;
    std::uint64_t before; ///< low half of the target's lock << 32 | record + 1; 0 = none
  };
  struct superseded {
    std::uint64_t by_seq; ///< readers from this seq on do not need the record
    std::uint64_t record;
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

// Release stores of the fields keep the odd lock before them; acquire loads keep the second look
// at the lock behind them. Fences would do the same, but ThreadSanitizer does not model them.
template <class Values>
std::uint64_t seq_chain<Values>::write(cell& target, const cell& values) {
  ensure((target.lock & 1) == 0, "one writer writes the records of a chain");
  const std::uint64_t stable = target.lock + 2;
  std::atomic_ref<std::uint64_t>(target.lock).store(stable - 1, std::memory_order_relaxed);
  store_release(target.seq, values.seq);
  for (std::size_t i = 0; i < codec::count; ++i) store_release(target.values[i], values.values[i]);
  store_release(target.before, values.before);
  store_release(target.lock, stable);
  return stable;
}

template <class Values>
typename seq_chain<Values>::cell seq_chain<Values>::read(const cell& source) {
  for (;;) {
    cell c{};
    c.lock = load_acquire(source.lock);
    if (c.lock == 0) return c;
    if ((c.lock & 1) != 0) {
      std::this_thread::yield();
      continue;
    }
    c.seq = load_acquire(source.seq);
    for (std::size_t i = 0; i < codec::count; ++i) c.values[i] = load_acquire(source.values[i]);
    c.before = load_acquire(source.before);
    if (load_relaxed(source.lock) == c.lock) return c;
  }
}

template <class Values>
std::optional<typename seq_chain<Values>::cell>
seq_chain<Values>::follow(std::uint64_t link) const {
  const cell c = read(history_[static_cast<std::uint32_t>(link) - 1]);
  if (static_cast<std::uint32_t>(c.lock) != static_cast<std::uint32_t>(link >> 32)) return {};
  return c;
}

template <class Values>
std::uint32_t seq_chain<Values>::free_record() {
  if (free_.empty()) {
    ensure(history_count_ != no_number, "the history of a chain is full");
    history_.grow(history_count_);
    return history_count_++;
  }
  const std::uint32_t record = free_.back();
  free_.pop_back();
  ensure(record < history_count_, "a record that is used again is of the history");
  return record;
}

template <class Values>
void seq_chain<Values>::set(node_no node, seq_no seq, const Values& values) {
  cell& newest = newest_.grow(node.value);
  cell next{.lock = 0, .seq = seq.value, .values = codec::pack(values), .before = newest.before};
  if (newest.lock != 0 && newest.seq != seq.value) {
    ensure(newest.seq < seq.value, "records are set in seq order");
    ensure(superseded_.empty() || superseded_.back().by_seq <= seq.value,
           "seqs ascend over all numbers of a chain");
    const std::uint32_t record = free_record();
    const std::uint64_t lock = write(history_[record], newest);
    next.before = lock << 32 | (record + 1);
    superseded_.push_back({seq.value, record});
  }
  write(newest, next);
  if (node.value >= node_limit_.load(std::memory_order_relaxed))
    node_limit_.store(node.value + 1, std::memory_order_release);
}

template <class Values>
void seq_chain<Values>::retain_from(seq_no seq) {
  while (!superseded_.empty() && superseded_.front().by_seq <= seq.value) {
    free_.push_back(static_cast<std::uint32_t>(superseded_.front().record));
    superseded_.pop_front();
  }
  ensure(free_.size() + superseded_.size() == history_count_,
         "a history record is free or superseded, never both");
}

template <class Values>
std::optional<Values> seq_chain<Values>::find(node_no node, seq_no at) const {
  const cell* newest = newest_.find(node.value);
  if (newest == nullptr) return {};
  cell c = read(*newest);
  if (c.lock == 0) return {};
  while (c.seq > at.value) {
    if (c.before == 0) return {};
    const auto before = follow(c.before);
    if (!before) return {};
    ensure(before->seq < c.seq, "a chain leads to older records");
    c = *before;
  }
  return codec::unpack(c.values);
}

template <class Values>
void seq_chain<Values>::append_records(node_no node, seq_no from, seq_no at,
                                       std::vector<chain_record<Values>>& records) const {
  const cell* newest = newest_.find(node.value);
  if (newest == nullptr) return;
  const auto first = static_cast<std::ptrdiff_t>(records.size());
  for (std::optional<cell> c = read(*newest); c && c->lock != 0;) {
    if (c->seq <= at.value) records.push_back({node, c->seq, codec::unpack(c->values)});
    if (c->seq <= from.value || c->before == 0) break;
    c = follow(c->before);
  }
  std::reverse(records.begin() + first, records.end());
}

} // namespace mneme
