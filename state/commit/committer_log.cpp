// A world on a log: frames that come from there, and the lead of it.

#include "state/commit/committer.hpp"

#include "messages/ensure.hpp"
#include "state/commit/take_lead.hpp"
#include "state/retention/trim_in_log.hpp"

namespace mneme {

std::optional<committer::round> committer::take_of_log() {
  commit_command first = take_front();
  if (auto* frame = std::get_if<follow_command>(&first)) return take_frame(std::move(*frame));
  if (const auto* lead = std::get_if<lead_command>(&first)) {
    take_lead(*lead);
  } else if (const auto* back = std::get_if<yield_command>(&first)) {
    if (!world_.standing->follows()) yield(nullptr);
    back->reply(end_of_copy());
  } else {
    const auto& stop = std::get<halt_command>(first);
    halt(stop.why);
    stop.reply(std::unexpected(stop.why));
  }
  return std::nullopt;
}

copy_end committer::end_of_copy() const {
  return {.last = world_.journal->last_seq(), .last_frame = world_.journal->last_frame()};
}

std::optional<committer::round> committer::take_frame(follow_command command) {
  ensure(world_.standing != nullptr, "a frame is followed in a world that is on a log");
  const auto& next = command.next;
  const bool follows_here = next && world_.standing->follows()
                            && next->opened.prefix.previous_frame == world_.journal->last_frame();
  const auto answer = [reply = std::move(command.reply)](const result<copy_end>& end) {
    if (reply) reply(end);
  };
  if (!follows_here) {
    answer(end_of_copy());
    return std::nullopt;
  }
  if (auto ok = check_followed(world_, *next); !ok) {
    halt(ok.error());
    answer(propagate(ok));
    return std::nullopt;
  }
  replies_.emplace_back([this, answer](const error* e) {
    answer(e != nullptr ? result<copy_end>(std::unexpected(*e)) : end_of_copy());
  });
  is_copied_ = true;
  if (!next->entries.empty()) {
    if (next->trim)
      if (auto ok = prepare_trim(std::move(*command.next->trim), {}); !ok) {
        const error why{errc::busy, "the copy cannot begin a trim: " + ok.error().message, {}};
        lacks_room(why);
        return std::nullopt;
      }
    if (!has_room_for(next->entries)) return std::nullopt;
    slot_before_ = world_.numbers.next_slot;
    // What drops something is durable before anything is gone; else the log is.
    const bool is_durable = next->erases || asked_trim_ != nullptr;
    batch_ = make_batch(std::move(command.next->entries), world_.numbers, is_durable);
  }
  in_round_ = true;
  return round{.batch = batch_, .copied = next->frame};
}

void committer::take_lead(const lead_command& command) {
  ensure(world_.standing != nullptr && world_.standing->follows(), "who follows takes the lead");
  if (auto led = mneme::take_lead(world_, command.leader); !led)
    return command.reply(propagate(led));
  // What others drew is taken.
  ids_.return_to(world_.last_drawn_id);
  world_.standing->lead(command.leader->epoch(), command.leader->tail().holder);
  finish_trim_of_log();
  command.reply(end_of_copy());
}

/// One that goes on here does what is left in the log by itself.
void committer::finish_trim_of_log() {
  if (trim_ != nullptr) return;
  auto left = trim_left_in_log(world_);
  if (left && *left) trim_ = running_trim::left_in_log(world_, std::move(**left));
}

void committer::yield(const error* outcome) {
  ensure(world_.standing != nullptr, "a lead is lost where a log is");
  if (!touches_.is_empty()) (void)touches_.take(); // nobody waits for them
  world_.journal->yield();
  world_.standing->follow();
  if (outcome != nullptr) refuse_round(*outcome);
  refuse_waiting_writes(world_.standing->refusal());
}

void committer::halt(const error& why) {
  fail(why, why);
}

} // namespace mneme
