#pragma once
/// Requests that came in one list: their deadlines count from the start of the whole.

#include <cstdint>

#include "mneme/error.hpp"
#include "query/deadline.hpp"

namespace mneme {

/// Leaves the request what is left of its deadline when those before it took `passed_ns`.
template <class Request>
result<void> shorten_deadline(Request& r, std::int64_t passed_ns) {
  if (!r.deadline_ms || *r.deadline_ms < 1) return {}; // none, or refused anyway
  const std::int64_t left = *r.deadline_ms - passed_ns / ns_per_ms;
  if (left < 1)
    return fail(errc::deadline_exceeded,
                "the requests before this one took longer than its deadline_ms", "deadline_ms");
  r.deadline_ms = left;
  return {};
}

} // namespace mneme
