#pragma once
/// Keeps the first so many of the rows of a find in its order. Rows that come too late for sure are
/// dropped before they are scored. What is kept grows to twice as many, then the later half goes:
/// each row costs about the same, in whatever order they are offered.

#include <cstdint>
#include <limits>
#include <vector>

#include "messages/ensure.hpp"
#include "query/find/row_order.hpp"

namespace mneme {

class first_rows {
public:
  /// `rows` and `by` outlive it.
  first_rows(std::vector<candidate>& rows, std::uint32_t count, const row_order& by)
      : rows_(rows), count_(count), most_(std::max(2 * std::size_t{count}, few)), by_(by) {
    ensure(count > 0, "a page has rows");
    kept_.reserve(most_);
  }

  /// Row `i`; once each, from the last to the first.
  void offer(std::uint32_t i);
  /// The first rows, in order; ends the collection.
  std::vector<candidate> take();

private:
  static constexpr std::size_t few = 64;

  struct kept_row {
    std::int64_t key;
    std::uint32_t at;
  };
  [[nodiscard]] bool before(const kept_row& a, const kept_row& b) const {
    return a.key != b.key ? a.key < b.key : by_.before(rows_[a.at], rows_[b.at]);
  }
  void drop_later();

  std::vector<candidate>& rows_;
  std::uint32_t count_;
  std::size_t most_; ///< that are kept between two drops
  const row_order& by_;
  std::vector<kept_row> kept_;
  std::int64_t last_key_ = std::numeric_limits<std::int64_t>::max(); ///< no row above it is kept
};

} // namespace mneme
