#include "index/activation_chain.hpp"

#include <algorithm>
#include <thread>

namespace mneme {

namespace {

/// Of a cell that is nobody else's.
template <class Cell>
activation values_of(const Cell& c) {
  return {.last_used = {c.last_used_ns},
          .access_count = c.access_count,
          .citations = c.citations,
          .importance = static_cast<std::uint8_t>(c.importance),
          .topic_salience_e9 = c.topic_salience_e9};
}

} // namespace

// Release stores of the fields keep the odd lock before them; acquire loads keep the second look
// at the lock behind them. Fences would do the same, but ThreadSanitizer does not model them.
std::uint64_t activation_chain::write(cell& target, const cell& values) {
  const std::uint64_t stable = target.lock + 2;
  std::atomic_ref<std::uint64_t>(target.lock).store(stable - 1, std::memory_order_relaxed);
  store_release(target.seq, values.seq);
  store_release(target.last_used_ns, values.last_used_ns);
  store_release(target.access_count, values.access_count);
  store_release(target.citations, values.citations);
  store_release(target.importance, values.importance);
  store_release(target.topic_salience_e9, values.topic_salience_e9);
  store_release(target.before, values.before);
  store_release(target.lock, stable);
  return stable;
}

activation_chain::cell activation_chain::read(const cell& source) {
  for (;;) {
    cell c{};
    c.lock = load_acquire(source.lock);
    if (c.lock == 0) return c;
    if ((c.lock & 1) != 0) {
      std::this_thread::yield();
      continue;
    }
    c.seq = load_acquire(source.seq);
    c.last_used_ns = load_acquire(source.last_used_ns);
    c.access_count = load_acquire(source.access_count);
    c.citations = load_acquire(source.citations);
    c.importance = load_acquire(source.importance);
    c.topic_salience_e9 = load_acquire(source.topic_salience_e9);
    c.before = load_acquire(source.before);
    if (load_relaxed(source.lock) == c.lock) return c;
  }
}

std::optional<activation_chain::cell> activation_chain::follow(std::uint64_t link) const {
  const cell c = read(history_[static_cast<std::uint32_t>(link) - 1]);
  if (static_cast<std::uint32_t>(c.lock) != static_cast<std::uint32_t>(link >> 32)) return {};
  return c;
}

std::uint32_t activation_chain::free_record() {
  if (free_.empty()) {
    ensure(history_count_ != no_number, "the activation history is full");
    history_.grow(history_count_);
    return history_count_++;
  }
  const std::uint32_t record = free_.back();
  free_.pop_back();
  return record;
}

void activation_chain::set(node_no node, seq_no seq, const activation& values) {
  cell& newest = newest_.grow(node.value);
  cell next{.lock = 0,
            .seq = seq.value,
            .last_used_ns = values.last_used.ns,
            .access_count = values.access_count,
            .citations = values.citations,
            .importance = values.importance,
            .topic_salience_e9 = values.topic_salience_e9,
            .before = newest.before};
  if (newest.lock != 0 && newest.seq != seq.value) {
    ensure(newest.seq < seq.value, "activation is set in seq order");
    const std::uint32_t record = free_record();
    const std::uint64_t lock = write(history_[record], newest);
    next.before = lock << 32 | (record + 1);
    superseded_.push_back({seq.value, record});
  }
  write(newest, next);
  if (node.value >= node_limit_.load(std::memory_order_relaxed))
    node_limit_.store(node.value + 1, std::memory_order_release);
}

void activation_chain::retain_from(seq_no seq) {
  while (!superseded_.empty() && superseded_.front().by_seq <= seq.value) {
    free_.push_back(superseded_.front().record);
    superseded_.pop_front();
  }
}

std::optional<activation> activation_chain::find(node_no node, seq_no at) const {
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
  return values_of(c);
}

void activation_chain::append_records(node_no node, seq_no from, seq_no at,
                                      std::vector<activation_record>& records) const {
  const cell* newest = newest_.find(node.value);
  if (newest == nullptr) return;
  const auto first = static_cast<std::ptrdiff_t>(records.size());
  for (std::optional<cell> c = read(*newest); c && c->lock != 0;) {
    if (c->seq <= at.value) records.push_back({node, c->seq, values_of(*c)});
    if (c->seq <= from.value || c->before == 0) break;
    c = follow(c->before);
  }
  std::reverse(records.begin() + first, records.end());
}

} // namespace mneme
