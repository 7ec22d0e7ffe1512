#pragma once
/// Search as a query_run: select rows → score, rank and merge → fetch. It touches nothing.

#include <memory>
#include <string>
#include <vector>

#include "index/numbers.hpp"
#include "mneme/search.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct search_state;

/// A hit before its record is read, and what was said right before and after it (edges of type
/// related_to and kind "next" or "answer"), if it passes the search's filters; of several the
/// newest, then by id. no_number = none.
struct found_memory {
  row_no row;
  double score = 0;
  row_no before;
  row_no after;
  std::optional<row_no> older_of{}; ///< says the same, is newer and ranks before it
};

class search_run : public query_run {
public:
  using request_type = search_request;
  using answer_type = search_result;

  /// Sizes, ranges and combinations that no world could answer. compile() refuses them too.
  static result<void> check(const request_type& request);
  /// Validates everything before any work.
  static result<std::unique_ptr<search_run>> compile(search_request request, query_context context,
                                                     const read_views& views);
  ~search_run() override;

  /// Searches these memories alone, of what it would search. Precondition: nothing has run.
  void narrow_to(std::vector<row_no> rows);
  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  search_result take();
  /// What was found, best first, instead of the stage that reads records, whose answer is then not
  /// made. Precondition: that stage is next, or nothing; the request looks up no ids. Call once.
  result<std::vector<found_memory>> take_found(const read_views& views);
  /// As in the answer.
  [[nodiscard]] const std::string& embedder_problem() const;

private:
  explicit search_run(std::unique_ptr<search_state> state);
  std::unique_ptr<search_state> state_;
};

} // namespace mneme
