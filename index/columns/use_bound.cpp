#include "index/columns/use_bound.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace mneme {

namespace {

constexpr std::array<std::int64_t, 32> greatest_of_class = {
    0,  1,  2,  3,  4,  5,  6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    20, 27, 36, 48, 63, 83, 110, 145, 190, 250, 330, 435, 570, 750, 999, INT64_MAX};

constexpr unsigned access_class_shift = 4;
constexpr unsigned citations_class_shift = 9;
constexpr unsigned last_used_shift = 14;
constexpr use_bound importance_mask = 0xF;
constexpr use_bound class_mask = 0x1F;
/// 2^45 ns: whatever time fits 63 bits fits 18 bits of those.
constexpr unsigned time_unit_bits = 45;

use_bound class_of(std::int64_t count) {
  return static_cast<use_bound>(std::ranges::lower_bound(greatest_of_class, count)
                                - greatest_of_class.begin());
}

} // namespace

use_bound use_bound_of(const activation& used) {
  const auto last_used = static_cast<use_bound>(
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, used.last_used.ns)) >> time_unit_bits);
  return std::min(use_bound{used.importance}, importance_mask)
         | class_of(used.access_count) << access_class_shift
         | class_of(used.citations) << citations_class_shift | last_used << last_used_shift;
}

use_bound most_of(use_bound a, use_bound b) {
  use_bound most = 0;
  for (const use_bound mask : {importance_mask, class_mask << access_class_shift,
                               class_mask << citations_class_shift, ~0U << last_used_shift})
    most |= std::max(a & mask, b & mask);
  return most;
}

activation used_at_most(use_bound bound) {
  const use_bound importance = bound & importance_mask;
  const auto unit = static_cast<std::int64_t>(bound >> last_used_shift);
  return {.last_used = {unit << time_unit_bits | ((std::int64_t{1} << time_unit_bits) - 1)},
          .access_count = greatest_of_class[(bound >> access_class_shift) & class_mask],
          .citations = greatest_of_class[(bound >> citations_class_shift) & class_mask],
          .importance = importance == importance_mask ? std::numeric_limits<std::uint8_t>::max()
                                                      : static_cast<std::uint8_t>(importance),
          .topic_salience_e9 = 0};
}

} // namespace mneme
