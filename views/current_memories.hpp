#pragma once
/// What holds: what has not ended by valid time, and what no newer memory takes out of answers. The
/// one rule of every door that ranks or lists (docs/SEARCH.md).

#include <cstdint>
#include <functional>

#include "mneme/past_marks.hpp"
#include "views/asker.hpp"
#include "views/lineage_edges.hpp"
#include "views/read_views.hpp"
#include "views/standing.hpp"
#include "views/supersession.hpp"

namespace mneme {

/// By when it is judged what holds.
struct judged_at {
  timestamp instant;
  /// A time of the caller's own (as_of): what begins after it is not there yet, and hides nothing.
  bool is_asked = false;
};

/// The row of the node as of `at`, if it is live: there, and neither tombstoned nor erased.
inline bool is_live(const attributes& rows, node_no node, seq_no at, row_no& row) {
  row = rows.row_of(node, at);
  return row.value != no_number && (rows.rows().line(row).flags & row_gone) == 0;
}

/// The same, but what was superseded is there as well.
inline bool has_held(const attributes& rows, node_no node, seq_no at, row_no& row) {
  row = rows.row_of(node, at);
  return row.value != no_number && may_have_held(rows.rows().line(row).flags);
}

class current_memories {
public:
  /// `visible` says what the asker sees; it and `views` must outlive this, and so must
  /// `distrusted`, which an answer leaves out for its trust.
  current_memories(const visible_rows& visible, const read_views& views, seq_no at, judged_at when,
                   const distrusted_memories* distrusted = nullptr)
      : rows_(*views.attributes),
        lineage_(*views.lineage),
        at_(at),
        instant_ns_(when.instant.ns),
        is_asked_(when.is_asked),
        ever_superseded_(!views.lineage->ever_led_to(by_edge).empty()
                         || views.attributes->referring()->cardinality() != 0
                         || views.attributes->past()->cardinality() != 0),
        visible_(visible),
        distrusted_(distrusted),
        supersessions_(*views.attributes) {}

  current_memories(const current_memories&) = delete;
  current_memories& operator=(const current_memories&) = delete;
  ~current_memories() = default;

  /// May anything of the world be superseded? It costs nothing to ask where nothing is.
  [[nodiscard]] bool ever_superseded() const { return ever_superseded_; }

  [[nodiscard]] bool has_begun(const row_line& line) const {
    return !is_asked_ || line.valid_from_ns <= instant_ns_;
  }
  [[nodiscard]] bool has_ended(const row_line& line) const {
    return line.valid_until_ns <= instant_ns_;
  }
  /// Was it tombstoned as superseded, does a Decision that the asker sees replace it, or such a
  /// memory supersede it, which is live or was superseded itself? What one cannot see, or
  /// trusts too little to be shown it, hides nothing of one's own, and nobody's memory takes
  /// another's out of answers.
  [[nodiscard]] bool is_superseded(const row_line& line) const {
    return ever_superseded_ && (is_past(line) || is_replaced(line) || is_led_to(line));
  }
  /// Neither has it ended, nor is it superseded. What is tombstoned for another cause is there for
  /// those alone who ask for such, and is not judged.
  [[nodiscard]] bool holds(const row_line& line) const {
    return !may_have_held(line.flags) || (!has_ended(line) && !is_superseded(line));
  }

  [[nodiscard]] past_marks marks_of(const row_line& line) const {
    if (!may_have_held(line.flags)) return {};
    return {.ended = has_ended(line), .superseded = is_superseded(line)};
  }

private:
  /// By its own tombstone, which is as old as the row's last change.
  [[nodiscard]] bool is_past(const row_line& line) const {
    return (line.flags & row_past) != 0 && (!is_asked_ || line.last_updated_at_ns <= instant_ns_);
  }
  /// Of a live row that supersedes or replaces the memory of `older`.
  [[nodiscard]] bool hides(row_no newer, const row_line& older) const {
    const row_line& line = rows_.rows().line(newer);
    const bool is_left_out = distrusted_ != nullptr && distrusted_->contains(line.node);
    return has_begun(line) && visible_(newer) && !is_left_out && supersessions_.counts(line, older);
  }
  [[nodiscard]] bool is_replaced(const row_line& line) const {
    const node_no node{line.node};
    if (!rows_.is_referred_to(node)) return false;
    bool found = false;
    const auto look = [&](row_no by) {
      const row_line& other = rows_.rows().line(by);
      found = other.type == memory_type::decision && other.node != line.node
              && may_have_held(other.flags) && rows_.alive(by, at_) && hides(by, line);
      return !found;
    };
    rows_.for_each_referring(node, std::ref(look));
    return found;
  }
  [[nodiscard]] bool is_led_to(const row_line& line) const {
    const node_no node{line.node};
    if (!lineage_.ever_led_to(node, by_edge)) return false;
    bool found = false;
    const auto look = [&](const neighbour& n) {
      if (n.type > by_edge) return false; // they come by type
      row_no by;
      found = n.type == by_edge && has_held(rows_, n.node, at_, by) && hides(by, line);
      return !found;
    };
    lineage_.neighbours(node, edge_direction::in, at_, false, std::ref(look));
    return found;
  }

  static constexpr edge_type by_edge = in_lineage(lineage_kind::supersedes);

  const attributes& rows_;
  const graph& lineage_;
  seq_no at_;
  std::int64_t instant_ns_;
  bool is_asked_;
  bool ever_superseded_;
  const visible_rows& visible_;
  const distrusted_memories* distrusted_; ///< null = none
  supersession supersessions_;
};

} // namespace mneme
