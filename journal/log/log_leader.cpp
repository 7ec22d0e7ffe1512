#include "journal/log/log_leader.hpp"

#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::uint64_t one_frame_bytes = 1;

bool may_pass(const error& why) {
  return why.code == errc::busy || why.code == errc::outcome_unknown;
}

std::unexpected<error> is_held(const claim_answer& by) {
  return fail(errc::busy,
              fmt::format("'{}' leads this log in epoch {}, and its lease runs for {} ms more; "
                          "who wants to read beside it, or to lead when it is gone, follows",
                          by.holder, by.epoch.value, by.lease_left.count()));
}

} // namespace

log_leader::log_leader(std::shared_ptr<log_store> store, const leader_options& options)
    : store_(std::move(store)), options_(options) {
}

result<std::unique_ptr<log_leader>> log_leader::claim(std::shared_ptr<log_store> store,
                                                      const leader_options& options) {
  ensure(store != nullptr && !options.holder.empty(), "who claims a log has one, and a name");
  ensure(options.attempts > 0, "a leader tries at least once");
  std::unique_ptr<log_leader> leader(new log_leader(std::move(store), options));
  if (auto ok = leader->take_over(); !ok) return propagate(ok);
  return leader;
}

/// A claim whose answer was lost, or that arrived twice, shows in the epoch's holder.
result<void> log_leader::take_over() {
  ensure(options_.attempts_to_claim > 1, "a claim is asked for, and what it came to");
  std::optional<log_epoch> claimed; ///< asked for at least once
  std::optional<log_epoch> granted; ///< and acknowledged
  error last{errc::busy, "the log is away", {}};
  for (unsigned i = 0; i < options_.attempts_to_claim; ++i) {
    // The first turn claims, the second sees what it came to.
    if (i != 1 && !store_->pause(i == 0 ? 0 : i - 1)) break;
    auto found = store_->tail();
    if (!found) {
      if (!may_pass(found.error())) return propagate(found);
      last = std::move(found.error());
      continue;
    }
    if (claimed && found->epoch >= *claimed && found->holder == options_.holder) {
      // As find() has it: what can be read need not be wherever a commit has to be.
      if (granted != found->epoch) {
        auto confirmed = store_->renew(found->epoch, options_.lease);
        if (!confirmed && !may_pass(confirmed.error())) return propagate(confirmed);
        if (!confirmed) last = std::move(confirmed.error());
        if (!confirmed || !*confirmed) continue;
      }
      tail_ = std::move(*found);
      return {};
    }
    claimed = found->epoch.next();
    auto answer = store_->claim(found->epoch, options_.holder, options_.lease);
    if (!answer) {
      if (!may_pass(answer.error())) return propagate(answer);
      last = std::move(answer.error());
    } else if (answer->outcome == claim_outcome::held) {
      return is_held(*answer);
    } else if (answer->outcome == claim_outcome::granted) {
      granted = answer->epoch;
    }
    // Granted too: what the old leader appended before it shows in the tail of the next turn.
  }
  return fail(last.code, "the log was not taken over: " + last.message);
}

std::unexpected<error> log_leader::end(errc code, std::string why) {
  ended_ = error{code, std::move(why), {}};
  return std::unexpected<error>(*ended_);
}

std::unexpected<error> log_leader::fenced_by(const log_tail& found) {
  return end(errc::read_only,
             fmt::format("this process led the log in epoch {}, and '{}' leads it in epoch {} now",
                         tail_.epoch.value, found.holder, found.epoch.value));
}

void log_leader::advance(const log_frame& frame) {
  ensure(frame.last_seq >= tail_.last_seq, "a frame ends no earlier than the one before");
  tail_.end = {.frames = tail_.end.frames + 1, .head = frame.hash};
  tail_.last_seq = frame.last_seq;
}

result<bool> log_leader::find(const log_frame& frame) {
  auto found = store_->tail();
  if (!found) return propagate(found);
  if (found->end.frames < tail_.end.frames
      || (found->end.frames == tail_.end.frames && found->end != tail_.end))
    return end(errc::corrupt,
               fmt::format("the log was rolled back: it ends in epoch {} at seq {} with {} frames, "
                           "and had {} up to seq {}; move the directory away, keep it, and join "
                           "anew",
                           found->epoch.value, found->last_seq.value, found->end.frames,
                           tail_.end.frames, tail_.last_seq.value));
  const bool is_mine = found->epoch == tail_.epoch;
  if (found->end == tail_.end) {
    // In an older epoch it will never be there.
    if (!is_mine) return fenced_by(*found);
    return false;
  }
  auto behind = store_->read(tail_.end.frames, 1, one_frame_bytes);
  if (!behind) return propagate(behind);
  ensure(behind->size() <= 1, "one frame was asked for");
  if (behind->empty() || behind->front().hash != frame.hash) {
    if (!is_mine) return fenced_by(*found);
    return end(errc::read_only, fmt::format("another process appends to the log in epoch {} too",
                                            tail_.epoch.value));
  }
  // A claim behind it confirms nothing: it may be no more than what a wait for a standby left, too.
  if (!is_mine)
    return end(
        errc::outcome_unknown,
        fmt::format("the log has the last frame, but '{}' leads it in epoch {} since: whether "
                    "it stays there is not known",
                    found->holder, found->epoch.value));
  // What can be read need not be wherever a commit has to be, such as at a standby: if the server
  // fell between the two. A commit behind it is only acknowledged when both are.
  auto renewed = store_->renew(tail_.epoch, options_.lease);
  if (!renewed) return propagate(renewed);
  if (!*renewed) return fail(errc::busy, "the log did not confirm the last frame");
  return true;
}

result<void> log_leader::append(const log_frame& frame) {
  if (ended_) return std::unexpected<error>(*ended_);
  bool may_be_there = false;
  error last;
  for (unsigned i = 0; i < options_.attempts; ++i) {
    if (!store_->pause(i)) break;
    auto outcome = store_->append(tail_.end, tail_.epoch, options_.lease, frame);
    if (outcome && *outcome == append_outcome::appended) {
      advance(frame);
      return {};
    }
    if (!outcome) {
      // As long as none was sent, nothing is there.
      if (!may_be_there) return propagate(outcome);
      last = std::move(outcome.error());
    } else {
      may_be_there = true;
    }
    auto there = find(frame);
    if (there && *there) {
      advance(frame);
      return {};
    }
    if (ended_) return std::unexpected<error>(*ended_);
    if (!there) last = std::move(there.error());
  }
  return end(errc::outcome_unknown,
             "the log did not say whether it has the last frame: " + last.message);
}

result<void> log_leader::look() {
  if (ended_) return std::unexpected<error>(*ended_);
  auto found = store_->tail();
  if (!found) return propagate(found);
  if (found->epoch != tail_.epoch) return fenced_by(*found);
  return {};
}

std::unexpected<error> log_leader::fenced() {
  if (auto now = look(); !now && ended_) return std::unexpected<error>(*ended_);
  return end(errc::read_only, "another process leads the log");
}

result<void> log_leader::renew() {
  if (ended_) return std::unexpected<error>(*ended_);
  auto renewed = store_->renew(tail_.epoch, options_.lease);
  if (!renewed) return propagate(renewed);
  if (*renewed) return {};
  return look();
}

result<erase_outcome> log_leader::erase(std::span<const seq_no> seqs) {
  if (ended_) return std::unexpected<error>(*ended_);
  error last;
  for (unsigned i = 0; i < options_.attempts; ++i) {
    if (!store_->pause(i)) break;
    auto erased = store_->erase(seqs, tail_.epoch);
    if (!erased && erased.error().code == errc::version_conflict) return fenced();
    if (erased || !may_pass(erased.error())) return erased;
    last = std::move(erased.error());
  }
  return fail(errc::outcome_unknown, "the log did not say whether it erased: " + last.message);
}

log_leader::~log_leader() {
  if (tail_.epoch != log_epoch{}) let_go();
}

void log_leader::let_go() {
  if (ended_) return;
  (void)store_->renew(tail_.epoch, std::chrono::milliseconds{0});
}

} // namespace mneme
