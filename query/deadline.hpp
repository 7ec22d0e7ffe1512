#pragma once
/// The time that a request gives for its answer. It is counted on the stopwatch of the host; where
/// there is none, as in deterministic runs, nothing is ever late.

#include <cstdint>
#include <optional>

#include "mneme/error.hpp"
#include "query/query_run.hpp"

namespace mneme {

inline constexpr std::int64_t ns_per_ms = 1'000'000;

/// deadline_exceeded: what answers come to that are late.
std::unexpected<error> late();

/// `late` once the deadline, in milliseconds from `started_ns` of the stopwatch, has passed.
result<void> check_deadline(std::optional<std::int64_t> deadline_ms, std::int64_t started_ns,
                            const query_context& context);

} // namespace mneme
