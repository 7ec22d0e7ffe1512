#pragma once
/// An array by dense number that one thread grows while others read, in pages (page_table). Fresh
/// entries are all zero bytes. A reader may touch an entry only after it has learned of it through
/// something the writer published later (a length, a posting, the published seq).
///
/// A reference may always be read through, for the array's life. No page moves but one: the last of
/// those that were adopted, if it is not whole, is copied when the first entry behind it is grown.
/// Whoever read it before then sees what was before the first change behind that, which serves a
/// read as of before; the writer changes entries through no reference that it held over a grow().

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <vector>

#include "index/columns/page_table.hpp"
#include "messages/ensure.hpp"

namespace mneme {

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

/// Zero bytes, as allocated and as aligned within. A block that the allocator maps of its own, as
/// glibc does with large ones, costs memory only where it is used; any other costs its whole size.
struct zeroed_block {
  void* block;
  void* aligned;
};
inline zeroed_block zeroed(std::size_t bytes, std::size_t alignment) {
  void* const block = std::calloc(bytes + alignment, 1);
  ensure(block != nullptr, "out of memory for an index page");
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t past = address % alignment;
  return {block, static_cast<char*>(block) + (past == 0 ? 0 : alignment - past)};
}

/// Entries that lie one after the other in memory: those from `first` to `end`.
template <class T>
struct column_run {
  const T* entries = nullptr;
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool has(std::uint32_t index) const { return first <= index && index < end; }
  /// Precondition: has(index).
  [[nodiscard]] const T& operator[](std::uint32_t index) const { return entries[index - first]; }
};

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
    T* page = pages_.find(at.page);
    if (page == nullptr || (page == partial_entries_ && at.offset >= partial_length_))
      page = add_page(at.page);
    return page[at.offset];
  }

  /// Writer: the first entries, of a column that has none.
  void fill(std::span<const T> entries) {
    for (std::uint32_t from = 0; from < entries.size();) {
      const std::uint32_t length = page_length(place_of(from).page);
      const auto part = entries.subspan(from, std::min<std::size_t>(length, entries.size() - from));
      std::copy(part.begin(), part.end(), &grow(from));
      from += static_cast<std::uint32_t>(part.size());
    }
  }

  /// Writer: the first entries, of a column that has none. They stay where they lie for its life,
  /// and may be changed there. Those of the last page are copied when it grows: who still looks at
  /// them there sees what was before the first change behind that.
  void adopt(std::span<T> entries) {
    ensure(pages_.find(0) == nullptr, "entries are adopted by none");
    for (std::uint32_t page = 0; !entries.empty(); ++page) {
      pages_.set(page, entries.data());
      if (entries.size() < page_length(page)) {
        partial_entries_ = entries.data();
        partial_length_ = static_cast<std::uint32_t>(entries.size());
        return;
      }
      entries = entries.subspan(page_length(page));
    }
  }

  /// Precondition: the entry's page exists (the writer has grown it).
  [[nodiscard]] const T& operator[](std::uint32_t index) const {
    const page_place at = place_of(index);
    return pages_[at.page][at.offset];
  }
  [[nodiscard]] T& operator[](std::uint32_t index) {
    const page_place at = place_of(index);
    return pages_[at.page][at.offset];
  }

  /// The entries of the page that has `index`, for who looks at many. Those that the writer has not
  /// grown are none of them, though they lie within.
  [[nodiscard]] column_run<T> run_of(std::uint32_t index) const {
    const page_place at = place_of(index);
    const std::uint32_t first = index - at.offset;
    const T* const entries = pages_[at.page];
    const std::uint32_t length =
        entries == partial_entries_ ? partial_length_ : page_length(at.page);
    const auto end = std::min<std::uint64_t>(std::uint64_t{first} + length, UINT32_MAX);
    return {entries, first, static_cast<std::uint32_t>(end)};
  }

private:
  T* add_page(std::uint32_t page) {
    const zeroed_block fresh = zeroed(page_length(page) * sizeof(T), alignof(T));
    blocks_.push_back(fresh.block);
    T* const entries = static_cast<T*>(fresh.aligned);
    if (const T* const old = pages_.find(page); old != nullptr)
      std::copy_n(old, partial_length_, entries);
    pages_.set(page, entries);
    return entries;
  }

  page_table<T> pages_;
  std::vector<void*> blocks_;          ///< as allocated; pages_ are aligned within
  const T* partial_entries_ = nullptr; ///< of the last page that was adopted, if it was not whole
  std::uint32_t partial_length_ = 0;   ///< entries of it
};

/// As paged_column, for numbers that may come in any order and with gaps. Two levels of directories
/// over small pages of equal size, so that an empty column takes 8 KiB, and one number, however
/// large, one directory and one page more:
///
///     index  =  |  10 bits: directory  |  10 bits: page  |  12 bits: entry  |
template <class T>
class sparse_column {
  static_assert(std::is_trivially_copyable_v<T>, "entries begin as zero bytes");

public:
  sparse_column() = default;
  sparse_column(const sparse_column&) = delete;
  sparse_column& operator=(const sparse_column&) = delete;
  ~sparse_column() {
    for (void* block : blocks_) std::free(block);
  }

  /// Writer: the entry, in a fresh page if need be.
  T& grow(std::uint32_t index) {
    T*& page = fresh_if_null(top_[index >> (page_bits + directory_bits)],
                             directory_entries)[(index >> page_bits) & (directory_entries - 1)];
    return fresh_if_null(page, page_entries)[index & (page_entries - 1)];
  }

  static constexpr std::uint32_t page_bits = 12;
  static constexpr std::uint32_t page_entries = 1U << page_bits;

  /// Writer: the page with this number, of a column that does not have it. It stays where it lies
  /// for the column's life, and may be changed there.
  void adopt_page(std::uint32_t number, std::span<T, page_entries> entries) {
    ensure(number < directory_entries * directory_entries, "every number has its page");
    T*& page = fresh_if_null(top_[number >> directory_bits],
                             directory_entries)[number & (directory_entries - 1)];
    ensure(page == nullptr, "a page is adopted once");
    store_release(page, entries.data());
  }
  /// The page with this number, or nullptr.
  [[nodiscard]] const T* page(std::uint32_t number) const {
    T* const* const directory = load_acquire(top_[number >> directory_bits]);
    return directory == nullptr ? nullptr
                                : load_acquire(directory[number & (directory_entries - 1)]);
  }

  /// The entry, or nullptr if nothing near it was ever grown.
  [[nodiscard]] const T* find(std::uint32_t index) const {
    T* const* const directory = load_acquire(top_[index >> (page_bits + directory_bits)]);
    if (directory == nullptr) return nullptr;
    const T* const page = load_acquire(directory[(index >> page_bits) & (directory_entries - 1)]);
    return page == nullptr ? nullptr : page + (index & (page_entries - 1));
  }

private:
  static constexpr std::uint32_t directory_bits = 10;
  static constexpr std::uint32_t directory_entries = 1U << directory_bits;
  static_assert(page_bits + 2 * directory_bits == 32, "every number has its place");

  /// What `place` points to; zero bytes for `length` of them, if it was null.
  template <class U>
  U* fresh_if_null(U*& place, std::uint32_t length) {
    if (place == nullptr) {
      const zeroed_block fresh = zeroed(length * sizeof(U), alignof(U));
      blocks_.push_back(fresh.block);
      store_release(place, static_cast<U*>(fresh.aligned));
    }
    return place;
  }

  std::array<T**, directory_entries> top_{};
  std::vector<void*> blocks_; ///< directories and pages, as allocated
};

} // namespace mneme
