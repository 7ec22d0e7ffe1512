#include "state/commit/rate_limit.hpp"

#include <algorithm>

namespace mneme {

void rate_limit::refill(bucket& b, timestamp now) const {
  const std::int64_t rest = std::max<std::int64_t>(0, now.ns - b.at.ns);
  b.left_ns = rest >= most_ns_ ? most_ns_ : std::min(most_ns_, b.left_ns + rest);
  b.at = now;
}

void rate_limit::forget_full(timestamp now) {
  std::erase_if(buckets_, [&](const auto& item) {
    bucket b = item.second;
    refill(b, now);
    return b.left_ns == most_ns_;
  });
  forget_above_ = std::max<std::size_t>(1024, 2 * buckets_.size());
}

bool rate_limit::take(std::string_view key, timestamp now) {
  auto found = buckets_.find(key);
  if (found == buckets_.end()) {
    if (buckets_.size() >= forget_above_) forget_full(now);
    found = buckets_.emplace(std::string(key), bucket{most_ns_, now}).first;
  }
  bucket& b = found->second;
  refill(b, now);
  if (b.left_ns < cost_ns_) return false;
  b.left_ns -= cost_ns_;
  return true;
}

} // namespace mneme
