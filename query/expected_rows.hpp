#pragma once
/// Hints at the memories that a door reads next, for who reads a list of them.

#include <algorithm>
#include <array>
#include <span>

#include "views/read_views.hpp"

namespace mneme {

/// That the first of `next` are read, as many as expect_rows() is for; `row` is the row of one.
template <class Item>
void expect_first(const read_views& views, std::span<const Item> next, row_no Item::* row) {
  std::array<row_no, rows_expected> rows;
  const std::size_t count = std::min(next.size(), rows.size());
  std::ranges::transform(next.first(count), rows.begin(), row);
  expect_rows(views, std::span(rows).first(count));
}

} // namespace mneme
