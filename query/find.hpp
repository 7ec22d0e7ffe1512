#pragma once
/// The typed query (find) as a query_run.

#include <functional>
#include <memory>

#include "mneme/query.hpp"
#include "query/query_run.hpp"

namespace mneme {

/// What a find needs besides the request.
struct find_context {
  seq_no at;     ///< the seq to read at (at_seq, or the published one)
  timestamp now; ///< for salience
  /// Monotonic nanoseconds for explain and deadlines; empty in deterministic runs (times are 0).
  std::function<std::int64_t()> stopwatch;
};

struct find_state;

class find_run : public query_run {
public:
  /// Validates everything before any work, in the order of the specification, and plans.
  static result<std::unique_ptr<find_run>> compile(find_request request, find_context context,
                                                   const read_views& views);
  ~find_run() override;

  [[nodiscard]] std::optional<effect_owner> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  /// The answer. Precondition: next() is empty; call once.
  find_result take();

private:
  explicit find_run(std::unique_ptr<find_state> state);
  std::unique_ptr<find_state> state_;
};

/// Canonical text of a predicate, as journaled and shown by explain.
std::string to_text(const predicate& p);

} // namespace mneme
