#pragma once
/// Hints at the memories that a door reads next, for who reads a list of them.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "views/read_views.hpp"
#include "views/standing.hpp"

namespace mneme {

/// That the first of `next` are read, as many as expect_rows() is for; `row` is the row of one.
/// What they rest on is looked at already.
template <class Item>
std::vector<memory_standing> expect_first(const read_views& views, const lineage_reader& lineage,
                                          std::span<const Item> next, row_no Item::* row) {
  std::array<row_no, rows_expected> numbers;
  const std::size_t count = std::min(next.size(), numbers.size());
  std::ranges::transform(next.first(count), numbers.begin(), row);
  const auto rows = std::span(numbers).first(count);
  expect_rows(views, rows);
  return lineage.standings_of(rows);
}

} // namespace mneme
