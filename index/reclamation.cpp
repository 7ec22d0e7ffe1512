#include "index/reclamation.hpp"

#include <algorithm>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t collect_every = 64;

/// Where this thread looks for a free slot first: the one it had last.
std::size_t& preferred_slot() {
  static std::atomic<std::size_t> threads{0};
  thread_local std::size_t preferred = threads.fetch_add(1, std::memory_order_relaxed);
  return preferred;
}

} // namespace

reclaimer::~reclaimer() {
  ensure(oldest_inside() == ~0ULL, "no reader is left inside a structure that is destroyed");
  for (const auto& r : retired_) r.free_it(r.object);
}

// Why it is safe: the writer unlinks, then advances the epoch, then looks at the slots; a reader
// takes its slot, then looks at the epoch, then follows links. All four are sequentially
// consistent. If the writer did not see the reader's slot taken, the reader saw the new epoch and
// with it the unlinking.
std::size_t reclaimer::enter() {
  std::size_t& preferred = preferred_slot();
  const std::uint64_t now = epoch_.load(std::memory_order_seq_cst);
  for (std::size_t i = 0; i < slot_count; ++i) {
    const std::size_t s = (preferred + i) % slot_count;
    std::uint64_t unused = 0;
    if (slots_[s].epoch.load(std::memory_order_relaxed) != 0) continue;
    if (!slots_[s].epoch.compare_exchange_strong(unused, now, std::memory_order_seq_cst)) continue;
    static_cast<void>(epoch_.load(std::memory_order_seq_cst));
    preferred = s;
    return s;
  }
  crowd_.fetch_add(1, std::memory_order_seq_cst);
  static_cast<void>(epoch_.load(std::memory_order_seq_cst));
  return crowd;
}

void reclaimer::leave(std::size_t slot) {
  const bool was_inside = slot == crowd
                              ? crowd_.fetch_sub(1, std::memory_order_release) != 0
                              : slots_[slot].epoch.exchange(0, std::memory_order_release) != 0;
  ensure(was_inside, "a reader leaves once, after it entered");
}

std::uint64_t reclaimer::oldest_inside() const {
  if (crowd_.load(std::memory_order_seq_cst) != 0) return 0;
  std::uint64_t oldest = ~0ULL;
  for (const auto& s : slots_) {
    const std::uint64_t epoch = s.epoch.load(std::memory_order_seq_cst);
    if (epoch != 0) oldest = std::min(oldest, epoch);
  }
  return oldest;
}

void reclaimer::retire(void* object, void (*free_it)(void*)) {
  ensure(object != nullptr, "what is retired was in use");
  retired_.push_back({epoch_.load(std::memory_order_relaxed), object, free_it});
  if (retired_.size() % collect_every == 0) collect();
}

void reclaimer::collect() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint64_t oldest = oldest_inside();
  while (!retired_.empty() && retired_.front().epoch < oldest) {
    retired_.front().free_it(retired_.front().object);
    retired_.pop_front();
  }
}

} // namespace mneme
