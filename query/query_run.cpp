#include "query/query_run.hpp"

namespace mneme {

result<void> run_inline(query_run& query, const read_views& views) {
  while (query.next().has_value()) {
    auto done = query.run(views);
    if (!done) return done;
  }
  return {};
}

} // namespace mneme
