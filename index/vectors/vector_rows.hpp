#pragma once
/// The vectors by position (dense, in append order), each with its length, its 8-bit codes and its
/// slot. Rows never move; one writer appends, readers see the rows below size().

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "index/columns/page_table.hpp"
#include "index/columns/paged_column.hpp"
#include "index/numbers.hpp"
#include "index/vectors/distance.hpp"

namespace mneme {

/// Rows of a fixed number of T, in cache-line aligned pages.
template <class T>
class aligned_rows {
public:
  aligned_rows() = default;
  aligned_rows(const aligned_rows&) = delete;
  aligned_rows& operator=(const aligned_rows&) = delete;
  ~aligned_rows() {
    for (T* page : made_) std::free(page);
  }

  /// Before the first row.
  void set_stride(std::size_t stride) { stride_ = stride; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

  T* grow(std::uint32_t row) {
    const page_place at = place_of(row);
    T* page = pages_.find(at.page);
    const bool is_adopted_part = adopted_part_ != 0 && at.page == adopted_pages_;
    if (page == nullptr || is_adopted_part) page = add_page(at.page);
    return page + at.offset * stride_;
  }

  /// The first rows, of what has none. They stay where they lie, aligned as pages are, for as long
  /// as these rows are there, and are not written to. Those of the last page are copied when it
  /// grows: readers that still look at them there miss nothing but what is new.
  void adopt(std::span<const T> rows) {
    ensure(adopted_pages_ == 0 && adopted_part_ == 0, "rows are adopted once");
    ensure(stride_ > 0 && rows.size() % stride_ == 0, "whole rows are adopted");
    for (std::uint32_t page = 0; !rows.empty(); ++page) {
      const std::size_t length = page_length(page) * stride_;
      pages_.set(page, const_cast<T*>(rows.data()));
      if (rows.size() < length) {
        adopted_part_ = rows.size();
        return;
      }
      ++adopted_pages_;
      rows = rows.subspan(length);
    }
  }
  /// The first rows, of what has none: a copy.
  void fill(std::span<const T> rows) {
    ensure(stride_ > 0 && rows.size() % stride_ == 0, "whole rows are copied");
    for (std::uint32_t row = 0; !rows.empty();) {
      const std::uint32_t length = page_length(place_of(row).page);
      const auto part = rows.first(std::min<std::size_t>(length * stride_, rows.size()));
      std::ranges::copy(part, grow(row));
      row += length;
      rows = rows.subspan(part.size());
    }
  }
  static bool can_adopt(std::span<const T> rows) {
    return reinterpret_cast<std::uintptr_t>(rows.data()) % line_bytes == 0;
  }

  [[nodiscard]] const T* operator[](std::uint32_t row) const {
    const page_place at = place_of(row);
    return pages_[at.page] + at.offset * stride_;
  }

private:
  static constexpr std::size_t line_bytes = 64;

  /// Where there is none, or one that was adopted in part, whose rows it takes over.
  T* add_page(std::uint32_t number) {
    ensure(stride_ > 0, "the length of the rows is fixed before the first");
    const std::size_t bytes = page_length(number) * stride_ * sizeof(T);
    T* const page = static_cast<T*>(std::aligned_alloc(line_bytes, bytes));
    ensure(page != nullptr, "out of memory for vectors");
    made_.push_back(page);
    if (number == adopted_pages_)
      std::copy_n(pages_.find(number), std::exchange(adopted_part_, 0), page);
    pages_.set(number, page);
    return page;
  }

  std::uint32_t adopted_pages_ = 0; ///< the first ones, which are somebody else's
  std::size_t adopted_part_ = 0;    ///< and of the next one so many numbers
  std::size_t stride_ = 0; ///< a page is a multiple of a line, since it has 1024 rows at least
  page_table<T> pages_;
  std::vector<T*> made_; ///< pages that are not somebody else's
};

class vector_rows {
public:
  /// Once, before the first append.
  void set_dimension(std::uint32_t dim);
  /// Writer.
  void append(slot_no slot, std::span<const float> values);

  /// Rows as they lie in an image: by position, codes and values of code_count() and value_count()
  /// numbers each.
  struct saved_rows {
    std::span<std::uint32_t> slots;
    std::span<double> norms;
    std::span<code_scale> scales;
    std::span<const std::int8_t> codes;
    std::span<const float> values;
  };
  /// Writer: all rows, into what has none; false if they cannot be any. Most stay where they lie if
  /// there is a `holder` who keeps them there.
  [[nodiscard]] bool adopt(const saved_rows& saved, std::shared_ptr<const void> holder);

  [[nodiscard]] std::uint32_t dimension() const { return dim_; }
  [[nodiscard]] std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  /// Where the vector of `slot` is, or no_number.
  [[nodiscard]] std::uint32_t position_of(slot_no slot) const;
  [[nodiscard]] slot_no slot(std::uint32_t position) const { return {slots_[position]}; }
  [[nodiscard]] std::span<const float> values(std::uint32_t position) const {
    return {values_[position], dim_};
  }
  [[nodiscard]] double norm(std::uint32_t position) const { return norms_[position]; }
  [[nodiscard]] const std::int8_t* codes(std::uint32_t position) const { return codes_[position]; }
  [[nodiscard]] const code_scale& scale(std::uint32_t position) const { return scales_[position]; }
  [[nodiscard]] std::size_t code_count() const { return codes_.stride(); }
  /// Numbers from one vector to the next in memory: zeros behind those of the vector.
  [[nodiscard]] std::size_t value_count() const { return values_.stride(); }

  /// How many rows from `position` on lie one after the other in memory.
  [[nodiscard]] static std::uint32_t run_length(std::uint32_t position) {
    const page_place at = place_of(position);
    return page_length(at.page) - at.offset;
  }

  /// Hints that the codes, or the values, of a row are needed soon.
  void prefetch_codes(std::uint32_t position) const;
  void prefetch_values(std::uint32_t position) const;

private:
  std::uint32_t dim_ = 0;
  std::shared_ptr<const void> holder_; ///< of rows that were adopted
  aligned_rows<float> values_;
  aligned_rows<std::int8_t> codes_;
  paged_column<code_scale> scales_;
  paged_column<double> norms_;
  paged_column<std::uint32_t> slots_;
  sparse_column<std::uint32_t> positions_; ///< by slot: position + 1; 0 = none
  std::atomic<std::uint32_t> size_{0};
};

/// A query with what every comparison needs of it.
class prepared_query {
public:
  prepared_query(std::span<const float> values, std::size_t code_count);

  [[nodiscard]] double distance(const vector_rows& rows, std::uint32_t position) const {
    return distance_of(dot_f64(values_.data(), rows.values(position).data(), values_.size()), norm_,
                       rows.norm(position));
  }
  /// Upper bounds of the cosines of `count` rows within one run.
  void bound(const vector_rows& rows, std::uint32_t position, std::uint32_t count,
             float* bounds) const {
    ensure(count <= vector_rows::run_length(position), "rows of one run are compared at once");
    bound_cosines(codes_.get(), scale_, rows.codes(position), rows.code_count(),
                  &rows.scale(position), count, bounds);
  }
  /// Near the distance; for graphs.
  [[nodiscard]] float estimate(const vector_rows& rows, std::uint32_t position) const {
    return 1.0F
           - static_cast<float>(dot(rows, position))
                 * (scale_.factor * rows.scale(position).factor);
  }

private:
  [[nodiscard]] std::int64_t dot(const vector_rows& rows, std::uint32_t position) const {
    return dot_codes(codes_.get(), rows.codes(position), rows.code_count());
  }

  std::span<const float> values_;
  double norm_;
  std::unique_ptr<std::int16_t[]> codes_;
  code_scale scale_;
};

} // namespace mneme
