/// A search without topics that are found by nothing but what a field held until some time.

#include <algorithm>

#include "query/past_topics.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

namespace {

/// What is still there by then is left out, and nothing comes in its place.
constexpr int most_times = 8;

} // namespace

result<void> search_state::leave_out_past_topics(const read_views& views) {
  past_topic_test test(views, context.at, when(), terms, time, field_values);
  const auto note_past = [&](const std::vector<leg_row>& rows) -> result<void> {
    for (const auto& r : rows) {
      if (!test.is_topic(r.row)) continue;
      auto is_past = test.is_past(r.row);
      if (!is_past) return propagate(is_past);
      if (*is_past) past_topics.insert(views.attributes->node(r.row).value);
    }
    return time.check();
  };
  const std::size_t before = past_topics.size();
  if (auto ok = note_past(hits); !ok) return ok;
  if (past_topics.size() == before) return {};
  if (times_begun_again == most_times) {
    const auto left_out = static_cast<std::int64_t>(std::erase_if(hits, [&](const leg_row& r) {
      return past_topics.contains(views.attributes->node(r.row).value);
    }));
    memory.coverage.searched -= left_out;
    memory.coverage.candidates -= left_out;
    memory.coverage.ended += left_out;
    return {};
  }
  if (auto ok = note_past(behind); !ok) return ok;
  ++times_begun_again;
  for (search_leg* leg : {&memory, &content}) {
    search_leg emptied;
    emptied.runs = leg->runs;
    emptied.of = leg->of;
    *leg = std::move(emptied);
  }
  hits.clear();
  answer.coverage.best_match = 0;
  answer.coverage.requested_sources_not_found.clear();
  stage = search_stage::select;
  return {};
}

} // namespace mneme
