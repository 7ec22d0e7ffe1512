#pragma once
/// Search as a query_run: select rows → score, rank and merge → fetch. It touches nothing.

#include <memory>

#include "mneme/search.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct search_state;

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

  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  search_result take();

private:
  explicit search_run(std::unique_ptr<search_state> state);
  std::unique_ptr<search_state> state_;
};

} // namespace mneme
