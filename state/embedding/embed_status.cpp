#include "state/embedding/embed_status.hpp"

#include <chrono>
#include <utility>

namespace mneme {

void embed_status::set(report r) {
  {
    const std::lock_guard hold(guard_);
    report_ = std::move(r);
  }
  changed_.notify_all();
}

embed_status::report embed_status::get() const {
  const std::lock_guard hold(guard_);
  return report_;
}

bool embed_status::wait(std::int64_t timeout_ms,
                        const std::function<bool(const report&)>& is_over) const {
  std::unique_lock hold(guard_);
  changed_.wait_for(hold, std::chrono::milliseconds(timeout_ms),
                    [&] { return ended_ || is_over(report_); });
  return !ended_;
}

void embed_status::end() {
  {
    const std::lock_guard hold(guard_);
    ended_ = true;
  }
  changed_.notify_all();
}

} // namespace mneme
