#pragma once
/// Counts of a running server, as Prometheus text. Thread-safe.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "mneme/engine.hpp"

namespace mneme::server {

class metrics {
public:
  /// One answered request: `door` is an op, a tool or a route of the server's own.
  void answered(std::string_view door, int status, std::int64_t took_ns);
  /// A connection that was turned away or broken off, by reason.
  void refused_connection(std::string_view why);

  std::atomic<std::uint64_t> open_connections = 0;
  std::atomic<std::uint64_t> running_requests = 0;

  /// All of it, with the sizes of `target`; store_bytes are those of its directory.
  [[nodiscard]] result<std::string> text(engine& target, const std::string& directory);

private:
  /// Upper bounds of the latency buckets, in seconds; the last is infinite.
  static constexpr std::array bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                        0.05,   0.1,   0.25,   0.5,   1.0,  5.0};
  struct latency {
    std::array<std::uint64_t, bounds.size() + 1> buckets{};
    std::uint64_t count = 0;
    double sum_s = 0;
  };

  std::mutex mutex_;
  std::map<std::string, latency, std::less<>> latencies_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::string, std::uint64_t, std::less<>> refused_;
};

} // namespace mneme::server
