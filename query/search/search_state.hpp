#pragma once
/// What a search carries from stage to stage. select → rank → fetch; a look-up by ids goes from
/// select to fetch. Exactly one party holds it at a time.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "index/vectors/compared_query.hpp"
#include "messages/text/topic_text.hpp"
#include "query/deadline.hpp"
#include "query/search/asked_speakers.hpp"
#include "query/search/asked_times.hpp"
#include "query/search/search.hpp"
#include "query/search/search_rows.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"
#include "views/standing.hpp"

namespace mneme {

enum class search_stage : std::uint8_t { select, rank, fetch, done };

/// A row on its way through a leg.
struct leg_row {
  row_no row;
  slot_no slot;
  double text = 0;       ///< bm25, then over the largest
  double vector = 0;     ///< cosine, then as the weights want it
  double neighbours = 0; ///< the best score right before and the best right after, summed
  double answers = 0;    ///< the best score of what it answers
  double dates = 0;
  double speakers = 0;
  double raw = 0;   ///< of the leg
  double match = 0; ///< absolute, in [0,1]
  double recency = 0;
  double mixed = 0;                 ///< what is normalised: raw, or its hybrid with recency
  double score = 0;                 ///< in [0,1]
  std::optional<row_no> older_of{}; ///< a better hit that says the same, and is newer
  bool is_all_asked = false; ///< the question asks for nothing but what this is of: no floor for it
};

struct search_leg {
  bool runs = false;
  corpus of{};
  bool is_counted = false;   ///< what is searched was counted: a row passes if the filter says so
  listed_rows listed;        ///< else: what is searched
  std::uint64_t length = 0;  ///< of all that is searched, in terms; of a listed leg where wanted
  std::vector<leg_row> rows; ///< what is still in the answer
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
  deadline time;
  answer_room room;
  distrusted_memories distrusted;            ///< below min_trust
  std::optional<std::vector<row_no>> only{}; ///< ascending; the memory leg searches none but these

  // What the question says of when and by whom; of what weighs nothing, nothing.
  asked_times times{};
  asked_speakers speakers{};
  asked_speakers roles{}; ///< that are named in place of somebody: they add to a match alone
  /// Of a question of a time alone what is of that time, ascending: the memory leg searches none
  /// but these.
  std::optional<std::vector<row_no>> dated{};
  /// Of a question of a speaker alone the newest that he said and the memory leg searches, as many
  /// as a window has, ascending: they are in its window whatever words they have.
  std::vector<row_no> said{};

  search_stage stage = search_stage::select;
  search_leg memory;
  search_leg content;
  std::vector<leg_row> hits;   ///< merged
  std::vector<leg_row> behind; ///< what the limit cut
  /// What the fields of topics among the rows hold, by row, where that was read.
  std::map<std::uint32_t, std::vector<topic_value>> field_values{};
  /// Nodes of topics that are found by nothing but what a field held: left out like what has ended.
  std::set<std::uint32_t> past_topics{};
  int times_begun_again = 0;
  search_result answer;

  // Stages (search_select.cpp, search_merge.cpp, search_fetch.cpp).
  result<void> run_select(const read_views& views);
  result<void> run_lookup(const read_views& views);
  result<void> run_rank(const read_views& views);
  result<void> run_fetch(const read_views& views);
  /// Begins again without the topics among the hits that are found by nothing but what a field
  /// held; where there is one, all of the window are looked at (search_past_topics.cpp).
  result<void> leave_out_past_topics(const read_views& views);

  // What the question says of when and by whom (search_circumstances.cpp).
  /// Reads it, and what is answered where it says nothing else.
  result<void> read_circumstances(const read_views& views);
  /// What of the question tells what is looked for (search_metadata::telling).
  [[nodiscard]] std::string telling_part(const read_views& views) const;
  /// What a question of a time alone is answered from: what whoever it names said then; where that
  /// is nothing, what is of that time; nullopt where that is nothing, or it asks for something
  /// else. `names` are words of names of whom the asker sees.
  result<std::optional<std::vector<row_no>>> rows_of_its_time(const std::vector<std::string>& names,
                                                              const read_views& views) const;
  /// The newest that was said by `whom` and that the memory leg searches.
  result<std::vector<row_no>> newest_said(const asked_speakers& whom,
                                          const read_views& views) const;
  /// To the scores of the rows of the memory leg's window.
  void add_circumstances(std::vector<leg_row>& rows, const read_views& views) const;
  /// How much of the question each row of a window has.
  void add_matches(search_leg& leg, const read_views& views) const;

  /// Must every row be tested to know what the memory leg searches? Else it is all there is but
  /// for a few.
  [[nodiscard]] bool filters_memories() const;
  /// The nodes that a memory leg without filters may hide; nullopt where they are too many to look
  /// at one by one.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>>
  may_be_hidden(const read_views& views) const;
  /// Counts what the memory leg searches, unless too many rows would have to be looked at.
  bool count_memories(const read_views& views);
  /// Lists what the legs search that are not counted.
  result<void> list_rows(const read_views& views);
  /// Postings that hold all rows that can pass; nullopt where only all rows do.
  [[nodiscard]] std::optional<posting_list> narrowest_postings(const read_views& views) const;
  /// The same by the filters alone, whoever asks.
  [[nodiscard]] std::optional<posting_list> postings_by_filter(const read_views& views) const;
  /// Does BM25 ask how long the rows are that are searched?
  [[nodiscard]] bool wants_length() const { return weights.b != weights.b_short; }
  /// b of BM25 for what a leg searches.
  [[nodiscard]] double length_share(const search_leg& leg) const;
  /// The rows of the leg's window, scored, with others (search_score.cpp). The query is compared
  /// with all vectors only where that is needed, and then once.
  result<void> score_rows(search_leg& leg, const read_views& views,
                          std::optional<compared_query>& compared) const;
  [[nodiscard]] double recency_of(row_no row, const read_views& views) const;
  /// Window, raw floor, normalisation, and two of one path.
  void narrow(search_leg& leg, const read_views& views);
  /// Empties a window where nothing in it is a good match.
  void drop_bad_matches();
  /// Merges both legs into `hits`.
  result<void> merge(const read_views& views);

  /// The time at which what is searched has not ended.
  [[nodiscard]] timestamp instant() const { return request.as_of.value_or(context.now); }
  /// Which values of fields are told.
  [[nodiscard]] value_time when() const {
    return {.instant = instant(),
            .is_asked = request.as_of.has_value(),
            .includes_ended = request.include_ended};
  }
  [[nodiscard]] std::int64_t window() const {
    constexpr std::int64_t least = 50;
    constexpr std::int64_t limit_max = std::int64_t{1} << 40;
    return std::max(4 * std::min(request.limit, limit_max), least);
  }
};

/// Newest first, then by id.
class tie_order {
public:
  explicit tie_order(const read_views& views) : views_(views) {}

  [[nodiscard]] bool operator()(const leg_row& a, const leg_row& b) const {
    const row_line& left = views_.attributes->rows().line(a.row);
    const row_line& right = views_.attributes->rows().line(b.row);
    if (left.created_at_ns != right.created_at_ns) return left.created_at_ns > right.created_at_ns;
    return views_.nodes->id({left.node}) < views_.nodes->id({right.node});
  }

private:
  const read_views& views_;
};

} // namespace mneme
