#include "state/embedding/embed_queue.hpp"

#include <algorithm>
#include <array>

#include "messages/ensure.hpp"

namespace mneme {

namespace {
/// So many refusals in a row weigh as one failure: an embedder that refuses everything is not asked
/// as fast as it can answer.
constexpr std::uint32_t refusals_per_failure = 16;
constexpr std::uint32_t max_doublings = 30;
} // namespace

void embed_queue::add(const memory_id& id) {
  refused_.erase(id);
  // Its old text may have been cut. Those that wait alone stand in front of all others.
  for (auto& job : waiting_) {
    if (!job.alone) break;
    if (job.id == id) job.max_bytes = policy_.max_bytes;
  }
  add_found(id);
}

void embed_queue::add_found(const memory_id& id) {
  if (refused_.contains(id) || known_.contains(id)) return;
  if (waiting_.size() >= policy_.capacity) {
    overflow_ = true;
    return;
  }
  known_.insert(id);
  waiting_.push_back({.id = id, .max_bytes = policy_.max_bytes, .alone = false});
}

bool embed_queue::take_overflow() {
  const bool was = overflow_;
  overflow_ = false;
  return was;
}

std::vector<embed_job> embed_queue::take() {
  ensure(under_way_.empty(), "one batch is under way at a time");
  while (!waiting_.empty() && under_way_.size() < policy_.batch) {
    const embed_job& next = waiting_.front();
    if (next.alone && !under_way_.empty()) break;
    known_.erase(next.id);
    under_way_.push_back(next);
    waiting_.pop_front();
    if (under_way_.back().alone) break;
  }
  return under_way_;
}

void embed_queue::succeeded() {
  under_way_.clear();
  failures_ = 0;
  refusals_ = 0;
}

void embed_queue::put_back(const embed_job& job) {
  // New content came meanwhile: it waits already, and starts afresh.
  if (!known_.insert(job.id).second) return;
  waiting_.push_front(job);
}

void embed_queue::failed() {
  ensure(!under_way_.empty(), "a batch that is under way fails");
  ++failures_;
  for (auto job = under_way_.rbegin(); job != under_way_.rend(); ++job) put_back(*job);
  under_way_.clear();
}

void embed_queue::refused() {
  ensure(!under_way_.empty(), "a batch that is under way is refused");
  ++refusals_;
  failures_ = 0;
  const bool was_alone = under_way_.size() == 1;
  for (auto job = under_way_.rbegin(); job != under_way_.rend(); ++job) {
    job->alone = true;
    if (was_alone) job->max_bytes /= 2;
    if (job->max_bytes >= policy_.min_bytes)
      put_back(*job);
    else
      refused_.insert(job->id);
  }
  under_way_.clear();
}

std::int64_t embed_queue::delay_ms(random_source& random) const {
  const std::uint32_t steps = failures_ + refusals_ / refusals_per_failure;
  if (steps == 0) return 0;
  const std::int64_t whole =
      std::min(policy_.max_delay_ms, policy_.first_delay_ms << std::min(steps - 1, max_doublings));
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  std::uint64_t drawn = 0;
  for (const std::uint8_t byte : bytes) drawn = (drawn << 8) | byte;
  const auto half = static_cast<std::uint64_t>(whole / 2);
  return whole - static_cast<std::int64_t>(drawn % (half + 1));
}

} // namespace mneme
