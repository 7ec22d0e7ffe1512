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
#include <span>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "query/find/find_state.hpp"

namespace mneme {

namespace {

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

driver_choice smallest_tag(const std::vector<std::string>& tags, const attributes& rows) {
  driver_choice best;
  best.by = driver_choice::kind::tags;
  for (const auto& tag : tags) {
    const term_no term = rows.tag_term(tag);
    auto posting = rows.with_tag(term);
    if (posting->cardinality() >= best.cost) continue;
    best.cost = posting->cardinality();
    best.detail = tag;
    best.tag = term;
    best.postings = {std::move(posting)};
  }
  return best;
}

driver_choice union_of_types(type_set types, const attributes& rows) {
  driver_choice all;
  all.by = driver_choice::kind::types;
  all.cost = 0;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    if ((types & type_bit(type)) == 0) continue;
    all.postings.push_back(rows.with_type(type));
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

/// How many of the rows an asker is told of: for the host all, for an actor those that it sees at
/// the seq read, so that what it may not see does not show in a count.
result<std::uint64_t> count_shown(const std::vector<std::uint32_t>& rows, const row_filter& filter,
                                  const find_state& run) {
  if (run.who.sees_all()) return rows.size();
  std::uint64_t shown = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (auto ok = run.time.check(i); !ok) return propagate(ok);
    if (filter.alive({rows[i]}) && filter.visible({rows[i]})) ++shown;
  }
  return shown;
}

/// The rows of the driver's postings, ascending, each once.
std::vector<std::uint32_t> rows_of(const driver_choice& driver) {
  std::vector<std::uint32_t> rows;
  for (const auto& posting : driver.postings) {
    const auto before = static_cast<std::ptrdiff_t>(rows.size());
    posting->append_to(rows);
    if (driver.by == driver_choice::kind::visible)
      std::inplace_merge(rows.begin(), rows.begin() + before, rows.end());
  }
  if (driver.by == driver_choice::kind::visible)
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

/// Spreads sample numbers over the rows without a period that agents or types could share.
std::uint32_t sample_row(std::uint64_t i, std::uint32_t rows) {
  std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
  mixed ^= mixed >> 27;
  return static_cast<std::uint32_t>(mixed % rows);
}

/// About how many rows pass, if a sample says that they are far more than an exact scan is
/// promised for; 0 if they are few or the sample leaves it open.
std::uint64_t many_pass(const row_filter& filter, const read_views& views) {
  constexpr std::uint64_t samples_max = 4096;
  constexpr std::uint64_t hits_enough = 32;
  const std::uint32_t rows = views.attributes->row_count();
  if (rows <= exact_near_rows || views.vectors->size() <= exact_near_rows) return 0;
  std::uint64_t hits = 0;
  for (std::uint64_t n = 1; n <= samples_max; ++n) {
    if (filter.test(row_no{sample_row(n, rows)}) == verdict::yes) ++hits;
    if (hits >= hits_enough && hits * rows > 2 * exact_near_rows * n) return hits * rows / n;
  }
  return 0;
}

/// Scattered rows cost a memory access each, unless they are asked for so many rows ahead.
constexpr std::size_t rows_ahead = 12;

/// Collects the candidates that pass.
class selection {
public:
  selection(find_state& run, const row_filter& filter, const attributes& columns)
      : run_(run), filter_(filter), columns_(columns) {}

  result<void> add_walk(seq_no at) {
    const auto& steps = run_.walk.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const row_no row = columns_.row_of(steps[i].node, at);
      if (row.value != no_number) add(row, static_cast<std::uint32_t>(i));
      if (auto ok = run_.time.check(i); !ok) return ok;
    }
    return {};
  }

  /// `step_of` maps nodes to walk steps; empty without a walk.
  result<void> add_rows(std::span<const std::uint32_t> rows,
                        std::span<const std::uint32_t> step_of) {
    const bool reads_rest = run_.where && run_.where->reads_rest();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (auto ok = run_.time.check(i); !ok) return ok;
      if (i + rows_ahead < rows.size()) {
        const row_no ahead{rows[i + rows_ahead]};
        __builtin_prefetch(&columns_.rows().line(ahead));
        if (reads_rest) __builtin_prefetch(&columns_.rows().rest(ahead));
      }
      const row_no row{rows[i]};
      if (!filter_.alive(row)) continue;
      std::uint32_t step = no_number;
      if (!step_of.empty()) {
        const std::uint32_t node = columns_.node(row).value;
        step = node < step_of.size() ? step_of[node] : no_number;
        if (step == no_number) continue;
      }
      add(row, step);
    }
    return {};
  }

private:
  void add(row_no row, std::uint32_t step) {
    const verdict v = filter_.test_alive(row);
    if (v == verdict::no) return;
    candidate found = candidate_of(row, columns_);
    found.step = step;
    found.open = v == verdict::open;
    run_.some_open |= found.open;
    run_.rows.push_back(found);
  }

  find_state& run_;
  const row_filter& filter_;
  const attributes& columns_;
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

driver_choice cheapest(const find_state& run, const row_filter& filter, const read_views& views) {
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
  if (!run.tags.empty()) {
    auto tag = smallest_tag(run.tags, *views.attributes);
    tag.cost += table_cost;
    consider(std::move(tag));
  }
  if (!run.request.types.empty()) {
    auto types = union_of_types(types_asked(run.request), *views.attributes);
    types.cost += table_cost;
    consider(std::move(types));
  }
  auto seen = all_visible(filter, run.who);
  if (!seen.postings.empty()) {
    seen.cost += table_cost;
    consider(std::move(seen));
  }
  ensure(best.by != driver_choice::kind::rows || !run.near_query.empty(),
         "something narrows a find");
  return best;
}

} // namespace

result<void> find_state::run_walk(const read_views& views) {
  const std::int64_t since = context.stopwatch_ns();
  const follow_spec follow = request.follow.value_or(follow_spec{});
  const row_filter filter(request, who, context.at, views, nullptr);
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
  note("bfs",
       fmt::format("{}, {} to {} hops", to_string(*request.from), follow.min_hops, follow.max_hops),
       1, walk.steps.size(), since);
  stage = walk.steps.empty() ? find_stage::done : find_stage::select;
  if (answer.plan) answer.plan->driver = "bfs";
  return {};
}

result<void> find_state::run_select(const read_views& views) {
  std::int64_t since = context.stopwatch_ns();
  const row_filter filter(request, who, context.at, views, predicate_or_null());
  const bool may_be_direct =
      !near_query.empty() && !request.from && tags.empty() && !(where && where->may_stay_open());
  if (may_be_direct) {
    near_expected = many_pass(filter, views);
    near_direct = near_expected != 0;
    if (near_direct) {
      if (answer.plan) answer.plan->driver = "near";
      stage = find_stage::near;
      return {};
    }
  }
  const driver_choice driver = cheapest(*this, filter, views);
  if (answer.plan) answer.plan->driver = driver.name();
  if (driver.by == driver_choice::kind::tags) {
    ensure(where.has_value(), "a tag that drives a find stands in its predicate");
    where->assume_tag(driver.tag);
  }
  selection chosen(*this, filter, *views.attributes);
  std::vector<std::uint32_t> rows_of_driver = rows_of(driver);
  if (driver.by == driver_choice::kind::rows) {
    rows_of_driver.resize(views.attributes->row_count());
    for (std::uint32_t i = 0; i < rows_of_driver.size(); ++i) rows_of_driver[i] = i;
  }
  const bool by_walk = driver.by == driver_choice::kind::bfs;
  auto shown = by_walk ? walk.steps.size() : count_shown(rows_of_driver, filter, *this);
  if (!shown) return propagate(shown);
  const std::uint64_t scanned = *shown;
  if (!by_walk) note(driver.stage_name(), driver.detail, scanned, scanned, since);
  since = context.stopwatch_ns();
  result<void> added;
  if (by_walk) {
    added = chosen.add_walk(context.at);
  } else {
    std::vector<std::uint32_t> step_of;
    if (request.from) step_of = steps_by_node(walk, views.nodes->size());
    added = chosen.add_rows(rows_of_driver, step_of);
  }
  if (!added) return added;
  answer.candidates_scanned = static_cast<std::int64_t>(scanned);
  note("filter", answer.plan ? answer.plan->predicate : std::string(), scanned, rows.size(), since);
  if (!near_query.empty() && !rows.empty())
    stage = find_stage::near;
  else
    return selected(views);
  return {};
}

} // namespace mneme
