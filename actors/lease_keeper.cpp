#include "actors/lease_keeper.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// So many times in a lease: one may be lost.
constexpr int renewals = 3;

} // namespace

lease_keeper::lease_keeper(std::shared_ptr<log_store> log, log_epoch epoch,
                           std::chrono::milliseconds lease)
    : log_(std::move(log)), epoch_(epoch), lease_(lease), thread_([this] { keep(); }) {
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
    const auto renewed = log_->renew(epoch_, lease_);
    hold.lock();
    if (renewed && !*renewed) return; // another leads
  }
}

} // namespace mneme
