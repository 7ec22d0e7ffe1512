#pragma once
/// What the words of a query give the contents that have them, summed tile by tile from the newest
/// contents on; where no sum can be large enough, nothing is read (block-max MaxScore: Turtle and
/// Flood, 1995; Ding and Suel, 2011).
///
///     slots       … 4,096            6,144            8,192        a tile is 2,048 of them
///     "tea"         | 61  58  .  | 12   9   .  | 70  64 … |       blocks of postings
///     "the"         | 512 postings in 4 blocks | 497 …    |
///     at most       |   2.1      |    1.3      |   2.4    |       by the blocks that are in it
///
/// Who wants the best ones asks the newest tile first, and then of each tile only what beats those
/// that he has: above 1.3 nothing of the middle tile is read. In a tile that may have something,
/// the long lists of words that give too little to matter alone are not read either, where the
/// others name so few contents that these are better looked at one by one.
///
/// A sum is that of its parts in the order of the words, to the last bit, however it came about.
///
/// A word's weight is any function of its count in a content and of the content's length that does
/// not fall with the one and does not rise with the other.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index/lexical/lexical.hpp"
#include "query/deadline.hpp"
#include "query/search/bm25.hpp"
#include "query/search/score_table.hpp"

namespace mneme {

struct weighed_word {
  term_no term;
  bm25_term by;
};

struct summed_text {
  std::uint32_t slot;
  double text;
};

class word_sums {
public:
  static constexpr std::uint32_t tile_slots = 2048;

  /// All must outlive it. Each word once.
  word_sums(const lexical& words, corpus of, std::vector<weighed_word> query, const deadline& time);

  [[nodiscard]] std::uint64_t posting_count() const;
  /// The sum of one content; 0 if it has none of the words.
  [[nodiscard]] double sum_of(slot_no slot) const;

  /// Begins with the newest contents again.
  void rewind();
  /// Goes on to the next tile that has any of the words; false behind the last one, and when the
  /// time is over.
  bool next();
  /// The tile's contents are in [first(), end()).
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::uint32_t end() const { return first_ + tile_slots; }
  /// The contents of the tile with sums above 0 of at least `least`, in any order; to be changed at
  /// will. Also contents that are not live. Once for each tile.
  [[nodiscard]] std::span<summed_text> at_least(double least);
  /// The time passed: what was answered is not to be used.
  [[nodiscard]] bool is_late() const { return late_; }

private:
  /// The postings before it are still to be read: `end` of those in `block`, and earlier blocks.
  struct place {
    std::uint32_t block = 0;
    std::uint32_t end = 0;
  };
  struct word_list {
    std::span<const posting_block> blocks;
    score_table scores; ///< filled where there are many postings
    place from;         ///< of the tile
    place to;
    double most = 0;         ///< that it gives a content of the tile
    std::uint32_t count = 0; ///< of its postings there
    bool is_read = true;
  };
  struct waiting_list {
    std::uint32_t slot; ///< the newest content that is still to be read
    std::uint32_t word;
    friend auto operator<=>(const waiting_list&, const waiting_list&) = default;
  };

  [[nodiscard]] bool check_time();
  void wait(std::uint32_t word);
  /// Where the tile begins in the list, and what its blocks there can give.
  void enter_tile(std::uint32_t word);
  /// Leaves lists of the tile unread that cannot matter alone; answers what they may add to a sum.
  double leave_unread(double least);
  void add(std::uint32_t word);
  /// Calls `visit(block, begin, end)` for what of the word's blocks is in the tile.
  template <class Visit>
  void each_block(const word_list& list, Visit&& visit) const;
  /// Parts of contents that have the word very often.
  void set_many(const posting_block& block, std::uint32_t begin, std::uint32_t end,
                std::uint32_t word, double* parts) const;
  void find_sums(double least);
  void find_in_all(double least);
  void offer(std::uint32_t at, double least);

  const lexical& words_;
  corpus of_;
  std::vector<weighed_word> query_;
  const deadline& time_;
  std::vector<std::uint32_t> by_term_; ///< places in the query, in the order of terms
  double rounding_up_;                 ///< for sums of the same numbers in another order

  std::vector<word_list> lists_;      ///< as the query
  std::vector<waiting_list> waiting_; ///< a heap, the newest in front
  std::vector<std::uint32_t> here_;   ///< words of the tile
  std::uint32_t first_ = 0;
  std::array<double, tile_slots> sums_{}; ///< all 0 between two tiles
  std::unique_ptr<summed_text[]> found_;  ///< of a tile, each content once; and room for one more
  std::size_t found_count_ = 0;
  std::uint64_t steps_ = 0;
  bool late_ = false;
};

} // namespace mneme
