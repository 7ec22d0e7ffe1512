#pragma once
/// Where the journal has the record of each row, which is its head and the content that was current
/// then. A column beside those of the rows, whose numbers it shares: it is made anew when they are,
/// so that states which no read can ask for keep no place either. A place says both where the head
/// is and where the content is: what a row that is kept points to never depends on one that is not.
///
/// One writer, and any number of readers, who ask about rows that are published.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "index/columns/paged_column.hpp"
#include "index/image.hpp"
#include "index/numbers.hpp"
#include "index/rows/row_store.hpp"
#include "mneme/error.hpp"
#include "mneme/ids.hpp"

namespace mneme {

inline constexpr std::uint64_t segment_offset_bits = (1ULL << 40) - 1;
inline constexpr std::uint32_t segment_number_bits = (1U << 23) - 1;

/// The canonical head in one payload of the journal, and the canonical version in the same one or,
/// where the head alone has changed since, in one before. All zeros: a row whose record the journal
/// is not asked for.
struct record_place {
  std::uint64_t head_offset : 40; ///< in its segment
  std::uint64_t head_segment : 23;
  std::uint64_t is_known : 1;
  std::uint64_t version_offset : 40;
  std::uint64_t version_segment : 23;
  std::uint64_t is_coloured : 1; ///< the head
  std::uint32_t head_size;
  std::uint32_t version_size;
  std::uint32_t head_check; ///< CRC-32C
  std::uint32_t version_check;
  std::uint32_t head_held; ///< bytes that it takes decoded, about
  std::uint32_t version_held;

  friend bool operator==(const record_place&, const record_place&) = default;
};
static_assert(sizeof(record_place) == 40, "no padding may enter the image");

/// An image of places, whose bytes stay where they are.
struct saved_places {
  std::span<const std::uint64_t> segments; ///< the first seq of each, by number
  std::span<const std::uint64_t> made;     ///< the seq that made the row of each place
  std::span<record_place> places;

  /// corrupt if the image is damaged or does not fit together; one of before is not read either.
  /// Which segments the places of an image that is held name is for their reader to look at.
  static result<saved_places> open(const image_bytes& image);
  /// Whether these are the places of exactly these rows.
  [[nodiscard]] bool are_of(const row_store& rows) const;
};

class record_places {
public:
  // Writer.
  /// The place of the next row.
  void append(const record_place& place);
  /// Those of an image, into an empty object. They stay where they lie if there is a `holder` who
  /// keeps them there.
  void fill(std::span<record_place> places, std::shared_ptr<const void> holder = {});

  // Readers.
  /// The row's place; nullptr if none is known.
  [[nodiscard]] const record_place* find(row_no row) const {
    if (row.value >= size()) return nullptr;
    const record_place& place = places_[row.value];
    return place.is_known != 0 ? &place : nullptr;
  }
  /// Hints that the row is asked for soon. A place may lie on two lines of the cache.
  void prefetch(row_no row) const {
    if (row.value >= size()) return;
    const auto* const first = reinterpret_cast<const char*>(&places_[row.value]);
    __builtin_prefetch(first);
    __builtin_prefetch(first + sizeof(record_place) - 1);
  }
  [[nodiscard]] std::uint32_t size() const { return count_.load(std::memory_order_acquire); }

  /// The places of these rows, which are ascending; may run beside the writer. `segments`: the
  /// first seq of each that a place names, by number.
  [[nodiscard]] std::string save(std::span<const std::uint64_t> segments, const row_store& rows,
                                 std::span<const row_no> kept) const;
  void save(image_writer& out, std::span<const std::uint64_t> segments, const row_store& rows,
            std::span<const row_no> kept) const;

private:
  paged_column<record_place> places_;
  std::shared_ptr<const void> holder_; ///< of places that lie in an image
  std::atomic<std::uint32_t> count_{0};
};

} // namespace mneme
