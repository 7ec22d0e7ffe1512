#pragma once
/// Keeps HNSW segments over all full ranges of a vector_rows, built by one thread of its own in
/// position order and swapped in when ready. A segment that is not full yet is replaced by a copy
/// with more vectors in it, so each vector is inserted once. A build that fails is counted and
/// tried again when the next range is full; until then scans answer for what has no segment, which
/// is right, only slower.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "index/vectors/hnsw_segment.hpp"

namespace mneme {

/// The vectors that are inserted before a segment is swapped in are a multiple of this.
inline constexpr std::uint32_t segment_step = 8192;
/// A segment covers [i * segment_max, (i + 1) * segment_max) at most.
inline constexpr std::uint32_t segment_max = 1U << 20;

/// Segments in order, without gaps, from position 0.
using segment_list = std::vector<std::shared_ptr<const hnsw_segment>>;

class segment_builder {
public:
  /// As hnsw_segment::extend; null is a build that failed.
  using build_function = std::function<std::unique_ptr<hnsw_segment>(
      const hnsw_segment* base, const vector_rows& rows, std::uint32_t begin, std::uint32_t end,
      const graph_parameters& p, const std::atomic<bool>& stop)>;

  /// The rows must outlive the builder; it does nothing until the first wake().
  segment_builder(const vector_rows& rows, const graph_parameters& p,
                  build_function build = &hnsw_segment::extend)
      : rows_(rows),
        parameters_(p),
        build_(std::move(build)),
        segments_(std::make_shared<const segment_list>()) {}
  ~segment_builder();

  /// Before the first wake(): goes on behind segments that an image had. They are in order, without
  /// gaps, and cover full ranges of the rows.
  void adopt(segment_list segments);
  /// Writer: tells that rows were appended. Cheap unless a range has become full.
  void wake();
  /// Waits until every full range is in a segment, or building them has failed.
  void wait();
  /// The segments that are ready.
  [[nodiscard]] std::shared_ptr<const segment_list> segments() const;
  /// How many builds have failed, for lack of memory or of a thread.
  [[nodiscard]] std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

private:
  void run();
  [[nodiscard]] std::uint32_t full_ranges() const { return rows_.size() / segment_step; }
  /// Precondition: the mutex is held.
  [[nodiscard]] bool has_work() const {
    return full_ranges() > covered_ranges_ && full_ranges() > failed_at_;
  }
  /// Adds or extends one segment, unless it is stopped or fails.
  void build_next();
  /// A build over the first `ranges` failed.
  void note_failure(std::uint32_t ranges);

  const vector_rows& rows_;
  const graph_parameters parameters_;
  const build_function build_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const segment_list> segments_; ///< under mutex_
  std::uint32_t covered_ranges_ = 0;             ///< under mutex_: by segments
  std::uint32_t failed_at_ = 0; ///< under mutex_: full ranges when the last build failed
  std::atomic<std::uint64_t> failed_{0};
  std::uint32_t woken_at_ = 0; ///< writer's: full ranges
  std::atomic<bool> stop_{false};
  std::thread thread_; ///< started by the first wake() that finds work
};

} // namespace mneme
