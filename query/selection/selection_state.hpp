#pragma once
/// What a selection carries from stage to stage.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query/deadline.hpp"
#include "query/search/search.hpp"
#include "query/selection/asked_selection.hpp"
#include "query/selection/other_names.hpp"
#include "query/selection/selection.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"

namespace mneme {

enum class selection_stage : std::uint8_t { look, ask, decide, done };

/// Terms of a selection, by their places in its list.
using term_set = std::uint64_t;
inline constexpr std::size_t most_asked_terms = 64;

/// A row that may be selected and has some of the terms.
struct selection_row {
  row_no row;
  term_set has = 0;
  bool is_own_text = false; ///< of a topic: without its fields
};

struct selection_state {
  select_request request;
  query_context context;
  asker who;
  deadline time;
  answer_room room;
  asked_selection asked;
  std::unique_ptr<search_run> search;
  selection_stage stage = selection_stage::look;

  std::vector<called_name> names;  ///< in the words, that are others' too, or two topics'
  std::vector<std::string> terms;  ///< distinct; the first 64 that matter most
  std::vector<selection_row> rows; ///< in row order
  /// Chunks that have some of them, where no type is asked for: what is said of them is true, and
  /// they are not selected.
  std::vector<selection_row> chunks;
  /// That the one said whom the words name so: see asked_selection::said_by, about.
  std::vector<selection_row> said{};
  std::uint64_t searched = 0; ///< rows that may be selected
  select_result answer;

  /// Goes over all rows that may be selected (selection_rows.cpp).
  result<void> look(const read_views& views);
  /// Which of them are selected (selection_choice.cpp).
  result<void> decide(const read_views& views);

  [[nodiscard]] term_set set_of(const std::vector<std::string>& some) const;
  /// Those of a text with the terms `own`, and of the names for which its own ones stand.
  [[nodiscard]] term_set meant_by(const std::vector<std::string>& own,
                                  std::string_view language) const;
  /// Do the words that follow each other in `text` have the name `words`, or another name of the
  /// same?
  [[nodiscard]] bool is_named(const std::vector<std::string>& words,
                              const std::vector<std::string>& text) const;
  /// Do they have another name of the same?
  [[nodiscard]] bool is_called_otherwise(const std::vector<std::string>& words,
                                         const std::vector<std::string>& text) const;
  /// A name in the words that two topics have; null if there is none.
  [[nodiscard]] const std::string* claimed_twice() const;
  /// The request by which the search ranks.
  [[nodiscard]] static search_request search_of(const select_request& r, std::string question);
};

/// What may be selected: live, of the asker's own, and of the types and tags that are asked for.
class selectable_rows {
public:
  selectable_rows(const selection_state& s, const read_views& views);
  [[nodiscard]] bool operator()(row_no row) const;
  /// What would be selected if its type were asked for: a chunk.
  [[nodiscard]] bool is_chunk_alike(row_no row) const;

private:
  const selection_state& s_;
  const attributes& rows_;
  visible_rows visible_;
  std::optional<std::uint32_t> owner_;
  [[nodiscard]] bool is_open(row_no row) const;

  std::vector<term_no> tags_;
  term_no overview_; ///< whose rows are not selected; missing = they may be
  std::optional<lifecycle_audience> audience_;
};

} // namespace mneme
