#pragma once
/// What bounds the salience of a memory, in four bytes: it was never used later or more often than
/// this, nor more important. Bits 0 to 3 are its importance, 4 to 8 the class of how often it was
/// accessed, 9 to 13 that of its citations, 14 to 31 when it was used last, in units of ten hours.
///
/// Each class of counts has a greatest one: the classes 0 to 15 are a number each, class 16 is 16
/// to 20, class 30 is 751 to 999, and class 31 is all that salience takes for a thousand.

#include <cstdint>

#include "mneme/types.hpp"

namespace mneme {

using use_bound = std::uint32_t;

[[nodiscard]] use_bound use_bound_of(const activation& used);
/// What bounds both.
[[nodiscard]] use_bound most_of(use_bound a, use_bound b);
/// The activation at the bound.
[[nodiscard]] activation used_at_most(use_bound bound);

} // namespace mneme
