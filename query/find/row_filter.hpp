#pragma once
/// Tests rows by their columns: alive, not erased, tombstone, archived, type, visibility, valid
/// time, a vector where near needs one, and what of the predicate columns decide.

#include <optional>

#include "query/find/find_checks.hpp"
#include "query/predicate/compiled_predicate.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

class row_filter {
public:
  /// `r`, `views` and `where` (may be null) must outlive the filter.
  row_filter(const find_request& r, const asker& who, seq_no at, const read_views& views,
             compiled_predicate* where);

  /// A row of any age.
  [[nodiscard]] verdict test(row_no row) const {
    return alive(row) ? test_alive(row) : verdict::no;
  }
  /// Precondition: alive at the seq read.
  [[nodiscard]] verdict test_alive(row_no row) const;
  /// May the asker see it? Says nothing about the rest.
  [[nodiscard]] bool visible(row_no row) const { return visible_(row); }
  [[nodiscard]] posting_list visible_postings() const { return visible_.postings(); }
  [[nodiscard]] bool alive(row_no row) const { return rows_.alive(row, at_); }

private:
  const attributes& attributes_;
  const row_store& rows_;
  const node_table& nodes_;
  compiled_predicate* where_;
  seq_no at_;
  type_set types_;
  std::uint8_t excluded_flags_ = 0;
  std::uint8_t required_flags_ = 0;
  std::optional<std::int64_t> as_of_ns_;
  visible_rows visible_;
};

} // namespace mneme
