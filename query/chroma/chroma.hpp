#pragma once
/// The door by colour (chroma) as a query_run: the text through its profile, hashtags to a point,
/// best-first search of the colour space, metadata on the records, the touch.

#include <memory>

#include "mneme/chroma.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct chroma_state;

class chroma_run : public query_run {
public:
  using request_type = chroma_request;
  using answer_type = chroma_result;

  /// Sizes, ranges and combinations that no world could answer. compile() refuses them too.
  static result<void> check(const request_type& request);
  /// Validates everything before any work.
  static result<std::unique_ptr<chroma_run>> compile(chroma_request request, query_context context,
                                                     const read_views& views);
  ~chroma_run() override;

  [[nodiscard]] std::optional<effect_kind> next() const override;
  result<void> run(const read_views& views) override;
  [[nodiscard]] std::optional<entry_payload> touch() const override;
  [[nodiscard]] std::uint64_t answer_bytes() const override;
  /// The answer. Precondition: next() is empty; call once.
  chroma_result take();

private:
  explicit chroma_run(std::unique_ptr<chroma_state> state);
  std::unique_ptr<chroma_state> state_;
};

result<colour_point> point_of(const std::vector<std::string>& hashtags, const read_views& views,
                              seq_no at);

/// Assigned hashtags in a text, in the order of their first occurrence.
std::vector<std::string> suggest_hashtags(std::string_view text, const read_views& views,
                                          seq_no at);

/// out_of_range unless all three are in [0,1] and their sum is 1 within 1e-6.
result<void> check_weights(const score_weights& weights, std::string_view at);
/// The engine-wide defaults, checked when an engine is opened.
result<void> check_defaults(const chroma_defaults& defaults);

} // namespace mneme
