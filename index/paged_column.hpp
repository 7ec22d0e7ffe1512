#pragma once
/// An array by dense number that one thread grows while others read. Pages double in size and never
/// move, so a reference stays valid for the array's life; fresh entries are all zero bytes. A
/// reader may touch an entry only after it has learned of it through something the writer published
/// later (a length, a posting, the published seq).

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "messages/ensure.hpp"

namespace mneme {

/// Where entry `index` of a paged array lies.
struct page_place {
  std::uint32_t page = 0;
  std::uint32_t offset = 0;
};

inline constexpr std::uint32_t first_page_bits = 10;
inline constexpr std::uint32_t page_count_max = 33 - first_page_bits;

/// Page p holds 2^(first_page_bits + p) entries.
constexpr page_place place_of(std::uint32_t index) noexcept {
  const std::uint64_t shifted = std::uint64_t{index} + (1U << first_page_bits);
  const auto page = static_cast<std::uint32_t>(std::bit_width(shifted)) - 1 - first_page_bits;
  return {page,
          static_cast<std::uint32_t>(shifted - (std::uint64_t{1} << (first_page_bits + page)))};
}
constexpr std::uint64_t page_length(std::uint32_t page) noexcept {
  return std::uint64_t{1} << (first_page_bits + page);
}

/// Atomic access to plain fields that the writer changes after it has published them.
template <class T>
T load_acquire(const T& field) noexcept {
  return std::atomic_ref<T>(const_cast<T&>(field)).load(std::memory_order_acquire);
}
template <class T>
T load_relaxed(const T& field) noexcept {
  return std::atomic_ref<T>(const_cast<T&>(field)).load(std::memory_order_relaxed);
}
template <class T>
void store_release(T& field, T value) noexcept {
  std::atomic_ref<T>(field).store(value, std::memory_order_release);
}

template <class T>
class paged_column {
  static_assert(std::is_trivially_copyable_v<T>, "entries begin as zero bytes");

public:
  paged_column() = default;
  paged_column(const paged_column&) = delete;
  paged_column& operator=(const paged_column&) = delete;
  ~paged_column() {
    for (void* block : blocks_) std::free(block);
  }

  /// Writer: the entry, in a fresh page if need be.
  T& grow(std::uint32_t index) {
    const page_place at = place_of(index);
    T* page = pages_[at.page].load(std::memory_order_relaxed);
    if (page == nullptr) page = add_page(at.page);
    return page[at.offset];
  }

  /// Writer: makes the entry's page; false if there is no memory for it. For loading numbers that
  /// may be wrong.
  [[nodiscard]] bool reserve(std::uint32_t index) {
    const std::uint32_t page = place_of(index).page;
    return pages_[page].load(std::memory_order_relaxed) != nullptr || try_add_page(page) != nullptr;
  }

  /// Precondition: the entry's page exists (the writer has grown it).
  [[nodiscard]] const T& operator[](std::uint32_t index) const {
    const page_place at = place_of(index);
    return pages_[at.page].load(std::memory_order_acquire)[at.offset];
  }
  [[nodiscard]] T& operator[](std::uint32_t index) {
    const page_place at = place_of(index);
    return pages_[at.page].load(std::memory_order_acquire)[at.offset];
  }

  /// The entry, or nullptr if nothing near it was ever grown.
  [[nodiscard]] const T* find(std::uint32_t index) const {
    const page_place at = place_of(index);
    const T* page = pages_[at.page].load(std::memory_order_acquire);
    return page == nullptr ? nullptr : page + at.offset;
  }

private:
  T* add_page(std::uint32_t page) {
    T* const entries = try_add_page(page);
    ensure(entries != nullptr, "out of memory for an index page");
    return entries;
  }

  T* try_add_page(std::uint32_t page) {
    // calloc leaves large pages untouched until they are used.
    void* block = std::calloc(page_length(page) + 1, sizeof(T));
    if (block == nullptr) return nullptr;
    blocks_[page] = block;
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t aligned = (address + alignof(T) - 1) / alignof(T) * alignof(T);
    T* const entries = reinterpret_cast<T*>(aligned);
    pages_[page].store(entries, std::memory_order_release);
    return entries;
  }

  std::array<std::atomic<T*>, page_count_max> pages_{};
  std::array<void*, page_count_max> blocks_{}; ///< as allocated; pages_ are aligned within
};

} // namespace mneme
