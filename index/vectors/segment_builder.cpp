#include "index/vectors/segment_builder.hpp"

#include <algorithm>
#include <system_error>

namespace mneme {

segment_builder::~segment_builder() {
  {
    const std::scoped_lock lock(mutex_);
    stop_.store(true);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void segment_builder::wake() {
  const std::uint32_t full = rows_.size() / segment_step;
  if (full == woken_at_) return;
  woken_at_ = full;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      const std::scoped_lock lock(mutex_);
      failed_ = true; // scans stay exact, which is right, only slower
      return;
    }
  }
  // The lock makes sure that the thread is not between its look at the size and its sleep.
  {
    const std::scoped_lock lock(mutex_);
  }
  changed_.notify_all();
}

bool segment_builder::has_work() const {
  return rows_.size() / segment_step * segment_step > covered_;
}

void segment_builder::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failed_ || stop_.load() || !has_work(); });
}

std::shared_ptr<const segment_list> segment_builder::segments() const {
  const std::scoped_lock lock(mutex_);
  return segments_;
}

void segment_builder::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_.load() || has_work(); });
    }
    if (stop_.load() || !build_next()) return;
  }
}

bool segment_builder::build_next() {
  const std::shared_ptr<const segment_list> ready = segments();
  const bool extends = !ready->empty() && ready->back()->end() % segment_max != 0;
  const hnsw_segment* const base = extends ? ready->back().get() : nullptr;
  const std::uint32_t from = ready->empty() ? 0 : ready->back()->end();
  const std::uint32_t begin = base == nullptr ? from : base->begin();
  // Doubling at most: what has been built of a long backlog is of use before the end of it.
  const std::uint32_t full = rows_.size() / segment_step * segment_step;
  const std::uint32_t wanted = std::max(segment_step, 2 * (from - begin));
  const std::uint32_t end = std::min({full, begin + segment_max, begin + wanted});
  std::shared_ptr<const hnsw_segment> built =
      hnsw_segment::extend(base, rows_, begin, end, parameters_, stop_);

  const std::scoped_lock lock(mutex_);
  if (built == nullptr) {
    failed_ = true;
    changed_.notify_all();
    return false;
  }
  auto next = std::make_shared<segment_list>(*ready);
  if (extends) next->pop_back();
  next->push_back(std::move(built));
  segments_ = std::move(next);
  covered_ = end;
  changed_.notify_all();
  return true;
}

} // namespace mneme
