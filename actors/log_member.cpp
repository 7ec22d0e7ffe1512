#include "actors/log_member.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "actors/query_list.hpp"
#include "journal/log/log_copy.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::chrono::milliseconds shortest_rest{10};
constexpr std::chrono::milliseconds longest_rest{50};
constexpr std::chrono::milliseconds rest_while_away{250};
/// So many times in a lease: one may be lost.
constexpr int renewals_in_lease = 3;
/// And so often a claim is tried; each is refused by the log for as long as a lease runs.
constexpr int claims_in_lease = 10;
/// A claim whose answer was lost is looked for; a log that is away is asked again later.
constexpr unsigned attempts_to_claim = 3;

/// Of the log's content, and of what was made of it here. What is wrong with how it is reached, or
/// with the disk, somebody may mend.
bool is_for_good(const error& why) {
  return why.code == errc::corrupt || why.code == errc::format_unsupported;
}

std::unexpected<error> rolled_back(const log_tail& tail, const log_point& copy) {
  return fail(errc::corrupt,
              fmt::format("the log was rolled back: it ends in epoch {} at seq {} with {} frames, "
                          "the last of hash {}, and this copy of it has {}, the last of hash {}",
                          tail.epoch.value, tail.last_seq.value, tail.end.frames,
                          to_hex(tail.end.head), copy.frames, to_hex(copy.head)));
}

} // namespace

log_member::log_member(log_membership membership, std::function<void(commit_command)> hand_over)
    : of_(std::move(membership)), hand_over_(std::move(hand_over)), rest_(shortest_rest) {
  ensure(of_.standing != nullptr && !of_.holder.empty(), "who takes part stands somewhere");
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
  for (;;) {
    const auto rest = of_.standing->follows() ? follow() : lead();
    std::unique_lock hold(guard_);
    if (ends_.wait_for(hold, rest, [this] { return is_over_; })) return;
  }
}

template <class Command>
result<copy_end> log_member::ask(Command command) {
  waiting<copy_end> answer;
  command.reply = answer.reply();
  hand_over_(std::move(command));
  // Who ends this may be what the committer waits for.
  constexpr milliseconds look{20};
  while (answer.future.wait_for(look) != std::future_status::ready)
    if (is_over()) return fail(errc::shutdown, "the engine is being closed");
  return answer.get();
}

/// What does not pass by itself has stopped the committer, or does so now.
log_member::milliseconds log_member::fails(const error& why) {
  at_.reset();
  of_.standing->fails(why.message);
  if (!is_for_good(why) || is_over()) return rest_while_away;
  (void)ask(halt_command{.why = why, .reply = {}});
  return stays_halted();
}

/// Nothing is left to do here.
log_member::milliseconds log_member::stays_halted() {
  const std::lock_guard hold(guard_);
  is_over_ = true;
  return {};
}

log_member::milliseconds log_member::follow() {
  if (log_ == nullptr) {
    auto made = of_.logs(of_.address);
    if (!made) return fails(made.error());
    log_ = std::move(*made);
  }
  const std::int64_t asked_at = of_.standing->now();
  auto tail = log_->tail();
  if (!tail) return fails(tail.error());
  of_.standing->heard(*tail, false, asked_at);
  auto came = fetch(*log_, *tail);
  if (!came) return fails(came.error());
  of_.standing->heard(*tail, true, asked_at);
  rest_ = *came ? shortest_rest : std::min(2 * rest_, longest_rest);
  if (of_.may_lead) try_to_lead();
  return of_.standing->follows() ? rest_ : milliseconds{0};
}

result<void> log_member::locate(const log_tail& tail) {
  auto end = ask(follow_command{});
  if (!end) return propagate(end);
  auto frames = frames_in_copy(*log_, tail, end->last, end->last_frame);
  if (!frames) return propagate(frames);
  at_ = {.frames = *frames, .head = end->last_frame};
  return {};
}

result<bool> log_member::fetch(log_store& from, const log_tail& tail) {
  if (!at_)
    if (auto ok = locate(tail); !ok) return propagate(ok);
  const std::uint64_t began_at = at_->frames;
  while (at_->frames < tail.end.frames) {
    if (is_over()) return fail(errc::busy, "the engine is being closed");
    auto frames = frames_behind(from, tail, at_->frames);
    if (!frames) return propagate(frames);
    if (auto ok = deliver(std::move(*frames)); !ok) return propagate(ok);
  }
  if (*at_ != tail.end) return rolled_back(tail, *at_);
  return at_->frames != began_at;
}

/// One after the other; the last one's answer is that of all.
result<void> log_member::deliver(std::vector<log_frame> frames) {
  ensure(!frames.empty(), "frames are delivered");
  const log_point reaches{.frames = at_->frames + frames.size(), .head = frames.back().hash};
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    auto opened = open_followed(std::move(frames[i]));
    if (!opened) return propagate(opened);
    hand_over_(follow_command{.next = std::move(*opened), .reply = {}});
  }
  auto last = open_followed(std::move(frames.back()));
  if (!last) return propagate(last);
  auto end = ask(follow_command{.next = std::move(*last), .reply = {}});
  if (!end) return propagate(end);
  if (end->last_frame != reaches.head)
    return fail(errc::version_conflict, "the copy did not take the log's frames; it is asked where "
                                        "it ends");
  at_ = reaches;
  return {};
}

void log_member::try_to_lead() {
  const std::int64_t now = of_.standing->now();
  if (now < claims_at_) return;
  claims_at_ = now + of_.lease.count() / claims_in_lease;
  if (spare_ == nullptr) {
    auto made = of_.logs(of_.address);
    if (!made) return;
    spare_ = std::move(*made);
  }
  auto leader = log_leader::claim(
      spare_, {.holder = of_.holder, .lease = of_.lease, .attempts = attempts_to_claim});
  if (!leader) {
    // Somebody leads, most often.
    if (leader.error().code != errc::busy)
      of_.standing->fails("this process may lead, and cannot: " + leader.error().message);
    return;
  }
  spare_.reset();
  if (auto led = take_lead(std::move(*leader)); !led) (void)fails(led.error());
}

result<void> log_member::take_lead(std::shared_ptr<log_leader> leader) {
  // What the one before appended until the claim.
  if (auto came = fetch(*log_, leader->tail()); !came) return propagate(came);
  auto led = ask(lead_command{.leader = std::move(leader), .reply = {}});
  if (!led) return propagate(led);
  at_.reset(); // nobody counts from here on
  return {};
}

log_member::milliseconds log_member::lead() {
  const bool is_halted = of_.standing->is_halted();
  const auto renewed = log_->renew(of_.standing->epoch(), is_halted ? milliseconds{0} : of_.lease);
  if (is_halted && renewed) return stays_halted();
  if (renewed && !*renewed) (void)ask(yield_command{});
  return of_.standing->follows() ? milliseconds{0} : of_.lease / renewals_in_lease;
}

} // namespace mneme
