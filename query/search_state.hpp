#pragma once
/// What a search carries from stage to stage. select → rank → fetch; a look-up by ids goes from
/// select to fetch. Exactly one party holds it at a time.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/search.hpp"
#include "state/asker.hpp"

namespace mneme {

enum class search_stage : std::uint8_t { select, rank, fetch, done };

/// A row on its way through a leg.
struct leg_row {
  row_no row;
  slot_no slot;
  double text = 0;       ///< bm25, then over the largest
  double vector = 0;     ///< cosine, then as the weights want it
  double neighbours = 0; ///< the best score right before and the best right after, summed
  double raw = 0;        ///< of the leg
  double recency = 0;
  double mixed = 0; ///< what is normalised: raw, or its hybrid with recency
  double score = 0; ///< in [0,1]
};

/// A row that passed a leg's filters.
struct found_row {
  row_no row;
  slot_no slot;
};

struct search_leg {
  bool runs = false;
  corpus of{};
  std::vector<found_row> found;     ///< what is searched
  std::vector<std::uint32_t> place; ///< by slot: where in `found`, or no_number
  std::vector<double> texts;        ///< of `found`: bm25 over the largest
  std::vector<leg_row> rows;        ///< what is still in the answer
  leg_coverage coverage;
  bool floor_on_raw = false; ///< the window is too small to normalise by
};

struct search_state {
  search_request request;
  query_context context;
  asker who;
  search_weights weights;
  std::optional<search_audience> audience;
  std::vector<std::string> terms; ///< of the query, distinct, in order
  std::vector<float> vector;      ///< of the query; empty = none
  search_sort sort = search_sort::relevance;
  std::int64_t started_ns = 0;

  search_stage stage = search_stage::select;
  search_leg memory;
  search_leg content;
  std::vector<leg_row> hits; ///< merged
  search_result answer;

  // Stages (search_select.cpp, search_score.cpp, search_merge.cpp, search_fetch.cpp).
  result<void> run_select(const read_views& views);
  result<void> run_lookup(const read_views& views);
  result<void> run_rank(const read_views& views);
  result<void> run_fetch(const read_views& views);

  /// Every row that can pass a filter, in no order that matters.
  result<void> each_row(const read_views& views, const std::function<void(row_no)>& consider) const;
  /// Postings that hold all rows that can pass, each once; nullopt where only all rows do.
  [[nodiscard]] std::optional<std::vector<std::shared_ptr<const posting_view>>>
  narrowest_posting(const read_views& views) const;
  /// b of BM25 for what a leg has found.
  [[nodiscard]] double length_share(const search_leg& leg, const lexical& words) const;
  /// Scores what a leg has found by its text.
  void score_text(search_leg& leg, const read_views& views) const;
  /// The rows of the leg's window, scored, with others.
  result<void> score_rows(search_leg& leg, const read_views& views) const;
  [[nodiscard]] double recency_of(row_no row, const read_views& views) const;
  /// Window, raw floor, normalisation, and two of one path.
  void narrow(search_leg& leg, const read_views& views);
  /// Merges both legs into `hits`.
  void merge(const read_views& views);

  [[nodiscard]] std::int64_t window() const {
    constexpr std::int64_t least = 50;
    constexpr std::int64_t limit_max = std::int64_t{1} << 40;
    return std::max(4 * std::min(request.limit, limit_max), least);
  }
  [[nodiscard]] result<void> check_deadline() const;
};

/// Is the newest state of `node` at `at` there and not tombstoned? `row` is it.
bool is_live(const attributes& rows, node_no node, seq_no at, row_no& row);

} // namespace mneme
