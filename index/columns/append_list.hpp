#pragma once
/// A list that one thread appends to while others read a prefix. It grows by moving to an array of
/// twice the size; the arrays it has left stay readable until `graveyard` goes (all of them
/// together are smaller than the newest). The list itself is plain and begins as zero bytes, so
/// that it can be an entry of a paged column.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index/columns/paged_column.hpp"
#include "index/numbers.hpp"

namespace mneme {

/// Keeps the arrays of any number of lists.
template <class T>
using array_graveyard = std::vector<std::unique_ptr<T[]>>;

/// The room of a list that has grown out of `capacity`: twice as much, and all numbers in the end.
constexpr std::uint32_t wider_list(std::uint32_t capacity) {
  if (capacity == 0) return 2;
  return capacity <= no_number / 2 ? 2 * capacity : no_number;
}

template <class T>
struct append_list {
  T* entries;
  std::uint32_t size;     ///< release-published
  std::uint32_t capacity; ///< writer

  /// Writer.
  void append(const T& entry, array_graveyard<T>& arrays) {
    if (size == capacity) {
      ensure(capacity != no_number, "a list is full");
      // Most lists of large entries, which are blocks of something, have one.
      const std::uint32_t wider = capacity == 0 && sizeof(T) > 16 ? 1 : wider_list(capacity);
      auto grown = std::make_unique_for_overwrite<T[]>(wider);
      std::copy_n(entries, size, grown.get());
      store_release(entries, grown.get());
      arrays.push_back(std::move(grown));
      capacity = wider;
    }
    entries[size] = entry;
    store_release(size, size + 1);
  }

  /// Writer: the first entries, of an empty list. They stay where they lie for its life.
  void adopt(std::span<T> first) {
    ensure(capacity == 0 && first.size() < no_number, "entries are adopted by an empty list");
    capacity = static_cast<std::uint32_t>(first.size());
    store_release(entries, first.data());
    store_release(size, capacity);
  }

  /// The entries that were appended so far; valid for the graveyard's life.
  [[nodiscard]] std::span<const T> view() const {
    const std::uint32_t count = load_acquire(size);
    return {load_acquire(entries), count};
  }
};

} // namespace mneme
