#pragma once
/// Which memories words mean, as a query_run: look rows over for the words → have a search rank
/// them → decide, with the texts at hand. It touches nothing.

#include <memory>

#include "mneme/selection.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct selection_state;

class select_run : public query_run {
public:
  using request_type = select_request;
  using answer_type = select_result;

  /// Sizes, ranges and combinations that no world could answer. compile() refuses them too.
  static result<void> check(const request_type& request);
  /// Validates everything before any work.
  static result<std::unique_ptr<select_run>> compile(select_request request, query_context context,
                                                     const read_views& views);
  ~select_run() override;

  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  select_result take();

private:
  explicit select_run(std::unique_ptr<selection_state> state);
  std::unique_ptr<selection_state> state_;
};

/// What a selection asks a search, and an embedder.
std::string asked_question(const select_request& r);

} // namespace mneme
