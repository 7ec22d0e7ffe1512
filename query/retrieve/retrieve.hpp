#pragma once
/// Retrieve, the door to topics, as a query_run: select candidates, measure them, follow their
/// edges, fetch bundles.

#include <memory>

#include "mneme/topics.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct retrieve_state;

class retrieve_run : public query_run {
public:
  using request_type = retrieve_request;
  using answer_type = retrieve_result;

  /// Sizes, ranges and combinations that no world could answer. compile() refuses them too.
  static result<void> check(const request_type& request);
  /// Validates everything before any work.
  static result<std::unique_ptr<retrieve_run>>
  compile(retrieve_request request, const query_context& context, const read_views& views);
  ~retrieve_run() override;

  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  /// The topics of the answer; their saliences are filled in when the touch is committed.
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  retrieve_result take();

private:
  explicit retrieve_run(std::unique_ptr<retrieve_state> state);
  std::unique_ptr<retrieve_state> state_;
};

} // namespace mneme
