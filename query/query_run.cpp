#include "query/query_run.hpp"

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"

namespace mneme {

query_context read_at(query_context context, const read_views& views, std::optional<seq_no> asked,
                      std::optional<seq_no> pinned) {
  const auto at = views.readable(asked ? asked : pinned);
  context.at = at ? *at : views.published;
  context.unreadable = at ? std::nullopt : std::optional(at.error());
  // Before the first entry there is no time but the clock's.
  if (asked && at) context.now = views.attributes->entry_time(*at).value_or(context.clock_now);
  return context;
}

result<query_context> context_of(const query_seams& seams, const read_views& views,
                                 std::optional<seq_no> asked, std::optional<seq_no> pinned) {
  auto now = now_of(*seams.time);
  if (!now) return propagate(now);
  return read_at({.at = {},
                  .now = *now,
                  .stopwatch = seams.stopwatch,
                  .exact_near = seams.exact_near,
                  .scope = {},
                  .chroma = seams.chroma,
                  .read_only = seams.read_only || (seams.follows && *seams.follows),
                  .clock_now = *now},
                 views, asked, pinned);
}

result<void> run_inline(query_run& query, const read_views& views) {
  while (query.next().has_value()) {
    auto done = query.run(views);
    if (!done) return done;
  }
  return {};
}

} // namespace mneme
