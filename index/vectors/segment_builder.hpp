#pragma once
/// Keeps HNSW segments over all full ranges of a vector_rows, built by one thread of its own in
/// position order and swapped in when ready. A segment that is not full yet is replaced by a copy
/// with more vectors in it, so each vector is inserted once.

#include <atomic>
#include <condition_variable>
#include <cstdint>
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
  /// The rows must outlive the builder; it does nothing until the first wake().
  segment_builder(const vector_rows& rows, const hnsw_segment::parameters& p)
      : rows_(rows), parameters_(p), segments_(std::make_shared<const segment_list>()) {}
  ~segment_builder();

  /// Writer: tells that rows were appended. Cheap unless a range has become full.
  void wake();
  /// Waits until every full range is in a segment, or building has failed for lack of memory.
  void wait();
  /// The segments that are ready.
  [[nodiscard]] std::shared_ptr<const segment_list> segments() const;

private:
  void run();
  [[nodiscard]] bool has_work() const;
  /// Adds or extends one segment; false if it was stopped or failed.
  bool build_next();

  const vector_rows& rows_;
  const hnsw_segment::parameters parameters_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const segment_list> segments_; ///< under mutex_
  std::uint32_t covered_ = 0;                    ///< under mutex_: the end of the last segment
  bool failed_ = false;                          ///< under mutex_
  std::uint32_t woken_at_ = 0;                   ///< writer's
  std::atomic<bool> stop_{false};
  std::thread thread_; ///< started by the first wake() that finds work
};

} // namespace mneme
