#pragma once
/// Token buckets by key, driven by timestamps that the caller gives: so many at once, then so many
/// a second. In memory only; a world that is opened again starts with full buckets.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "messages/ensure.hpp"
#include "mneme/ids.hpp"

namespace mneme {

class rate_limit {
public:
  rate_limit(std::int64_t per_second, std::int64_t burst)
      : cost_ns_(1'000'000'000 / per_second), most_ns_(cost_ns_ * burst) {
    ensure(cost_ns_ > 0 && most_ns_ >= cost_ns_, "a bucket that is full holds one at least");
  }

  /// Takes one from the key's bucket; false if it is empty. A clock that goes back fills nothing.
  bool take(std::string_view key, timestamp now);
  /// Buckets that are not full (for tests of the bound).
  [[nodiscard]] std::size_t size() const { return buckets_.size(); }

private:
  struct bucket {
    std::int64_t left_ns = 0; ///< a second of rest is worth a second
    timestamp at;
  };
  void refill(bucket& b, timestamp now) const;
  void forget_full(timestamp now);

  std::int64_t cost_ns_;
  std::int64_t most_ns_;
  std::map<std::string, bucket, std::less<>> buckets_;
  std::size_t forget_above_ = 1024;
};

} // namespace mneme
