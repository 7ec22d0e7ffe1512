#pragma once
/// What an agent should know first as a query_run: a pure read.

#include <memory>

#include "mneme/agents.hpp"
#include "query/query_run.hpp"

namespace mneme {

inline constexpr std::int64_t default_context_tokens = 3000;
inline constexpr std::int64_t max_context_tokens = 4000;
inline constexpr std::size_t max_reachable_uris = 64;

struct context_state;

class context_run : public query_run {
public:
  using request_type = context_request;
  using answer_type = context_result;

  /// Sizes, ranges and combinations that no world could answer. compile() refuses them too.
  static result<void> check(const request_type& request);
  /// out_of_range (budget_tokens, outcome_limit, deadline_ms), bad_value, bad_time, limit_exceeded,
  /// bad_utf8; `at` is the key.
  static result<std::unique_ptr<context_run>>
  compile(context_request request, query_context context, const read_views& views);
  ~context_run() override;

  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  context_result take();

private:
  explicit context_run(std::unique_ptr<context_state> state);
  std::unique_ptr<context_state> state_;
};

} // namespace mneme
