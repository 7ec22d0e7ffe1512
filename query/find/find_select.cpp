/// The stages walk and select: which rows are candidates, by the cheapest driver, and which of
/// them pass by their columns.
///
/// A driver costs a row test for each candidate that it lists. Beside a walk, a posting also costs
/// a table over all nodes, a sixteenth of a test for each. In a world of 1,000,000 nodes, for an
/// actor that sees 5,000 rows, notes (200,000 rows) with a tag that 300 rows have:
///
///                           bfs      tags     types   visible
///     no walk                 -       300   200,000     5,000   → tags
///     400 steps             400    62,800   262,500    67,500   → bfs
///     90,000 steps       90,000    62,800   262,500    67,500   → tags, tested against it
///
/// Of equal ones the first in this order drives.

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "query/find/find_state.hpp"
#include "views/memory_keys.hpp"

namespace mneme {

namespace {

/// Up to so many candidate rows near is always exact (vectors::are_few).
constexpr std::uint64_t exact_near_rows = 10'000;

/// A way to enumerate candidates, with an upper bound of their number.
struct driver_choice {
  enum class kind : std::uint8_t { bfs, tags, types, visible, rows };
  kind by = kind::rows;
  std::uint64_t cost = std::numeric_limits<std::uint64_t>::max();
  std::string detail;
  term_no tag; ///< that all rows have, by tags
  posting_list postings;

  [[nodiscard]] const char* name() const {
    switch (by) {
    case kind::bfs:
      return "bfs";
    case kind::tags:
      return "tags";
    case kind::types:
      return "types";
    case kind::visible:
      return "visible";
    case kind::rows:
      return "near";
    }
    return "";
  }
  [[nodiscard]] const char* stage_name() const {
    switch (by) {
    case kind::bfs:
      return "bfs";
    case kind::tags:
      return "tag";
    case kind::types:
      return "type";
    case kind::visible:
      return "visible";
    case kind::rows:
      return "near";
    }
    return "";
  }
};

driver_choice smallest_tag(const std::vector<std::string>& tags, const attributes& rows,
                           seq_no at) {
  driver_choice best;
  best.by = driver_choice::kind::tags;
  for (const auto& tag : tags) {
    const term_no term = rows.tag_term(tag);
    auto posting = rows.with_tag(term, at);
    if (posting->cardinality() >= best.cost) continue;
    best.cost = posting->cardinality();
    best.detail = shown_tag(tag);
    best.tag = term;
    best.postings = {std::move(posting)};
  }
  return best;
}

driver_choice union_of_types(type_set types, const attributes& rows, seq_no at) {
  driver_choice all;
  all.by = driver_choice::kind::types;
  all.cost = 0;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    if ((types & type_bit(type)) == 0) continue;
    all.postings.push_back(rows.with_type(type, at));
    all.cost += all.postings.back()->cardinality();
    if (!all.detail.empty()) all.detail += ',';
    all.detail += to_string(type);
  }
  return all;
}

/// What the asker may see; none for the host.
driver_choice all_visible(const row_filter& filter, const asker& who) {
  driver_choice all;
  all.by = driver_choice::kind::visible;
  all.postings = filter.visible_postings();
  if (all.postings.empty()) return all;
  all.cost = cardinality(all.postings);
  all.detail = who.name();
  return all;
}

/// Row numbers, ascending.
using row_list = std::vector<std::uint32_t>;

/// Lists whose room a thread keeps for its next find: fresh pages of memory take longer than what
/// is written there. Whoever asks while they are lent gets some of its own.
class lent_lists {
public:
  lent_lists() : lists_(std::exchange(kept(), {})) {}
  lent_lists(const lent_lists&) = delete;
  lent_lists& operator=(const lent_lists&) = delete;
  ~lent_lists() {
    constexpr std::size_t most_lists = 2;
    constexpr std::size_t most_rows = std::size_t{1} << 17;
    std::erase_if(lists_, [](const row_list& rows) { return rows.capacity() > most_rows; });
    if (lists_.size() > most_lists) lists_.resize(most_lists);
    kept() = std::move(lists_);
  }

  /// One more list, empty; the references to those before are no longer valid.
  row_list& add() {
    if (used_ == lists_.size()) lists_.emplace_back();
    lists_[used_].clear();
    return lists_[used_++];
  }
  [[nodiscard]] std::span<const row_list> all() const { return std::span(lists_).first(used_); }

private:
  static std::vector<row_list>& kept() {
    thread_local std::vector<row_list> lists;
    return lists;
  }
  std::vector<row_list> lists_;
  std::size_t used_ = 0;
};

/// The rows that the driver lists, each once; a walk lists none.
void list_rows(const driver_choice& driver, const attributes& all, lent_lists& lists) {
  if (driver.by == driver_choice::kind::rows) {
    row_list& rows = lists.add();
    rows.resize(all.row_count());
    std::iota(rows.begin(), rows.end(), 0U);
  } else if (driver.by == driver_choice::kind::visible) {
    row_list& rows = lists.add();
    for (const auto& posting : driver.postings) {
      const auto before = static_cast<std::ptrdiff_t>(rows.size());
      posting->append_to(rows);
      const auto added = rows.begin() + before;
      if (added != rows.begin() && added != rows.end())
        std::inplace_merge(rows.begin(), added, rows.end());
    }
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
  } else {
    for (const auto& posting : driver.postings) posting->append_to(lists.add());
  }
}

/// Spreads sample numbers over the rows without a period that agents or types could share.
std::uint32_t sample_row(std::uint64_t i, std::uint32_t rows) {
  std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
  mixed ^= mixed >> 27;
  return static_cast<std::uint32_t>(mixed % rows);
}

/// About how many rows pass, of at most so many, if a sample says that they are far more than an
/// exact scan is promised for; 0 if they are few or the sample leaves it open.
std::uint64_t many_pass(std::uint64_t at_most, const row_filter& filter, const read_views& views) {
  constexpr std::uint64_t samples_max = 4096;
  constexpr std::uint64_t hits_enough = 32;
  const std::uint32_t rows = views.attributes->row_count();
  if (at_most <= exact_near_rows || rows <= exact_near_rows
      || views.vectors->size() <= exact_near_rows)
    return 0;
  std::uint64_t hits = 0;
  for (std::uint64_t n = 1; n <= samples_max; ++n) {
    if (filter.test(row_no{sample_row(n, rows)}) == verdict::yes) ++hits;
    if (hits >= hits_enough && hits * rows > 2 * exact_near_rows * n) return hits * rows / n;
  }
  return 0;
}

/// How many rows a host's near lists, if it lists so many of few that to look at every vector, and
/// to test those rows alone whose vectors may be among the nearest, costs less than to test all; 0
/// otherwise. Whoever does not see all is told how many it sees, which takes a test of each.
std::uint64_t all_are_looked_at(std::uint64_t at_most, const asker& who, const read_views& views) {
  constexpr std::uint64_t good_part = 4;
  const std::uint64_t rows = views.attributes->row_count();
  const std::uint64_t listed = std::min(at_most, rows);
  if (!who.sees_all() || rows > exact_near_rows || views.vectors->size() > exact_near_rows)
    return 0;
  return listed * good_part >= rows ? listed : 0;
}

/// Collects the candidates that pass, and counts those that an asker is told of: for the host all,
/// for an actor those that it sees at the seq read, so that what it may not see does not show in a
/// count.
class selection {
public:
  /// `step_of` maps nodes to walk steps; empty without a walk.
  selection(find_state& run, const row_filter& filter, const attributes& columns,
            std::vector<std::uint32_t> step_of)
      : run_(run),
        filter_(filter),
        columns_(columns),
        step_of_(std::move(step_of)),
        reads_rest_(run.where && run.where->reads_rest()) {}

  result<void> add_walk() {
    const auto& steps = run_.walk.steps;
    const row_store& rows = columns_.rows();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i + 2 * rows_ahead < steps.size()) rows.prefetch_last_of(steps[i + 2 * rows_ahead].node);
      if (i + rows_ahead < steps.size())
        if (const row_no soon = rows.last_of(steps[i + rows_ahead].node); soon.value != no_number)
          prefetch(soon);
      const row_no row = filter_.may_pass_of(steps[i].node);
      if (row.value != no_number) add(row, static_cast<std::uint32_t>(i), filter_.test_alive(row));
      if (auto ok = run_.time.check(i); !ok) return ok;
    }
    shown_ += steps.size();
    return {};
  }

  /// Rows, ascending, that the asker may see.
  result<void> add_visible(std::span<const std::uint32_t> rows) {
    const bool is_host = run_.who.sees_all();
    if (is_host) shown_ += rows.size(); // alive or not
    reserve(rows.size());
    std::size_t looked_at = 0;
    for (auto todo = rows; !todo.empty();) {
      const auto part = todo.first(part_of(todo));
      todo = todo.subspan(part.size());
      if (auto ok = run_.time.check_for(part.size(), looked_at); !ok) return ok;
      if (is_host && !filter_.may_pass_in_zone_of({part.front()})) continue;
      const std::size_t before = left_.size();
      const std::uint32_t alive = filter_.look_over(part, left_);
      if (!is_host) shown_ += alive;
      ask_for_left(before, is_host);
      if (left_.size() >= rows_together) add_left();
    }
    add_left();
    return {};
  }

  /// Rows, ascending, of which the asker may see some.
  result<void> add_rows(std::span<const std::uint32_t> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (auto ok = run_.time.check(i); !ok) return ok;
      if (i + rows_ahead < rows.size()) prefetch({rows[i + rows_ahead]});
      const row_no row{rows[i]};
      if (!filter_.alive(row) || !filter_.visible(row)) continue;
      ++shown_;
      add_found(row);
    }
    return {};
  }

  [[nodiscard]] std::uint64_t shown() const { return shown_; }

private:
  /// Scattered rows cost a memory access each, unless they are asked for so many rows ahead.
  static constexpr std::size_t rows_ahead = 12;
  /// Of rows that are left, lines are asked for while others are looked over, up to so many.
  static constexpr std::size_t rows_together = 192;

  void prefetch(row_no row) const {
    __builtin_prefetch(&columns_.rows().line(row));
    if (reads_rest_) __builtin_prefetch(&columns_.rows().rest(row));
  }

  /// Most finds pass few rows; where many pass, room grows as it is needed.
  void reserve(std::size_t rows) {
    constexpr std::size_t few = 1024;
    run_.rows.reserve(std::min(rows, few));
  }

  /// How many of the rows to look at together: where a span of time is asked for, those of a zone.
  [[nodiscard]] std::size_t part_of(std::span<const std::uint32_t> rows) const {
    const auto most = rows.first(std::min<std::size_t>(rows.size(), rows_per_zone));
    if (!filter_.asks_for_time()) return most.size();
    const std::uint64_t zone_end = (rows.front() / rows_per_zone + 1ULL) * rows_per_zone;
    if (most.back() < zone_end) return most.size();
    return static_cast<std::size_t>(std::ranges::lower_bound(most, zone_end) - most.begin());
  }

  /// Asks for the lines of those behind the first ones, but for zones in which none passes.
  void ask_for_left(std::size_t first, bool are_zones_looked_at) {
    std::size_t kept = first;
    for (std::size_t i = first; i < left_.size(); ++i) {
      const row_no row{left_[i]};
      if (!are_zones_looked_at && !filter_.may_pass_in_zone_of(row)) continue;
      prefetch(row);
      left_[kept++] = row.value;
    }
    left_.resize(kept);
  }

  void add_left() {
    for (const std::uint32_t row : left_) add_found({row});
    left_.clear();
  }

  /// Precondition: alive, and the asker may see it.
  void add_found(row_no row) {
    std::uint32_t step = no_number;
    if (!step_of_.empty()) {
      const std::uint32_t node = columns_.node(row).value;
      step = node < step_of_.size() ? step_of_[node] : no_number;
      if (step == no_number) return;
    }
    add(row, step, filter_.test_visible(row));
  }

  void add(row_no row, std::uint32_t step, verdict passes) {
    if (passes == verdict::no) return;
    candidate& found = run_.rows.emplace_back(candidate_of(row, columns_, run_.request.as_of));
    found.step = step;
    found.open = passes == verdict::open;
    run_.some_open |= found.open;
  }

  find_state& run_;
  const row_filter& filter_;
  const attributes& columns_;
  std::vector<std::uint32_t> step_of_; ///< step number by node
  bool reads_rest_;
  std::uint64_t shown_ = 0;
  std::vector<std::uint32_t> left_; ///< to be tested
};

/// Step number by node, for testing rows of a posting against a walk.
std::vector<std::uint32_t> steps_by_node(const walk_result& walk, std::uint32_t nodes) {
  std::vector<std::uint32_t> step_of(nodes, no_number);
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    ensure(walk.steps[i].node.value < nodes, "a walk goes over nodes that are there");
    step_of[walk.steps[i].node.value] = static_cast<std::uint32_t>(i);
  }
  return step_of;
}

/// What narrows a find beside a walk.
struct narrowings {
  std::optional<driver_choice> tag;
  std::optional<driver_choice> types;
  std::optional<driver_choice> visible; ///< to the asker

  /// No more rows than that pass.
  [[nodiscard]] std::uint64_t at_most() const {
    std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
    for (const auto* choice : {&tag, &types, &visible})
      if (*choice) rows = std::min(rows, (*choice)->cost);
    return rows;
  }
};

narrowings narrowings_of(const find_state& run, const row_filter& filter, const attributes& rows) {
  narrowings all;
  if (!run.driving_tags.empty()) all.tag = smallest_tag(run.driving_tags, rows, run.context.at);
  // Their postings have few of the rows that have ended.
  const bool are_most_over = 2ULL * rows.ended_rows() > rows.row_count();
  const bool is_narrowed = !run.driving_tags.empty() || run.request.from.has_value()
                           || (!run.near_query.empty() && !are_most_over);
  if (!run.request.types.empty() || !is_narrowed)
    all.types = union_of_types(types_asked(run.request), rows, run.context.at);
  if (auto seen = all_visible(filter, run.who); !seen.postings.empty())
    all.visible = std::move(seen);
  return all;
}

driver_choice cheapest(const find_state& run, narrowings by, const read_views& views) {
  driver_choice best;
  const auto consider = [&best](driver_choice choice) {
    if (choice.cost < best.cost) best = std::move(choice);
  };
  // A posting beside a walk needs a table over all nodes, which costs about a sixteenth of a row
  // test for each.
  std::uint64_t table_cost = 0;
  if (run.request.from) {
    driver_choice walk;
    walk.by = driver_choice::kind::bfs;
    walk.cost = run.walk.steps.size();
    table_cost = views.nodes->size() / 16;
    consider(std::move(walk));
  }
  for (auto* choice : {&by.tag, &by.types, &by.visible}) {
    if (!*choice) continue;
    (*choice)->cost += table_cost;
    consider(std::move(**choice));
  }
  ensure(best.by != driver_choice::kind::rows || !run.near_query.empty(),
         "something narrows a find");
  return best;
}

/// Is nothing asked about the rows that pass but for the few most salient of them?
bool only_best_matter(const find_state& run, const driver_choice& driver,
                      const row_filter& filter) {
  return run.near_query.empty() && !run.request.from && run.request.limit && !run.answer.total
         && !run.answer.plan && !filter.leaves_open() && page_end(run.request) <= driver.cost / 2
         && run.order.front().field == order_field::salience && run.order.front().descending;
}

/// Tests what the driver lists.
result<void> select_by(find_state& run, const driver_choice& driver, const row_filter& filter,
                       const read_views& views) {
  std::int64_t since = run.context.stopwatch_ns();
  const bool by_walk = driver.by == driver_choice::kind::bfs;
  std::vector<std::uint32_t> step_of;
  if (run.request.from && !by_walk) step_of = steps_by_node(run.walk, views.nodes->size());
  lent_lists lists;
  list_rows(driver, *views.attributes, lists);
  const std::int64_t listed = run.context.stopwatch_ns();
  selection chosen(run, filter, *views.attributes, std::move(step_of));
  const bool are_visible =
      run.who.sees_all()
      || (driver.by == driver_choice::kind::visible && run.who.verified_scope() == nullptr);
  if (by_walk)
    if (auto added = chosen.add_walk(); !added) return added;
  if (are_visible && only_best_matter(run, driver, filter)) {
    auto shown = run.select_salient(lists.all(), filter, views);
    if (!shown) return propagate(shown);
    run.answer.candidates_scanned = static_cast<std::int64_t>(*shown);
    return {};
  }
  for (const row_list& rows : lists.all())
    if (auto added = are_visible ? chosen.add_visible(rows) : chosen.add_rows(rows); !added)
      return added;
  const std::uint64_t shown = chosen.shown();
  run.answer.candidates_scanned = static_cast<std::int64_t>(shown);
  if (!run.answer.plan) return {};
  if (!by_walk) {
    const std::int64_t tested = run.context.stopwatch_ns();
    run.note(driver.stage_name(), driver.detail, shown, shown, since + (tested - listed));
    since = listed;
  }
  run.note("filter", run.answer.plan->predicate, shown, run.rows.size(), since);
  return {};
}

} // namespace

result<void> find_state::run_walk(const read_views& views) {
  const std::int64_t since = context.stopwatch_ns();
  const follow_spec follow = request.follow.value_or(follow_spec{});
  const row_filter filter(request, who, context, views, nullptr, distrusted);
  const auto may_see = [&](node_no node) {
    const row_no row = views.attributes->row_of(node, context.at);
    return row.value != no_number && filter.visible(row);
  };
  const node_no from = views.nodes->find(*request.from);
  // What was never written, though edges may name it, is where no walk begins.
  const bool is_written =
      from.value != no_number && views.attributes->row_of(from, context.at).value != no_number;
  if (is_written && (who.sees_all() || may_see(from))) {
    walk_request w;
    w.from = from;
    w.types = follow.types;
    w.direction = follow.direction;
    w.min_hops = static_cast<std::uint32_t>(std::max<std::int64_t>(1, follow.min_hops));
    w.max_hops = static_cast<std::uint32_t>(follow.max_hops);
    w.include_tombstoned = follow.include_tombstoned;
    w.max_visited = static_cast<std::uint64_t>(follow.max_visited);
    w.at = context.at;
    if (!who.sees_all()) w.may_see = may_see;
    w.goes_on = time.goes_on();
    walk = views.graph->walk(w);
    if (auto ok = time.check(); !ok) return ok;
  }
  answer.truncated = walk.truncated;
  if (answer.plan)
    note("bfs",
         fmt::format("{}, {} to {} hops", to_string(*request.from), follow.min_hops,
                     follow.max_hops),
         1, walk.steps.size(), since);
  stage = walk.steps.empty() ? find_stage::done : find_stage::select;
  if (answer.plan) answer.plan->driver = "bfs";
  return {};
}

result<void> find_state::run_select(const read_views& views) {
  if (request.min_trust)
    distrusted = distrusted_memories(views, context.at, *request.min_trust, time.goes_on());
  if (auto ok = time.check(); !ok) return ok;
  const row_filter filter(request, who, context, views, predicate_or_null(), distrusted);
  narrowings by = narrowings_of(*this, filter, *views.attributes);
  const bool may_be_direct =
      !near_query.empty() && !request.from && tags.empty() && !(where && where->may_stay_open());
  if (may_be_direct) {
    near_expected = many_pass(by.at_most(), filter, views);
    near_listed = all_are_looked_at(by.at_most(), who, views);
    near_direct = near_expected != 0 || near_listed != 0;
    if (near_direct) {
      if (answer.plan) answer.plan->driver = "near";
      stage = find_stage::near;
      return {};
    }
  }
  const driver_choice driver = cheapest(*this, std::move(by), views);
  if (answer.plan) answer.plan->driver = driver.name();
  if (driver.by == driver_choice::kind::tags) {
    ensure(where.has_value(), "a tag that drives a find stands in its predicate");
    where->assume_tag(driver.tag);
  }
  if (auto ok = select_by(*this, driver, filter, views); !ok) return ok;
  if (near_query.empty() || rows.empty()) return selected(views);
  stage = find_stage::near;
  return {};
}

} // namespace mneme
