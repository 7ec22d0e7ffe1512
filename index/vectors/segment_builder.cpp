#include "index/vectors/segment_builder.hpp"

#include <algorithm>
#include <system_error>

#include <sys/resource.h>

#include "messages/ensure.hpp"

namespace mneme {

segment_builder::~segment_builder() {
  {
    const std::scoped_lock lock(mutex_);
    stop_.store(true);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void segment_builder::adopt(segment_list segments) {
  ensure(!thread_.joinable() && !segments.empty(), "segments are taken over before any is built");
  std::uint32_t covered = 0;
  for (const auto& segment : segments) {
    ensure(segment->begin() == covered && covered % segment_max == 0
               && segment->end() % segment_step == 0,
           "segments cover full ranges without gaps");
    covered = segment->end();
  }
  const std::scoped_lock lock(mutex_);
  segments_ = std::make_shared<const segment_list>(std::move(segments));
  covered_ranges_ = covered / segment_step;
  woken_at_ = covered_ranges_;
}

void segment_builder::wake() {
  const std::uint32_t full = full_ranges();
  if (full == woken_at_) return;
  woken_at_ = full;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return note_failure(full);
    }
  }
  // The lock makes sure that the thread is not between its look at the size and its sleep.
  {
    const std::scoped_lock lock(mutex_);
  }
  changed_.notify_all();
}

void segment_builder::note_failure(std::uint32_t ranges) {
  {
    const std::scoped_lock lock(mutex_);
    failed_at_ = ranges;
    failed_.fetch_add(1, std::memory_order_relaxed);
  }
  changed_.notify_all();
}

void segment_builder::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_.load() || !has_work(); });
}

std::shared_ptr<const segment_list> segment_builder::segments() const {
  const std::scoped_lock lock(mutex_);
  return segments_;
}

namespace {

/// Whoever writes or asks comes first: where all cores are busy this thread gets about a tenth of
/// one. It goes on as it is where that cannot be had.
void yield_to_others() {
  constexpr int nice = 10;
  constexpr id_t this_thread = 0; // as Linux reads it
  static_cast<void>(::setpriority(PRIO_PROCESS, this_thread, nice));
}

} // namespace

void segment_builder::run() {
  yield_to_others();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_.load() || has_work(); });
    }
    if (stop_.load()) return;
    build_next();
  }
}

void segment_builder::build_next() {
  const std::shared_ptr<const segment_list> ready = segments();
  const bool extends = !ready->empty() && ready->back()->end() % segment_max != 0;
  const hnsw_segment* const base = extends ? ready->back().get() : nullptr;
  const std::uint32_t from = ready->empty() ? 0 : ready->back()->end();
  const std::uint32_t begin = base == nullptr ? from : base->begin();
  // Doubling at most: what has been built of a long backlog is of use before the end of it.
  const std::uint32_t full = full_ranges();
  const std::uint32_t wanted = std::max(segment_step, 2 * (from - begin));
  const std::uint32_t end = std::min({full * segment_step, begin + segment_max, begin + wanted});
  ensure(from < end && end % segment_step == 0, "a build covers more full ranges than before");
  std::shared_ptr<const hnsw_segment> built = build_(base, rows_, begin, end, parameters_, stop_);
  if (stop_.load()) return;
  if (built == nullptr) return note_failure(full);
  ensure(built->begin() == begin && built->end() == end, "a segment covers what was asked for");
  {
    const std::scoped_lock lock(mutex_);
    ensure(segments_ == ready, "one thread alone replaces the segments");
    auto next = std::make_shared<segment_list>(*ready);
    if (extends) next->pop_back();
    next->push_back(std::move(built));
    segments_ = std::move(next);
    covered_ranges_ = end / segment_step;
  }
  changed_.notify_all();
}

} // namespace mneme
