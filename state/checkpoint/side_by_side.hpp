#pragma once
/// Works that do not know of each other, done by as many threads as the machine runs at once.

#include <functional>
#include <span>

#include "mneme/error.hpp"

namespace mneme {

/// Runs all of them, begun in their order, and returns when all have ended: with the failure of the
/// first in that order that failed, whichever ended first.
result<void> run_side_by_side(std::span<const std::function<result<void>()>> works);

} // namespace mneme
