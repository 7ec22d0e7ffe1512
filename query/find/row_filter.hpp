#pragma once
/// Tests rows by their columns: alive, not erased, tombstone, archived, type, visibility, valid
/// time, what takes its place, what it rests on, a vector where near needs one, and what of the
/// predicate columns decide.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "query/find/find_checks.hpp"
#include "query/predicate/compiled_predicate.hpp"
#include "query/query_run.hpp"
#include "views/asker.hpp"
#include "views/current_memories.hpp"
#include "views/read_views.hpp"
#include "views/standing.hpp"

namespace mneme {

class row_filter {
public:
  /// `r`, `views`, `where` (may be null) and `distrusted` must outlive the filter. What holds is
  /// judged by the context's now, unless the request has a time of its own.
  row_filter(const find_request& r, const asker& who, const query_context& context,
             const read_views& views, compiled_predicate* where,
             const distrusted_memories& distrusted);

  /// The row of the node that is alive at the seq read, if it may pass by its brief; else
  /// no_number. Most need no look at their lines.
  [[nodiscard]] row_no may_pass_of(node_no node) const {
    row_no row = rows_.last_of(node);
    if (row.value == no_number) return {};
    row_brief brief = row.value < row_count_ ? rows_.brief(row) : brief_closed;
    if ((brief & brief_closed) != 0) {
      row = rows_.row_of(node, at_);
      if (row.value == no_number) return {};
      brief = rows_.brief(row);
    }
    return bounds_.may_have(brief) ? row : row_no{};
  }
  /// A row of any age.
  [[nodiscard]] verdict test(row_no row) const {
    const row_brief brief = rows_.brief(row);
    return bounds_.may_have(brief) && alive(row, brief) ? test_alive(row) : verdict::no;
  }
  /// Precondition: alive at the seq read.
  [[nodiscard]] verdict test_alive(row_no row) const {
    return visible_(row) ? test_visible(row) : verdict::no;
  }
  /// Precondition: alive at the seq read, and the asker may see it.
  [[nodiscard]] verdict test_visible(row_no row) const {
    const row_line& line = rows_.line(row);
    if (!bounds_.has(line) || !is_there(line) || line.valid_until_ns <= ends_after_ns_)
      return verdict::no;
    if (distrusted_.contains(line.node)) return verdict::no;
    if (stale_ && lineage_.of(row).stale != *stale_) return verdict::no;
    if (left_out_ != left_out::nothing && is_left_out(line)) return verdict::no;
    return where_ == nullptr ? verdict::yes : where_->test_within_bounds(row, attributes_, nodes_);
  }
  /// May the asker see it? Says nothing about the rest.
  [[nodiscard]] bool visible(row_no row) const { return visible_(row); }
  [[nodiscard]] posting_list visible_postings() const { return visible_.postings(at_); }
  [[nodiscard]] bool alive(row_no row) const { return alive(row, rows_.brief(row)); }

  /// Appends those of the rows, ascending, that are alive and may pass by their briefs; returns how
  /// many are alive.
  std::uint32_t look_over(std::span<const std::uint32_t> rows,
                          std::vector<std::uint32_t>& left) const;
  /// False if no row passes that is in one zone with `row`.
  [[nodiscard]] bool may_pass_in_zone_of(row_no row) const {
    return bounds_.created.is_all()
           || rows_.zone_meets(row, bounds_.created.first, bounds_.created.last);
  }
  [[nodiscard]] bool asks_for_time() const { return !bounds_.created.is_all(); }
  /// Does every row of the zone pass that its brief lets pass, and the asker may see?
  [[nodiscard]] bool briefs_decide_in_zone_of(row_no row) const {
    return briefs_decide_ && (where_ == nullptr || where_->bounds_are_all())
           && (bounds_.created.is_all()
               || rows_.zone_is_within(row, bounds_.created.first, bounds_.created.last));
  }
  /// May a row stay open?
  [[nodiscard]] bool leaves_open() const { return where_ != nullptr && where_->may_stay_open(); }

private:
  /// What of that which does not hold is not found, as far as the world has any.
  enum class left_out : std::uint8_t { nothing, ended, superseded, both };
  [[nodiscard]] static left_out left_out_of(const find_request& r, const read_views& views,
                                            const current_memories& current);
  /// Where what was superseded may be found, the bounds let all that is tombstoned pass.
  [[nodiscard]] bool is_there(const row_line& line) const {
    return shows_gone_ || may_have_held(line.flags);
  }
  [[nodiscard]] bool is_left_out(const row_line& line) const {
    if ((line.flags & row_gone) != 0 && shows_gone_) return false; // asked for
    if (left_out_ != left_out::superseded && current_.has_ended(line)) return true;
    return left_out_ != left_out::ended && current_.is_superseded(line);
  }
  [[nodiscard]] bool alive(row_no row, row_brief brief) const {
    return row.value < row_count_ && ((brief & brief_closed) == 0 || at_.value < rows_.end(row));
  }

  const attributes& attributes_;
  const row_store& rows_;
  const node_table& nodes_;
  compiled_predicate* where_;
  const distrusted_memories& distrusted_;
  lineage_reader lineage_;
  std::optional<bool> stale_; ///< asked for
  seq_no at_;
  std::uint32_t row_count_; ///< rows from there on began later
  line_bounds bounds_;
  std::int64_t ends_after_ns_ = std::numeric_limits<std::int64_t>::min();
  bool briefs_decide_ = false; ///< but for the time of creation, and what is not in the bounds
  visible_rows visible_;
  current_memories current_; ///< by what is visible
  left_out left_out_;
  bool shows_gone_; ///< whatever is tombstoned is asked for
};

} // namespace mneme
