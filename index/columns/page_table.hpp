#pragma once
/// Where the entries of a paged array lie, by page: pages double in size up to a bound, so that a
/// small array takes little, and making a page, or copying the one that an adopted array ends in,
/// takes no longer the more entries there are.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mneme {

/// Where entry `index` of a paged array lies.
struct page_place {
  std::uint32_t page = 0;
  std::uint32_t offset = 0;
};

inline constexpr std::uint32_t first_page_bits = 10;
inline constexpr std::uint32_t largest_page_bits = 15;
inline constexpr std::uint32_t doubling_pages = largest_page_bits - first_page_bits;

/// Page p holds 2^(first_page_bits + p) entries, but no more than 2^largest_page_bits.
constexpr std::uint32_t page_length(std::uint32_t page) noexcept {
  return 1U << (first_page_bits + std::min(page, doubling_pages));
}
constexpr page_place place_of(std::uint32_t index) noexcept {
  const std::uint64_t shifted = std::uint64_t{index} + (1U << first_page_bits);
  constexpr std::uint64_t largest = 1U << largest_page_bits;
  if (shifted >= largest)
    return {static_cast<std::uint32_t>(shifted >> largest_page_bits) - 1 + doubling_pages,
            static_cast<std::uint32_t>(shifted & (largest - 1))};
  const auto page = static_cast<std::uint32_t>(std::bit_width(shifted)) - 1 - first_page_bits;
  return {page,
          static_cast<std::uint32_t>(shifted - (std::uint64_t{1} << (first_page_bits + page)))};
}
static_assert(place_of(31'743).page == 4 && place_of(31'743).offset == page_length(4) - 1);
static_assert(place_of(31'744).page == 5 && place_of(31'744).offset == 0);

/// The first entry of each page, which one thread sets while others look. Who looks at a page that
/// was never set looks at nothing that is there: not even a null.
template <class T>
class page_table {
public:
  page_table() = default;
  page_table(const page_table&) = delete;
  page_table& operator=(const page_table&) = delete;

  /// Precondition: the page was set, as its reader has learned from whoever published its entries.
  [[nodiscard]] T* operator[](std::uint32_t page) const noexcept {
    return pages_.load(std::memory_order_acquire)[page].load(std::memory_order_acquire);
  }
  /// Writer: the same, or nullptr if it was not set.
  [[nodiscard]] T* find(std::uint32_t page) const noexcept {
    return page < room_ ? (*this)[page] : nullptr;
  }
  /// Writer. A reader may see what was there before for as long as it has nothing newer to look at.
  void set(std::uint32_t page, T* entries) {
    if (page >= room_) make_room(page);
    pages_.load(std::memory_order_relaxed)[page].store(entries, std::memory_order_release);
  }

private:
  using slot = std::atomic<T*>;

  /// Readers may still look at tables of before, which stay.
  void make_room(std::uint32_t page) {
    const std::uint32_t room = std::max(2 * room_, page + 1);
    auto wider = std::make_unique<slot[]>(room);
    const slot* const old = pages_.load(std::memory_order_relaxed);
    for (std::uint32_t p = 0; p < room_; ++p)
      wider[p].store(old[p].load(std::memory_order_relaxed), std::memory_order_relaxed);
    slot* const pages = wider.get();
    tables_.push_back(std::move(wider));
    pages_.store(pages, std::memory_order_release);
    room_ = room;
  }

  /// For some 130,000 entries: few arrays of a small world need another table.
  static constexpr std::uint32_t first_room = doubling_pages + 3;

  std::array<slot, first_room> first_{};
  std::atomic<slot*> pages_{first_.data()};
  std::uint32_t room_ = first_room;
  std::vector<std::unique_ptr<slot[]>> tables_;
};

} // namespace mneme
