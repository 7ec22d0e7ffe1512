#include <algorithm>
#include <atomic>
#include <chrono>

#include "messages/text/time_text.hpp"
#include "mneme/seams.hpp"

namespace mneme {

namespace {

timestamp clamped(std::int64_t ns) {
  return {std::clamp<std::int64_t>(ns, 0, max_timestamp.ns)};
}

class system_clock final : public clock {
public:
  timestamp now() override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return clamped(std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
  }
};

} // namespace

std::shared_ptr<clock> make_system_clock() {
  return std::make_shared<system_clock>();
}

struct manual_clock::state {
  std::atomic<std::int64_t> ns;
};

manual_clock::manual_clock(timestamp start)
    : state_(std::make_unique<state>(clamped(start.ns).ns)) {
}
manual_clock::~manual_clock() = default;

timestamp manual_clock::now() {
  return {state_->ns.load(std::memory_order_acquire)};
}

void manual_clock::set(timestamp t) {
  state_->ns.store(clamped(t.ns).ns, std::memory_order_release);
}

} // namespace mneme
