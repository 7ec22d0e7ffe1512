#pragma once
/// BM25 of a leg's rows without reading every posting (MaxScore: Turtle and Flood, 1995). Lists are
/// read from the rarest term on. What a row can get from the lists that were not read is bounded by
/// their weights, so the lists of the commonest terms, which are long and decide nothing, mostly
/// stay unread; the few rows that matter are then scored term by term.
///
/// A query of very many terms is another matter: each of its lists bounds next to nothing, and to
/// test the rows after each would cost the square of the query. Its lists are all read at once,
/// which costs no more than the postings there are.

#include <cstdint>
#include <span>
#include <vector>

#include "query/search/bm25.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

/// A row that a list names that was read, with what those lists give it.
struct partial_text {
  std::uint32_t slot;
  double score;
};

class search_texts {
public:
  /// `leg` has counted or listed what it searches.
  search_texts(const search_state& s, const search_leg& leg, const read_views& views);

  [[nodiscard]] std::uint64_t posting_count() const;
  /// Reads the next list, or all of very many; false if there is none left or the search is late.
  bool read_more();
  /// Reads what is cheaper read than counted row by row: the lists of a query of very many terms.
  void read_very_many();
  /// The deadline passed while lists were read: what is read is not to be used.
  [[nodiscard]] bool is_late() const { return late_; }
  /// What was read, in slot order: also rows that are not searched.
  [[nodiscard]] std::span<const partial_text> rows() const { return rows_; }
  /// No row gets more than that from the lists that were not read; 0 if all were.
  [[nodiscard]] double rest() const { return rests_[read_]; }
  /// Can the best `count` be among the rows that were read? Says yes where they may be.
  [[nodiscard]] bool may_decide(std::size_t count) const;
  /// No less than the row's score.
  [[nodiscard]] double at_most(const partial_text& row) const {
    return all_read() ? row.score : (row.score + rest()) * rounding_up;
  }
  /// The row's score from all lists.
  [[nodiscard]] double score(const partial_text& row) const {
    return all_read() ? row.score : score(slot_no{row.slot});
  }
  [[nodiscard]] double score(slot_no slot) const;

private:
  /// Sums of the same numbers in another order may differ in their last bits.
  static constexpr double rounding_up = 1 + 1e-12;

  struct term_list {
    term_no term;
    bm25_term by;
    double most; ///< that it gives a row
  };

  [[nodiscard]] bool all_read() const { return read_ == order_.size(); }
  [[nodiscard]] bool are_very_many() const;
  /// Asks now and then.
  bool check_deadline();
  void add_lists(const search_state& s, const search_leg& leg, const corpus_size& size);
  /// Adds the list's scores to the rows.
  void merge(const term_list& list);
  /// Adds the scores of all lists, in the order of the query.
  void merge_all();
  /// Adds what was gathered from several lists, in their order, and empties it.
  void merge_gathered();

  const search_state& search_;
  const lexical& words_;
  corpus of_;
  std::vector<term_list> lists_;     ///< in the order of the query
  std::vector<std::uint32_t> order_; ///< of reading
  std::vector<double> rests_;        ///< by how many lists were read
  std::size_t read_ = 0;
  std::vector<partial_text> rows_;
  std::vector<partial_text> gathered_; ///< of short lists, not in the rows yet
  std::uint64_t checks_ = 0;
  bool late_ = false;
};

} // namespace mneme
