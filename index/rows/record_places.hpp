#pragma once
/// Where the journal has the record of a row, which is its head and the content that was current
/// then: by the seq of the entry that made the row. What an entry says never changes, so that a
/// place is never out of date, whatever number the row has.
///
/// Few entries make rows. So places are numbered in the order of their seqs, and a bit for each seq
/// says whether it has one; 448 seqs that follow each other share a line of the cache:
///
///     before = 7 │ 0 1 0 0 1 1 …      the seqs of this line with a bit have the places 7, 8, 9, …
///
/// One writer, and any number of readers, who ask about seqs that are published.

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "index/columns/paged_column.hpp"
#include "index/numbers.hpp"
#include "mneme/error.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// What a place points to is either
///
///     head ‖ 1 byte ‖ version      in the entry that brought the content, or
///     head                         where the head alone has changed; the content has a place
///     before
inline constexpr std::uint64_t segment_offset_bits = (1ULL << 40) - 1;
inline constexpr std::uint32_t segment_number_bits = (1U << 23) - 1;
struct record_place {
  std::uint64_t offset : 40; ///< of the canonical head in its segment
  std::uint64_t segment : 23;
  std::uint64_t is_coloured : 1; ///< the head
  std::uint32_t head_size;
  std::uint32_t version_size; ///< of the content, wherever it is
  std::uint32_t check;        ///< checksum of the bytes that the place points to
  std::uint32_t content;      ///< number of the place that has the content; mostly its own
  std::uint32_t head_held;    ///< bytes that it takes decoded, about
  std::uint32_t version_held;

  friend bool operator==(const record_place&, const record_place&) = default;
};
static_assert(sizeof(record_place) == 32, "two places share a line of the cache");

class record_places {
public:
  // Writer.
  /// The number of the segment with this first seq: the newest, or one that begins now.
  std::uint32_t enter_segment(seq_no first);
  /// The entry with this seq, which is later than all before, made a row. A place whose content is
  /// no_number has it itself.
  void note(seq_no seq, record_place place);

  // Readers.
  /// The number of the seq's place, or no_number.
  [[nodiscard]] std::uint32_t find(seq_no seq) const;
  /// Hints that the seq is asked for soon.
  void prefetch(seq_no seq) const {
    if (seq.value / seqs_each < line_count_.load(std::memory_order_acquire))
      __builtin_prefetch(&line_of(seq.value));
  }
  [[nodiscard]] const record_place& operator[](std::uint32_t number) const {
    return places_[number];
  }
  [[nodiscard]] std::uint32_t size() const { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint32_t segment_count() const {
    return segment_count_.load(std::memory_order_acquire);
  }
  /// The first seq of a segment, which is its name.
  [[nodiscard]] seq_no first_of(std::uint32_t segment) const { return {segments_[segment]}; }

  /// The places of seqs up to `at`; may run beside the writer.
  [[nodiscard]] std::string save(seq_no at) const;
  /// Into an empty object, which stays empty if the image is damaged (corrupt).
  result<void> load(std::string_view image);

private:
  static constexpr std::size_t words_each = 7;
  static constexpr std::uint64_t seqs_each = words_each * 64;
  struct alignas(64) line {
    std::uint64_t before; ///< places of the seqs before these
    std::array<std::uint64_t, words_each> has;
  };

  line& grow_line(std::uint64_t number);
  static std::uint64_t count_below(const line& l, std::uint64_t bits);
  /// Precondition: the line is there.
  [[nodiscard]] const line& line_of(std::uint64_t seq) const {
    return lines_[static_cast<std::uint32_t>(seq / seqs_each)];
  }

  paged_column<line> lines_;
  paged_column<record_place> places_;
  paged_column<std::uint64_t> segments_;
  std::atomic<std::uint64_t> line_count_{0};
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> segment_count_{0};
};

} // namespace mneme
