#pragma once
/// Dense numbers by hash: open addressing that one thread fills while others look up. The table is
/// replaced whole when it is half full; old tables stay until destruction, since a reader may still
/// be probing one (all of them together are smaller than the newest).

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index/columns/paged_column.hpp"
#include "index/numbers.hpp"

namespace mneme {

class hash_slots {
public:
  hash_slots() { add_table(64); }

  /// The number with this hash that `is_same(number)` accepts, or no_number.
  template <class IsSame>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, IsSame&& is_same) const {
    const table& t = *current_.load(std::memory_order_acquire);
    // Not longer than the table, should one of an image have no free slot.
    for (std::uint64_t step = 0; step <= t.mask; ++step) {
      const std::uint64_t slot = load_acquire(t.slots[(hash + step) & t.mask]);
      if (slot == 0) return no_number;
      const auto number = static_cast<std::uint32_t>(slot) - 1;
      if (static_cast<std::uint32_t>(slot >> 32) == hash && is_same(number)) return number;
    }
    return no_number;
  }

  /// Writer. Precondition: the number is not there yet, and what it names is readable.
  void insert(std::uint32_t hash, std::uint32_t number) {
    const std::uint64_t slot = std::uint64_t{hash} << 32 | (number + 1);
    table& now = *current_.load(std::memory_order_relaxed);
    if (2 * (count_ + 1) > now.mask + 1 || !place(now, slot)) place(grow(), slot);
    ++count_;
  }

  /// The table, for an image. Only while nothing is inserted.
  [[nodiscard]] std::span<const std::uint64_t> saved() const {
    const table& t = *current_.load(std::memory_order_acquire);
    return {t.slots, t.mask + 1};
  }
  /// Writer: the table of an image with `count` numbers, for who has none. It stays where it lies
  /// for this one's life. False if it cannot be one.
  [[nodiscard]] bool adopt(std::span<std::uint64_t> slots, std::uint64_t count) {
    if (!std::has_single_bit(slots.size()) || count > slots.size() / 2) return false;
    ensure(count_ == 0, "a table is adopted by an empty one");
    auto t = std::make_unique<table>();
    t->mask = slots.size() - 1;
    t->slots = slots.data();
    tables_.push_back(std::move(t));
    current_.store(tables_.back().get(), std::memory_order_release);
    count_ = count;
    return true;
  }

private:
  struct table {
    std::uint64_t mask = 0;
    std::uint64_t* slots = nullptr; ///< hash << 32 | number + 1; 0 = free
    std::unique_ptr<std::uint64_t[]> own{};
  };

  /// False if no slot is free.
  static bool place(table& t, std::uint64_t slot) {
    for (std::uint64_t step = 0; step <= t.mask; ++step) {
      std::uint64_t& there = t.slots[((slot >> 32) + step) & t.mask];
      if (there != 0) continue;
      store_release(there, slot);
      return true;
    }
    return false;
  }

  table& add_table(std::uint64_t capacity) {
    auto t = std::make_unique<table>();
    t->mask = capacity - 1;
    t->own = std::make_unique<std::uint64_t[]>(capacity);
    t->slots = t->own.get();
    tables_.push_back(std::move(t));
    if (tables_.size() == 1) current_.store(tables_.back().get(), std::memory_order_release);
    return *tables_.back();
  }

  table& grow() {
    const table& old = *current_.load(std::memory_order_relaxed);
    table& wider = add_table(2 * (old.mask + 1));
    for (std::uint64_t i = 0; i <= old.mask; ++i)
      if (old.slots[i] != 0) place(wider, old.slots[i]);
    current_.store(&wider, std::memory_order_release);
    return wider;
  }

  std::atomic<table*> current_{nullptr};
  std::vector<std::unique_ptr<table>> tables_;
  std::uint64_t count_ = 0;
};

} // namespace mneme
