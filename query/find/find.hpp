#pragma once
/// The typed query (find) as a query_run.

#include <cstdint>
#include <memory>
#include <vector>

#include "index/numbers.hpp"
#include "mneme/query.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct find_state;

/// Rows of a find before their records are read.
struct found_rows {
  std::vector<row_no> rows;
  std::int64_t total = 0; ///< with `count`
};

class find_run : public query_run {
public:
  using request_type = find_request;
  using answer_type = find_result;

  /// Sizes, ranges and combinations that no world could answer. compile() refuses them too.
  static result<void> check(const request_type& request);
  /// Validates everything before any work, in the order of the specification, and plans.
  static result<std::unique_ptr<find_run>> compile(find_request request, query_context context,
                                                   const read_views& views);
  ~find_run() override;

  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  find_result take();
  /// The page, in order, instead of the stage that reads records, and how many rows passed, if that
  /// was asked for. The answer is then not made. Precondition: that stage is next, or nothing;
  /// the request has a limit and nothing but types. Call once.
  found_rows take_rows();

private:
  explicit find_run(std::unique_ptr<find_state> state);
  std::unique_ptr<find_state> state_;
};

/// Canonical text of a predicate, as journaled and shown by explain.
std::string to_text(const predicate& p);

} // namespace mneme
