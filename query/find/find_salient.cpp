/// The most salient rows of long lists. Rows are looked at from the newest to the oldest, and the
/// sooner the best are there, the more of the others are passed over: whole zones by their bounds,
/// rows by four bytes of theirs. The lines and activations of the rest are few.

#include <algorithm>

#include "query/find/find_state.hpp"
#include "query/find/first_rows.hpp"

namespace mneme {

namespace {

class salient_selection {
public:
  salient_selection(find_state& run, const row_filter& filter, const attributes& columns,
                    first_rows& first)
      : run_(run), filter_(filter), rows_(columns.rows()), columns_(columns), first_(first) {}

  /// Returns how many of the rows the asker is told of: for the host all, alive or not.
  result<std::uint64_t> add(std::span<const std::uint32_t> list) {
    const bool is_host = run_.who.sees_all();
    const bool is_dense = lies_dense(list);
    std::uint64_t alive = 0;
    std::size_t looked_at = 0;
    for (auto todo = list; !todo.empty();) {
      const auto part = last_part(todo, is_dense);
      todo = todo.first(todo.size() - part.size());
      if (auto ok = run_.time.check_for(part.size(), looked_at); !ok) return propagate(ok);
      if (is_host && is_dense && !may_enter_from_zone_of({part.front()})) continue;
      left_.clear();
      alive += filter_.look_over(part, left_);
      offer_left();
    }
    return is_host ? list.size() : alive;
  }

private:
  /// Where zones have few rows of the list each, to ask one costs more than it saves.
  static bool lies_dense(std::span<const std::uint32_t> list) {
    constexpr std::size_t few = 8;
    if (list.empty()) return false;
    return list.size() >= few * ((list.back() - list.front()) / rows_per_zone + 1);
  }

  /// The last rows, to be looked at together: of dense ones those of a zone.
  static std::span<const std::uint32_t> last_part(std::span<const std::uint32_t> todo,
                                                  bool is_dense) {
    const auto most = todo.last(std::min<std::size_t>(todo.size(), rows_per_zone));
    if (!is_dense) return most;
    const auto begin = std::ranges::lower_bound(most, most.back() / rows_per_zone * rows_per_zone);
    return most.last(static_cast<std::size_t>(most.end() - begin));
  }

  [[nodiscard]] bool may_enter_from_zone_of(row_no row) const {
    return filter_.may_pass_in_zone_of(row) && first_.may_enter(rows_.zone_use(row));
  }

  void offer_left() {
    asked_.clear();
    for (std::size_t i = left_.size(); i-- > 0;) {
      const row_no row{left_[i]};
      if (!look_at_zone_of(row) || !first_.may_enter(rows_.use(row))) continue;
      __builtin_prefetch(&rows_.line(row));
      asked_.push_back({row, zone_.briefs_decide});
    }
    for (const auto& [row, passes] : asked_) {
      if (!passes && filter_.test_visible(row) != verdict::yes) continue;
      run_.rows.push_back(candidate_of(row, columns_, run_.request.as_of));
      first_.offer(static_cast<std::uint32_t>(run_.rows.size() - 1));
    }
  }

  /// False if none of its rows passes.
  bool look_at_zone_of(row_no row) {
    if (const std::uint32_t number = row.value / rows_per_zone; number != zone_.number)
      zone_ = {.number = number,
               .may_pass = filter_.may_pass_in_zone_of(row),
               .briefs_decide = filter_.briefs_decide_in_zone_of(row)};
    return zone_.may_pass;
  }

  /// What is known of the zone that was asked about last.
  struct known_zone {
    std::uint32_t number = no_number;
    bool may_pass = false;
    bool briefs_decide = false;
  };
  struct asked_row {
    row_no row;
    bool passes; ///< as its brief says
  };

  find_state& run_;
  const row_filter& filter_;
  const row_store& rows_;
  const attributes& columns_;
  first_rows& first_;
  known_zone zone_;
  std::vector<std::uint32_t> left_;
  std::vector<asked_row> asked_; ///< whose lines were asked for
};

} // namespace

result<std::uint64_t> find_state::select_salient(std::span<const std::vector<std::uint32_t>> lists,
                                                 const row_filter& filter,
                                                 const read_views& views) {
  const row_order by = ordering(views);
  first_rows first(rows, static_cast<std::uint32_t>(page_end(request)), by);
  constexpr std::size_t few = 64;
  rows.reserve(few);
  salient_selection chosen(*this, filter, *views.attributes, first);
  std::uint64_t shown = 0;
  for (const auto& list : lists) {
    const auto told = chosen.add(list);
    if (!told) return told;
    shown += *told;
  }
  rows = first.take();
  cut_offset();
  return shown;
}

} // namespace mneme
