#include "actors/log_participant.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "journal/log/log_copy.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::chrono::milliseconds shortest_rest{10};
constexpr std::chrono::milliseconds longest_rest{25};
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
  return why.code == errc::corrupt || why.code == errc::format_unsupported
         || why.code == errc::trimmed;
}

std::unexpected<error> rolled_back(const log_tail& tail, const log_point& copy) {
  return fail(
      errc::corrupt,
      fmt::format("the log was rolled back: it ends in epoch {} at seq {} with {} frames, "
                  "the last of hash {}, and this copy of it has {}, the last of hash {}; move the "
                  "directory away, keep it, and join anew",
                  tail.epoch.value, tail.last_seq.value, tail.end.frames, to_hex(tail.end.head),
                  copy.frames, to_hex(copy.head)));
}

/// That a lease is renewed says nothing of frames, where one was not taken.
void still_leads(log_standing& standing, log_store& log, std::int64_t asked_at) {
  if (standing.status({}).away_ms)
    if (auto may = log.may_lead(); !may) return standing.is_away(may.error().message);
  standing.took(asked_at);
}

} // namespace

log_participant::log_participant(log_membership membership, committer_line& to)
    : of_(std::move(membership)), committer_(to), rest_(shortest_rest) {
  ensure(of_.standing != nullptr && !of_.holder.empty(), "who takes part stands somewhere");
  ensure(!of_.only_leads || of_.may_lead, "who only leads may");
}

log_participant::milliseconds log_participant::first_rest() const {
  return of_.standing->follows() ? milliseconds{0} : of_.lease / renewals_in_lease;
}

log_participant::milliseconds log_participant::step() {
  return of_.standing->follows() ? follow() : lead();
}

log_participant::milliseconds log_participant::ends() {
  has_ended_ = true;
  return {};
}

/// What does not pass by itself has stopped the committer, or does so now.
log_participant::milliseconds log_participant::fails(const error& why) {
  at_.reset();
  of_.standing->fails(why.message);
  if (!is_for_good(why) || committer_.is_over()) return rest_while_away;
  (void)committer_.ask([&](committer_line::reply reply) {
    return halt_command{.why = why, .reply = std::move(reply)};
  });
  return ends();
}

log_participant::milliseconds log_participant::is_away(const error& why) {
  const auto rest = fails(why);
  if (!has_ended_) of_.standing->is_away(why.message);
  return rest;
}

result<void> log_participant::connect() {
  if (log_ != nullptr) return {};
  auto made = of_.logs(of_.address);
  if (!made) return propagate(made);
  log_ = std::move(*made);
  return {};
}

log_participant::milliseconds log_participant::follow() {
  if (auto ok = connect(); !ok) return is_away(ok.error());
  const std::int64_t asked_at = of_.standing->now();
  auto tail = log_->tail();
  if (!tail) return is_away(tail.error());
  if (of_.only_leads && tail->holder != of_.holder) {
    of_.standing->lose(*tail);
    return ends();
  }
  of_.standing->heard(*tail, false, asked_at);
  auto came = fetch(*log_, *tail);
  if (!came) return fails(came.error());
  of_.standing->heard(*tail, true, asked_at);
  rest_ = *came ? shortest_rest : std::min(2 * rest_, longest_rest);
  if (of_.may_lead) try_to_lead();
  return of_.standing->follows() ? rest_ : milliseconds{0};
}

result<void> log_participant::locate(const log_tail& tail) {
  auto end = committer_.ask([](committer_line::reply reply) {
    return follow_command{.next = {}, .reply = std::move(reply)};
  });
  if (!end) return propagate(end);
  auto frames = frames_in_copy(*log_, tail, end->last, end->last_frame);
  if (!frames) return propagate(frames);
  at_ = {.frames = *frames, .head = end->last_frame};
  return {};
}

result<bool> log_participant::fetch(log_store& from, const log_tail& tail) {
  if (!at_)
    if (auto ok = locate(tail); !ok) return propagate(ok);
  const std::uint64_t began_at = at_->frames;
  while (at_->frames < tail.end.frames) {
    if (committer_.is_over()) return fail(errc::busy, "the engine is being closed");
    auto frames = frames_behind(from, tail, at_->frames);
    if (!frames) return propagate(frames);
    if (auto ok = deliver(std::move(*frames)); !ok) return propagate(ok);
  }
  if (*at_ != tail.end) return rolled_back(tail, *at_);
  return at_->frames != began_at;
}

/// What it is of is not known from a frame that is damaged.
result<followed_frame> log_participant::open_frame(log_frame frame, std::uint64_t at) const {
  const seq_no last = frame.last_seq;
  auto opened = open_followed(std::move(frame));
  if (!opened)
    opened.error().message =
        fmt::format("the log's frame {}, whose last entry is seq {} (epoch {} by now): {}", at,
                    last.value, of_.standing->epoch().value, opened.error().message);
  return opened;
}

/// One after the other; the last one's answer is that of all.
result<void> log_participant::deliver(std::vector<log_frame> frames) {
  ensure(!frames.empty(), "frames are delivered");
  const log_point reaches{.frames = at_->frames + frames.size(), .head = frames.back().hash};
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    auto opened = open_frame(std::move(frames[i]), at_->frames + i + 1);
    if (!opened) return propagate(opened);
    committer_.tell(follow_command{.next = std::move(*opened), .reply = {}});
  }
  auto last = open_frame(std::move(frames.back()), reaches.frames);
  if (!last) return propagate(last);
  auto end = committer_.ask([&](committer_line::reply reply) {
    return follow_command{.next = std::move(*last), .reply = std::move(reply)};
  });
  if (!end) return propagate(end);
  if (end->last_frame != reaches.head)
    return fail(errc::version_conflict, "the copy did not take the log's frames; it is asked where "
                                        "it ends");
  at_ = reaches;
  return {};
}

void log_participant::try_to_lead() {
  const std::int64_t now = of_.standing->now();
  if (now < claims_at_) return;
  claims_at_ = now + of_.lease.count() / claims_in_lease;
  if (spare_ == nullptr) {
    auto made = of_.logs(of_.address);
    if (!made) return;
    spare_ = std::move(*made);
  }
  auto leader = log_leader::claim(
      spare_, {.holder = of_.holder, .lease = of_.lease, .attempts_to_claim = attempts_to_claim});
  if (!leader) {
    // Somebody leads, most often.
    if (leader.error().code != errc::busy)
      of_.standing->fails("this process may lead, and cannot: " + leader.error().message);
    return;
  }
  spare_.reset();
  if (auto led = take_lead(std::move(*leader)); !led) (void)fails(led.error());
}

result<void> log_participant::take_lead(std::shared_ptr<log_leader> leader) {
  // What the one before appended until the claim.
  if (auto came = fetch(*log_, leader->tail()); !came) return propagate(came);
  auto led = committer_.ask([&](committer_line::reply reply) {
    return lead_command{.leader = std::move(leader), .reply = std::move(reply)};
  });
  if (!led) return propagate(led);
  at_.reset(); // nobody counts from here on
  return {};
}

log_participant::milliseconds log_participant::lead() {
  const auto until_renewal = of_.lease / renewals_in_lease;
  if (auto ok = connect(); !ok) {
    of_.standing->is_away(ok.error().message);
    return until_renewal;
  }
  const std::int64_t asked_at = of_.standing->now();
  const bool is_halted = of_.standing->is_halted();
  const auto renewed = log_->renew(of_.standing->epoch(), is_halted ? milliseconds{0} : of_.lease);
  if (is_halted && renewed) return ends(); // somebody else may lead
  if (!renewed)
    of_.standing->is_away(renewed.error().message);
  else if (*renewed)
    still_leads(*of_.standing, *log_, asked_at);
  else
    lose_lead();
  return of_.standing->follows() ? milliseconds{0} : until_renewal;
}

/// Who leads is known before anybody is told that this process does not.
void log_participant::lose_lead() {
  const std::int64_t asked_at = of_.standing->now();
  if (const auto tail = log_->tail()) of_.standing->heard(*tail, false, asked_at);
  (void)committer_.ask(
      [](committer_line::reply reply) { return yield_command{.reply = std::move(reply)}; });
}

} // namespace mneme
