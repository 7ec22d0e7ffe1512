// Trimming a world that goes on meanwhile, as a host asks for it.

#include <utility>

#include "actors/engine_impl.hpp"
#include "state/retention/running_trim.hpp"

namespace mneme {

result<trim_report> engine::trim(const trim_options& options,
                                 std::optional<std::int64_t> deadline_ms) {
  if (impl_->arm != nullptr)
    return fail(errc::unsupported, "an arm has its past in common with others: the world that they "
                                   "were made of is trimmed");
  if (options.before && options.before_time)
    return fail(errc::bad_value, "a trim is before a seq or before a time", "before");
  return impl_->inside_to_write([&](running_engine& to) -> result<trim_report> {
    if (to.state->follows()) return std::unexpected(to.state->standing->refusal());
    if (to.options.commits.read_only)
      return fail(errc::read_only, "the engine was opened read-only");
    auto deadline = deadline_in(to, deadline_ms);
    if (!deadline) return propagate(deadline);
    return trim_running(*to.state, options, [&](trim_payload payload, seq_no planned_at) {
      return impl_->commit<trim_end>(to, [&](auto reply) {
        return trim_command{.payload = std::move(payload),
                            .planned_at = planned_at,
                            .reply = std::move(reply),
                            .deadline = *deadline};
      });
    });
  });
}

} // namespace mneme
