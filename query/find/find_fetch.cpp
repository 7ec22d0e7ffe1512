/// The stage fetch: records of the rows that the columns left open, then of the page, rendered and
/// cut to the budget.

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/text/topic_text.hpp"
#include "query/answer_bytes.hpp"
#include "query/find/find_state.hpp"
#include "query/look_ahead.hpp"
#include "query/rendering.hpp"
#include "query/search/question_share.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

/// Records that were fetched for the predicate and passed are kept for the answer, up to so many
/// and so many bytes. What is beyond is read again if it comes into the answer.
constexpr std::size_t records_kept = 1024;
constexpr std::uint64_t bytes_kept = 4ULL << 20;

/// Reads records as of the seq of the query.
class record_source {
public:
  record_source(const read_views& views, kv_reader& reader, seq_no at)
      : views_(views), reader_(reader), at_(at) {}

  result<sized_memory> read(const candidate& c) {
    ++reads_;
    auto m = read_memory(views_, reader_, c.node, c.row, at_);
    if (!m) return propagate(m);
    if (!*m)
      return fail(errc::corrupt, fmt::format("{} has a row, but no record at seq {}",
                                             to_string(views_.nodes->id(c.node)), at_.value));
    return std::move(**m);
  }
  /// What the fields of a topic hold, in one line, at least of the one that says most of what is
  /// asked for.
  result<std::string> told_by(const memory_id& topic, const value_time& when,
                              const std::vector<std::string>& asked) {
    constexpr std::size_t most_bytes = 600;
    auto values = read_field_values(reader_, topic, at_);
    if (!values) return propagate(values);
    std::erase_if(*values, [&](const topic_value& v) { return !when.tells(v); });
    std::string wanted;
    if (!asked.empty()) wanted = best_field(asked, {}, *values, views_.language);
    return told_values(values_told(*values, when), most_bytes, wanted);
  }
  [[nodiscard]] std::uint64_t reads() const { return reads_; }

private:
  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  std::uint64_t reads_ = 0;
};

struct answer_row {
  candidate at;
  memory record;
  std::uint64_t bytes = 0; ///< of the record
  rendered_text text;      ///< where nothing is rendered, what a topic tells
};

/// Turns the page into rows of the answer.
class page_reader {
public:
  page_reader(find_state& run, const read_views& views, record_source& source)
      : run_(run),
        views_(views),
        source_(source),
        order_(run.ordering(views)),
        lineage_(views, run.context.at),
        visible_(run.who, *views.attributes, *views.nodes),
        current_(visible_, views, run.context.at,
                 {.instant = run.request.as_of.value_or(run.context.now),
                  .is_asked = run.request.as_of.has_value()},
                 &run.distrusted) {
    const find_request& r = run.request;
    when_ = {.instant = r.as_of.value_or(run.context.now),
             .is_asked = r.as_of.has_value(),
             .includes_ended = r.include_ended};
  }

  result<void> read_all() {
    page_.reserve(std::min(run_.rows.size(), records_kept));
    const std::span<const candidate> rows(run_.rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const candidate& c = rows[i];
      if (i % rows_expected == 0)
        if (auto ok = look_at(rows.subspan(i)); !ok) return ok;
      page_.emplace_back();
      if (auto ok = read(c, standings_[i % rows_expected], page_.back()); !ok) return ok;
      if (auto ok = take_room(page_.back()); !ok) return ok;
    }
    return {};
  }

  /// Dropping the least salient row until the rest fits is to keep the longest run of rows in
  /// salience order that fits, and one row at least: only those are read.
  result<void> read_within(std::int64_t budget) {
    const auto dropped_sooner = [this](const candidate& a, const candidate& b) {
      return order_.kept_longer(b, a);
    };
    auto heap = run_.rows;
    std::ranges::make_heap(heap, dropped_sooner);
    std::int64_t left = budget;
    while (!heap.empty()) {
      std::ranges::pop_heap(heap, dropped_sooner);
      answer_row row;
      if (auto ok = read(heap.back(), lineage_.standing_of(heap.back().row), row); !ok) return ok;
      if (!page_.empty() && row.text.tokens > left) break;
      if (auto ok = take_room(row); !ok) return ok;
      left -= row.text.tokens; // negative when the first row alone is too long
      page_.push_back(std::move(row));
      heap.pop_back();
    }
    run_.answer.trimmed_by_budget = static_cast<std::int64_t>(heap.size());
    std::ranges::sort(page_, [this](const answer_row& a, const answer_row& b) {
      return order_.before(a.at, b.at);
    });
    return {};
  }

  /// The nearest rows that fit, as far as none comes that does not. Of the first few, which are
  /// there whatever they are, the least salient are dropped until the rest fits.
  result<void> read_nearest_within(std::int64_t budget) {
    auto rows = run_.rows;
    std::ranges::sort(
        rows, [this](const candidate& a, const candidate& b) { return order_.nearer(a, b); });
    std::int64_t left = budget;
    for (const candidate& c : rows) {
      answer_row row;
      if (auto ok = read(c, lineage_.standing_of(c.row), row); !ok) return ok;
      if (page_.size() >= least_near_k && row.text.tokens > left) break;
      left -= row.text.tokens;
      page_.push_back(std::move(row));
    }
    if (left < 0) drop_least_salient(budget);
    for (const answer_row& row : page_)
      if (auto ok = take_room(row); !ok) return ok;
    run_.answer.trimmed_by_budget = static_cast<std::int64_t>(rows.size() - page_.size());
    std::ranges::sort(page_, [this](const answer_row& a, const answer_row& b) {
      return order_.before(a.at, b.at);
    });
    return {};
  }

  void answer() {
    run_.answer.memories.reserve(page_.size());
    for (auto& row : page_) put(std::move(row));
  }
  [[nodiscard]] std::size_t size() const { return page_.size(); }

private:
  /// As read_within, of rows that were read.
  void drop_least_salient(std::int64_t budget) {
    std::ranges::sort(page_, [this](const answer_row& a, const answer_row& b) {
      return order_.kept_longer(a.at, b.at);
    });
    std::size_t kept = 0;
    for (const answer_row& row : page_) {
      if (kept > 0 && row.text.tokens > budget) break;
      budget -= row.text.tokens;
      ++kept;
    }
    page_.resize(kept);
  }
  result<void> look_at(std::span<const candidate> next) {
    auto standings = look_ahead(views_, lineage_, next, &candidate::row, run_.time);
    if (!standings) return propagate(standings);
    standings_ = std::move(*standings);
    return {};
  }
  result<void> read(const candidate& c, const memory_standing& standing, answer_row& row) {
    ensure(!c.open, "a row of the answer has passed its predicate");
    row.at = c;
    if (c.fetched != no_number) {
      ensure(c.fetched < run_.fetched.size(), "a record that is named was kept");
      row.record = std::move(run_.fetched[c.fetched]);
      row.bytes = answer_bytes(row.record);
    } else {
      auto found = source_.read(c);
      if (!found) return propagate(found);
      row.record = std::move(found->what);
      row.bytes = sizeof(row.record) + found->held;
    }
    row.record.standing = standing;
    const auto form = run_.answer.form;
    if (form) row.text = render(row.record, *form, *views_.tokens);
    if (row.record.head->type != memory_type::topic || form == form_kind::short_form) return {};
    const auto& near = run_.request.near;
    if (near && asked_.empty()) asked_ = distinct_terms(*near, views_.language);
    auto told = source_.told_by(row.record.head->id, when_, asked_);
    if (!told) return propagate(told);
    if (!told->empty()) row.text = counted(row.text.text + *told, *views_.tokens);
    return {};
  }

  result<void> take_room(const answer_row& row) {
    return run_.room.take(row.bytes + row.text.text.size());
  }

  void put(answer_row&& row) {
    find_result& out = run_.answer;
    if (run_.request.late_binding) run_.accessed.push_back(row.record.head->id);
    out.memories.push_back(std::move(row.record));
    out.past.push_back(current_.marks_of(views_.attributes->rows().line(row.at.row)));
    if (out.form) {
      out.rendered.push_back(std::move(row.text.text));
      out.rendered_tokens.push_back(row.text.tokens);
    } else {
      out.told.push_back(std::move(row.text.text));
    }
    out.scores.push_back(row.at.salience);
    if (!run_.near_query.empty()) out.distances.push_back(row.at.distance);
    if (!run_.request.from) return;
    const walk_step& step = run_.walk.steps[row.at.step];
    out.hops.push_back(step.hop);
    out.via.push_back(
        edge_key{views_.nodes->id(step.via_src), step.via_type, views_.nodes->id(step.via_dst)});
  }

  find_state& run_;
  const read_views& views_;
  record_source& source_;
  row_order order_;
  lineage_reader lineage_;
  std::vector<memory_standing> standings_; ///< of the rows that are read next
  visible_rows visible_;
  current_memories current_; ///< by what is visible
  value_time when_;
  std::vector<std::string> asked_; ///< words that something is to be near to
  std::vector<answer_row> page_;
};

/// Decides open rows one by one in the order in which they are wanted.
class open_rows {
public:
  open_rows(find_state& run, record_source& source, std::uint64_t most_bytes)
      : run_(run), source_(source), bytes_left_(std::min(bytes_kept, most_bytes)) {}

  /// True if the row passes; keeps its record while there is room.
  result<bool> passes(candidate& c) {
    if (!c.open) return true;
    auto record = source_.read(c);
    if (!record) return propagate(record);
    c.open = false;
    ensure(run_.where.has_value(), "nothing but a predicate leaves a row open");
    if (!run_.where->test_record(record->what)) return false;
    keep(c, std::move(record->what), sizeof(memory) + record->held);
    return true;
  }

  result<void> keep_all() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < run_.rows.size(); ++i) {
      auto pass = passes(run_.rows[i]);
      if (!pass) return propagate(pass);
      if (*pass) run_.rows[kept++] = run_.rows[i];
    }
    run_.rows.resize(kept);
    return {};
  }

  /// Keeps the first `most` rows that pass, in the order of `before`.
  template <class Before>
  result<void> keep_first(std::uint64_t most, const Before& before) {
    const auto after = [&](const candidate& a, const candidate& b) { return before(b, a); };
    auto heap = std::move(run_.rows);
    run_.rows.clear();
    std::ranges::make_heap(heap, after);
    while (!heap.empty() && run_.rows.size() < most) {
      if (auto ok = run_.time.check(heap.size()); !ok) return ok;
      std::ranges::pop_heap(heap, after);
      auto pass = passes(heap.back());
      if (!pass) return propagate(pass);
      if (*pass) run_.rows.push_back(heap.back());
      heap.pop_back();
    }
    return {};
  }

private:
  void keep(candidate& c, memory record, std::uint64_t bytes) {
    if (run_.fetched.size() == records_kept || bytes > bytes_left_) return;
    bytes_left_ -= bytes;
    c.fetched = static_cast<std::uint32_t>(run_.fetched.size());
    run_.fetched.push_back(std::move(record));
  }

  find_state& run_;
  record_source& source_;
  std::uint64_t bytes_left_; ///< for records that are kept
};

/// Tests the open rows on their records, as few as the answer needs.
result<void> close_open(find_state& run, const read_views& views, record_source& source) {
  open_rows open(run, source, views.max_answer_bytes);
  const find_request& request = run.request;
  const row_order by = run.ordering(views);
  if (!run.near_query.empty())
    return open.keep_first(near_count(request),
                           [&](const candidate& a, const candidate& b) { return by.nearer(a, b); });
  if (request.count || !request.limit) return open.keep_all();
  for (auto& c : run.rows) by.set_key(c);
  return open.keep_first(page_end(request),
                         [&](const candidate& a, const candidate& b) { return by.before(a, b); });
}

} // namespace

result<void> find_state::run_fetch(const read_views& views) {
  std::int64_t since = context.stopwatch_ns();
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  record_source source(views, **reader, context.at);
  const std::uint64_t entered = rows.size();
  if (some_open) {
    if (auto ok = close_open(*this, views, source); !ok) return ok;
    if (auto ok = arrange(views); !ok) return ok;
  }
  page_reader page(*this, views, source);
  const auto read = !request.budget_tokens  ? page.read_all()
                    : fills_budget(request) ? page.read_nearest_within(*request.budget_tokens)
                                            : page.read_within(*request.budget_tokens);
  if (!read) return read;
  if (auto ok = time.check(); !ok) return ok;
  if (answer.plan)
    note("fetch", fmt::format("{} records", source.reads()), entered, rows.size(), since);
  if (answer.plan && request.budget_tokens)
    note("trim", fmt::format("{} tokens", *request.budget_tokens), rows.size(), page.size(),
         context.stopwatch_ns());
  page.answer();
  if (request.late_binding)
    note("touch", {}, accessed.size(), accessed.size(), context.stopwatch_ns());
  stage = find_stage::done;
  return {};
}

} // namespace mneme
