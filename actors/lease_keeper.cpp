#include "actors/lease_keeper.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// So many times in a lease: one may be lost.
constexpr int renewals = 3;

} // namespace

lease_keeper::lease_keeper(std::shared_ptr<log_store> log, log_epoch epoch,
                           std::chrono::milliseconds lease, std::shared_ptr<log_standing> standing)
    : log_(std::move(log)),
      epoch_(epoch),
      lease_(lease),
      standing_(std::move(standing)),
      thread_([this] { keep(); }) {
  ensure(lease.count() >= renewals, "a lease is long enough to be renewed");
}

lease_keeper::~lease_keeper() {
  {
    const std::lock_guard hold(guard_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void lease_keeper::keep() {
  std::unique_lock hold(guard_);
  while (!ends_.wait_for(hold, lease_ / renewals, [this] { return is_over_; })) {
    hold.unlock();
    const bool is_halted = standing_ != nullptr && standing_->is_halted();
    const auto renewed = log_->renew(epoch_, is_halted ? std::chrono::milliseconds{0} : lease_);
    if (renewed && is_halted) return; // somebody else may lead
    if (renewed && !*renewed) return; // another leads: whoever appends learns it
    hold.lock();
  }
}

} // namespace mneme
