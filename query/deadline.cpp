#include "query/deadline.hpp"

namespace mneme {

std::unexpected<error> late() {
  return fail(errc::deadline_exceeded, "the answer took longer than deadline_ms", "deadline_ms");
}

result<void> check_deadline(std::optional<std::int64_t> deadline_ms, std::int64_t started_ns,
                            const query_context& context) {
  if (!deadline_ms || !context.stopwatch) return {};
  if ((context.stopwatch() - started_ns) / ns_per_ms < *deadline_ms) return {};
  return late();
}

} // namespace mneme
