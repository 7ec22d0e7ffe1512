#pragma once
/// Keeps the first so many of the rows of a find in its order. Rows that come too late for sure, by
/// what bounds their use, are dropped before they are scored. What is kept grows by a part, then
/// the later rows go: each row costs about the same, in whatever order they are offered.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "messages/ensure.hpp"
#include "query/find/row_order.hpp"

namespace mneme {

class first_rows {
public:
  /// `rows` and `by` outlive it; rows may be added to.
  first_rows(std::vector<candidate>& rows, std::uint32_t count, const row_order& by)
      : rows_(rows), count_(count), most_(count + std::max(std::size_t{count} / 4, few)), by_(by) {
    ensure(count > 0, "a page has rows");
    kept_.reserve(most_);
    waiting_.reserve(rows_together);
  }

  /// False: no row whose use is within the bound can be among the first ones.
  [[nodiscard]] bool may_enter(use_bound use) const { return by_.may_be_up_to(last_key_, use); }
  /// Row `i`; once each.
  void offer(std::uint32_t i);
  /// The first rows, in order; ends the collection.
  std::vector<candidate> take();

private:
  static constexpr std::size_t few = 16;
  /// Rows are scored so many at a time: what the first needs of memory comes while the others are
  /// looked at.
  static constexpr std::size_t rows_together = 8;

  struct kept_row {
    std::int64_t key;
    std::uint32_t at;
  };
  [[nodiscard]] bool before(const kept_row& a, const kept_row& b) const {
    return a.key != b.key ? a.key < b.key : by_.before(rows_[a.at], rows_[b.at]);
  }
  void score_waiting();
  void drop_later();

  std::vector<candidate>& rows_;
  std::size_t count_;
  std::size_t most_; ///< that are kept between two drops
  const row_order& by_;
  std::vector<std::uint32_t> waiting_; ///< to be scored
  std::vector<kept_row> kept_;
  std::int64_t last_key_ = std::numeric_limits<std::int64_t>::max(); ///< no row above it is kept
};

} // namespace mneme
