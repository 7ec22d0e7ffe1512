#pragma once
/// The vectors by position (dense, in append order), each with its length, its 8-bit codes and its
/// slot. Rows never move; one writer appends, readers see the rows below size().

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

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
    for (auto& page : pages_) std::free(page.load(std::memory_order_relaxed));
  }

  /// Before the first row.
  void set_stride(std::size_t stride) { stride_ = stride; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

  T* grow(std::uint32_t row) {
    const page_place at = place_of(row);
    T* page = pages_[at.page].load(std::memory_order_relaxed);
    if (page == nullptr) {
      ensure(stride_ > 0, "the length of the rows is fixed before the first");
      const std::size_t bytes = page_length(at.page) * stride_ * sizeof(T);
      page = static_cast<T*>(std::aligned_alloc(line_bytes, bytes));
      ensure(page != nullptr, "out of memory for vectors");
      pages_[at.page].store(page, std::memory_order_release);
    }
    return page + at.offset * stride_;
  }

  [[nodiscard]] const T* operator[](std::uint32_t row) const {
    const page_place at = place_of(row);
    return pages_[at.page].load(std::memory_order_acquire) + at.offset * stride_;
  }

private:
  static constexpr std::size_t line_bytes = 64;

  std::size_t stride_ = 0; ///< a page is a multiple of a line, since it has 1024 rows at least
  std::array<std::atomic<T*>, page_count_max> pages_{};
};

class vector_rows {
public:
  /// Once, before the first append.
  void set_dimension(std::uint32_t dim);
  /// Writer.
  void append(slot_no slot, std::span<const float> values);

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

  /// How many rows from `position` on lie one after the other in memory.
  [[nodiscard]] static std::uint32_t run_length(std::uint32_t position) {
    const page_place at = place_of(position);
    return static_cast<std::uint32_t>(page_length(at.page) - at.offset);
  }

  /// Hints that the codes, or the values, of a row are needed soon.
  void prefetch_codes(std::uint32_t position) const;
  void prefetch_values(std::uint32_t position) const;

private:
  std::uint32_t dim_ = 0;
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
