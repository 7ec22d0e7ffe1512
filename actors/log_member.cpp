#include "actors/log_member.hpp"

#include <chrono>
#include <utility>

#include "actors/query_list.hpp"

namespace mneme {

log_member::log_member(log_membership membership, std::function<void(commit_command)> hand_over)
    : hand_over_(std::move(hand_over)), part_(std::move(membership), *this) {
  thread_ = std::thread([this] { run(); });
}

log_member::~log_member() {
  {
    const std::lock_guard hold(guard_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

bool log_member::is_over() {
  const std::lock_guard hold(guard_);
  return is_over_;
}

void log_member::run() {
  auto rest = part_.first_rest();
  for (;;) {
    {
      std::unique_lock hold(guard_);
      if (ends_.wait_for(hold, rest, [this] { return is_over_; })) return;
    }
    rest = part_.step();
    if (part_.has_ended()) return;
  }
}

void log_member::tell(commit_command command) {
  hand_over_(std::move(command));
}

result<copy_end> log_member::ask(const std::function<commit_command(reply)>& command) {
  waiting<copy_end> answer;
  tell(command(answer.reply()));
  // Who ends this may be what the committer waits for.
  constexpr std::chrono::milliseconds look{20};
  while (answer.future.wait_for(look) != std::future_status::ready)
    if (is_over()) return fail(errc::shutdown, "the engine is being closed");
  return answer.get();
}

} // namespace mneme
