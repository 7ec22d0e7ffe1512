#include "state/commit/log_standing.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace mneme {

namespace {

struct holder_parts {
  std::string name;
  std::string address;
};

holder_parts parts_of(const std::string& holder) {
  const auto space = holder.find(' ');
  if (space == std::string::npos) return {holder, {}};
  return {holder.substr(0, space), holder.substr(space + 1)};
}

} // namespace

std::string holder_with_address(std::string name, const std::string& address) {
  return address.empty() ? std::move(name) : std::move(name) + " " + address;
}

log_standing::log_standing(std::function<std::int64_t()> clock, log_role role, bool returns)
    : clock_(std::move(clock)),
      follows_(std::make_shared<std::atomic<bool>>(role == log_role::follower)),
      returns_(returns),
      had_all_at_(clock_()),
      reached_at_(had_all_at_) {
}

void log_standing::lead(log_epoch epoch, std::string holder) {
  const std::lock_guard hold(guard_);
  epoch_ = epoch;
  holder_ = own_ = std::move(holder);
  problem_.clear();
  had_all_at_ = clock_();
  reached(had_all_at_);
  *follows_ = false;
  moved_.notify_all();
}

void log_standing::follow() {
  const std::lock_guard hold(guard_);
  *follows_ = true;
  had_all_at_ = clock_();
}

void log_standing::lose(const log_tail& tail) {
  const std::lock_guard hold(guard_);
  is_lost_ = true;
  epoch_ = tail.epoch;
  holder_ = tail.holder;
  log_seq_ = std::max(log_seq_, tail.last_seq);
  had_all_at_ = clock_();
  reached(had_all_at_); // it said so
  problem_ = fmt::format("'{}' leads the log in epoch {} now, and this process does not follow it",
                         parts_of(holder_).name, epoch_.value);
  moved_.notify_all();
}

void log_standing::heard(const log_tail& tail, bool has_all, std::int64_t asked_at) {
  const std::lock_guard hold(guard_);
  if (tail.epoch >= epoch_) {
    epoch_ = tail.epoch;
    holder_ = tail.holder;
  }
  log_seq_ = std::max(log_seq_, tail.last_seq);
  reached(asked_at);
  if (has_all) {
    had_all_at_ = std::max(had_all_at_, asked_at);
    problem_.clear();
  }
}

void log_standing::took(std::int64_t asked_at) {
  const std::lock_guard hold(guard_);
  reached(asked_at);
  had_all_at_ = std::max(had_all_at_, asked_at);
}

/// Under the guard.
void log_standing::reached(std::int64_t asked_at) {
  reached_at_ = std::max(reached_at_, asked_at);
  if (std::exchange(is_away_, false)) problem_.clear();
}

void log_standing::is_away(std::string why) {
  const std::lock_guard hold(guard_);
  is_away_ = true;
  problem_ = std::move(why);
}

void log_standing::fails(std::string why) {
  const std::lock_guard hold(guard_);
  problem_ = std::move(why);
}

void log_standing::halt(const error& why) {
  const std::lock_guard hold(guard_);
  halted_ = why;
  moved_.notify_all();
}

bool log_standing::is_halted() const {
  const std::lock_guard hold(guard_);
  return halted_.has_value();
}

void log_standing::arrived() {
  // A waiter looks under the guard, so that it misses nothing.
  {
    const std::lock_guard hold(guard_);
  }
  moved_.notify_all();
}

log_status log_standing::status(seq_no published) const {
  const std::lock_guard hold(guard_);
  auto [name, address] = parts_of(holder_);
  log_status s{.role = *follows_ || is_lost_ ? log_role::follower : log_role::leader,
               .epoch = epoch_.value,
               .leader = std::move(name),
               .leader_address = std::move(address),
               .log_seq = std::max(log_seq_, published),
               .lag_seqs = {},
               .away_ms = {},
               .problem = problem_};
  const auto since = [now = clock_()](std::int64_t at) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(now - at, 0));
  };
  const bool leads = s.role == log_role::leader;
  const bool has_lost_touch = !leads && !own_.empty() && holder_ == own_; // to nobody yet
  if (has_lost_touch) s.leader = s.leader_address = {};
  s.is_cut_off = is_lost_ || has_lost_touch || (leads && is_away_);
  if (is_away_)
    s.away_ms = since(reached_at_);
  else
    s.lag_seqs = s.log_seq.value - published.value;
  if (!leads || is_away_) s.lag_ms = since(had_all_at_);
  return s;
}

log_epoch log_standing::epoch() const {
  const std::lock_guard hold(guard_);
  return epoch_;
}

error log_standing::refusal() const {
  const std::lock_guard hold(guard_);
  const auto [name, address] = parts_of(holder_);
  if (!own_.empty() && holder_ == own_)
    return {errc::busy,
            fmt::format("nothing was written: this process led the world's log in epoch {}, has "
                        "lost touch with it, and leads again if nobody else has since",
                        epoch_.value),
            {}};
  std::string leader = epoch_ == log_epoch{}
                           ? "nobody leads yet"
                           : fmt::format("'{}' leads it in epoch {}", name, epoch_.value);
  if (!address.empty()) leader += ", at " + address;
  return {
      errc::read_only, "this process follows the world's log and writes nothing: " + leader, {}};
}

result<void> log_standing::wait_for(seq_no at_least, const std::function<seq_no()>& published,
                                    std::int64_t wait_ms) {
  std::unique_lock hold(guard_);
  const auto is_there = [&] { return published() >= at_least; };
  if (is_there()) return {};
  // Who leads and may lose that may have lost it already.
  if ((*follows_ || returns_) && !is_lost_)
    moved_.wait_for(hold, std::chrono::milliseconds(wait_ms),
                    [&] { return is_there() || halted_.has_value() || is_lost_; });
  if (is_there()) return {};
  if (halted_) return std::unexpected(*halted_);
  const seq_no now = published();
  const auto lag_ms = *follows_ || is_lost_ ? std::max<std::int64_t>(clock_() - had_all_at_, 0) : 0;
  return fail(errc::behind,
              fmt::format("this copy is at seq {}, the log at {} or further, and seq {} was asked "
                          "for; what it shows may be {} ms old",
                          now.value, std::max(log_seq_, now).value, at_least.value, lag_ms),
              "at_least");
}

} // namespace mneme
