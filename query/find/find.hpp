#pragma once
/// The typed query (find) as a query_run.

#include <memory>

#include "mneme/query.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct find_state;

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

private:
  explicit find_run(std::unique_ptr<find_state> state);
  std::unique_ptr<find_state> state_;
};

/// Canonical text of a predicate, as journaled and shown by explain.
std::string to_text(const predicate& p);

} // namespace mneme
