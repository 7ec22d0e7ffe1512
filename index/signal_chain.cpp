#include "index/signal_chain.hpp"

#include <algorithm>
#include <thread>

namespace mneme {

namespace {

constexpr std::uint64_t ascended_flag = 1;
constexpr std::uint64_t rotten_flag = 2;
constexpr std::uint64_t decayed_flag = 4; ///< last_decay_at has a value

} // namespace

signal_chain::words signal_chain::pack(const colour_signals& s) {
  const std::uint64_t flags = (s.ascended ? ascended_flag : 0) | (s.rotten ? rotten_flag : 0)
                              | (s.last_decay_at ? decayed_flag : 0);
  return {static_cast<std::uint64_t>(s.strength_e9), static_cast<std::uint64_t>(s.last_accessed.ns),
          static_cast<std::uint64_t>(s.last_decay_at ? s.last_decay_at->ns : 0), flags};
}

colour_signals signal_chain::unpack(const words& w) {
  colour_signals s;
  s.strength_e9 = static_cast<std::int64_t>(w[0]);
  s.last_accessed.ns = static_cast<std::int64_t>(w[1]);
  if ((w[3] & decayed_flag) != 0) s.last_decay_at = timestamp{static_cast<std::int64_t>(w[2])};
  s.ascended = (w[3] & ascended_flag) != 0;
  s.rotten = (w[3] & rotten_flag) != 0;
  return s;
}

// Release stores of the fields keep the odd lock before them; acquire loads keep the second look
// at the lock behind them, as in activation_chain.
std::uint64_t signal_chain::write(cell& target, const cell& values) {
  const std::uint64_t stable = target.lock + 2;
  std::atomic_ref<std::uint64_t>(target.lock).store(stable - 1, std::memory_order_relaxed);
  store_release(target.seq, values.seq);
  for (std::size_t i = 0; i < values.values.size(); ++i)
    store_release(target.values[i], values.values[i]);
  store_release(target.before, values.before);
  store_release(target.lock, stable);
  return stable;
}

signal_chain::cell signal_chain::read(const cell& source) {
  for (;;) {
    cell c{};
    c.lock = load_acquire(source.lock);
    if (c.lock == 0) return c;
    if ((c.lock & 1) != 0) {
      std::this_thread::yield();
      continue;
    }
    c.seq = load_acquire(source.seq);
    for (std::size_t i = 0; i < c.values.size(); ++i) c.values[i] = load_acquire(source.values[i]);
    c.before = load_acquire(source.before);
    if (load_relaxed(source.lock) == c.lock) return c;
  }
}

std::optional<signal_chain::cell> signal_chain::follow(std::uint64_t link) const {
  const cell c = read(history_[static_cast<std::uint32_t>(link) - 1]);
  if (static_cast<std::uint32_t>(c.lock) != static_cast<std::uint32_t>(link >> 32)) return {};
  return c;
}

std::uint32_t signal_chain::free_record() {
  if (free_.empty()) {
    ensure(history_count_ != no_number, "the history of signals is full");
    history_.grow(history_count_);
    return history_count_++;
  }
  const std::uint32_t record = free_.back();
  free_.pop_back();
  return record;
}

void signal_chain::set(node_no node, seq_no seq, const colour_signals& values) {
  cell& newest = newest_.grow(node.value);
  cell next{.lock = 0, .seq = seq.value, .values = pack(values), .before = newest.before};
  if (newest.lock != 0 && newest.seq != seq.value) {
    ensure(newest.seq < seq.value, "signals are set in seq order");
    const std::uint32_t record = free_record();
    const std::uint64_t lock = write(history_[record], newest);
    next.before = lock << 32 | (record + 1);
    superseded_.push_back({seq.value, record});
  }
  write(newest, next);
}

void signal_chain::retain_from(seq_no seq) {
  while (!superseded_.empty() && superseded_.front().by_seq <= seq.value) {
    free_.push_back(superseded_.front().record);
    superseded_.pop_front();
  }
}

std::optional<colour_signals> signal_chain::find(node_no node, seq_no at) const {
  const cell* newest = newest_.find(node.value);
  if (newest == nullptr) return {};
  cell c = read(*newest);
  if (c.lock == 0) return {};
  while (c.seq > at.value) {
    if (c.before == 0) return {};
    const auto before = follow(c.before);
    if (!before) return {};
    c = *before;
  }
  return unpack(c.values);
}

void signal_chain::append_records(node_no node, seq_no from, seq_no at,
                                  std::vector<signal_record>& records) const {
  const cell* newest = newest_.find(node.value);
  if (newest == nullptr) return;
  const auto first = static_cast<std::ptrdiff_t>(records.size());
  for (std::optional<cell> c = read(*newest); c && c->lock != 0;) {
    if (c->seq <= at.value) records.push_back({node, c->seq, unpack(c->values)});
    if (c->seq <= from.value || c->before == 0) break;
    c = follow(c->before);
  }
  std::reverse(records.begin() + first, records.end());
}

} // namespace mneme
