#pragma once
/// What a door that reads a list of memories asks for ahead: hints at those that it reads next, and
/// what they rest on.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "query/deadline.hpp"
#include "views/read_views.hpp"
#include "views/standing.hpp"

namespace mneme {

/// Hints that the first of `next` are read, as many as expect_rows() is for; `row` is the row of
/// one. Their standings, while there is time.
template <class Item>
result<std::vector<memory_standing>>
look_ahead(const read_views& views, const lineage_reader& lineage, std::span<const Item> next,
           row_no Item::* row, const deadline& time) {
  std::array<row_no, rows_expected> numbers;
  const std::size_t count = std::min(next.size(), numbers.size());
  std::ranges::transform(next.first(count), numbers.begin(), row);
  const auto rows = std::span(numbers).first(count);
  expect_rows(views, rows);
  auto standings = lineage.standings_of(rows, time.goes_on());
  if (auto ok = time.check(); !ok) return propagate(ok);
  return standings;
}

} // namespace mneme
