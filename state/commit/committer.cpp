#include "state/commit/committer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/validate/validate.hpp"
#include "state/branch/branch_note.hpp"
#include "state/commit/busy.hpp"
#include "state/commit/take_lead.hpp"
#include "state/erasure/erase_field.hpp"
#include "state/erasure/execute_erase.hpp"
#include "state/erasure/purge.hpp"
#include "state/execute/cited_memories.hpp"
#include "state/execute/execute_chroma.hpp"
#include "state/execute/promote.hpp"
#include "state/execute/scoped_writes.hpp"
#include "state/execute/sight.hpp"
#include "state/retention/trimming_note.hpp"
#include "views/scope_check.hpp"

namespace mneme {

committer::committer(world& w, std::shared_ptr<clock> clock, std::shared_ptr<random_source> random,
                     const committer_options& options)
    : world_(w),
      clock_(std::move(clock)),
      ids_(std::move(random), w.last_drawn_id),
      options_(options) {
}

committer::~committer() {
  // The world may have gone first; only the requests that wait are still answered.
  const error gone{errc::shutdown, "the engine was closed", {}};
  answer_round(&gone);
  if (trim_ != nullptr) trim_->answer(std::unexpected(gone));
  refuse_all(gone);
}

void committer::enqueue(commit_command command) {
  if (const auto* barrier = std::get_if<checkpoint_command>(&command);
      barrier != nullptr && barrier->deferred) {
    ensure(deferred_ > 0, "a deferred barrier was counted");
    --deferred_;
  }
  if (const auto why = refusal_of(command)) return refuse(command, *why);
  const std::uint64_t bytes = bytes_of(command);
  if (is_bounded(command)) {
    if (queued() >= options_.max_queued)
      return refuse(command, busy_with_requests(options_.max_queued));
    if (queued() > 0 && queued_bytes_ + bytes > options_.max_queued_bytes)
      return refuse(command, busy_with_bytes(queued_bytes_));
  }
  queued_bytes_ += bytes;
  if (auto* look = std::get_if<inspect_command>(&command)) {
    look->bytes = bytes;
    looks_.push_back({std::move(*look), taken_ + static_cast<std::int64_t>(queue_.size())});
  } else {
    queue_.push_back({std::move(command), bytes});
  }
  publish_queued();
}

std::optional<error> committer::refusal_of(const commit_command& command) const {
  const bool is_look = std::holds_alternative<inspect_command>(command);
  if (options_.read_only && !is_look)
    return error{errc::read_only, "the engine was opened read-only", {}};
  if (stopped_) return stopped_;
  const bool is_barrier = std::holds_alternative<checkpoint_command>(command);
  if (world_.follows() && !is_look && !is_barrier && !is_of_log(command))
    return world_.standing->refusal();
  return std::nullopt;
}

void committer::publish_queued() {
  ensure(queued() > 0 || queued_bytes_ == 0, "an empty queue holds no bytes");
  world_.queued = queued();
}

commit_command committer::take_front() {
  ensure(!queue_.empty(), "a command waits");
  waiting first = std::move(queue_.front());
  queue_.pop_front();
  ensure(queued_bytes_ >= first.bytes, "what leaves the queue was counted when it came");
  queued_bytes_ -= first.bytes;
  ++taken_;
  return std::move(first.command);
}

void committer::run_look() {
  if (looks_.empty() || looks_.front().behind > taken_) return;
  inspect_command look = std::move(looks_.front().command);
  looks_.pop_front();
  ensure(queued_bytes_ >= look.bytes, "what leaves the queue was counted when it came");
  queued_bytes_ -= look.bytes;
  look.run(world_);
}

result<kv_reader*> committer::reader() {
  if (reader_ == nullptr) {
    auto opened = world_.store->reader();
    if (!opened) return propagate(opened);
    reader_ = std::move(*opened);
  }
  return reader_.get();
}

committer::round committer::next_round() {
  ensure(!in_round_, "one round at a time");
  ensure(replies_.empty() && batch_ == nullptr && !barrier_, "the round before has ended");
  const round next = take_round();
  publish_queued();
  return next;
}

committer::round committer::take_round() {
  run_look();
  const std::int64_t taken_before = taken_;
  while (!queue_.empty()) {
    // The owner looks whether it can begin what erases.
    if (taken_ != taken_before && is_erasure_next()) return {.again = true};
    if (const auto late = lateness_of(queue_.front().command)) {
      commit_command first = take_front();
      refuse(first, *late);
      continue;
    }
    settle_touches();
    if (is_of_log(queue_.front().command)) {
      if (auto next = take_of_log()) return *next;
      continue;
    }
    if (std::holds_alternative<checkpoint_command>(queue_.front().command)) {
      barrier_ = std::get<checkpoint_command>(take_front());
      in_round_ = true;
      return {.barrier = true};
    }
    auto session = reader();
    if (!session) {
      commit_command first = take_front();
      refuse(first, session.error());
      continue;
    }
    const read_views views = world_.views();
    overlay state(views, **session, world_.published_seq(), world_.vectors().space());
    std::vector<entry> entries;
    pending_records pending(views, **session, world_.published_seq(), entries);
    number_room room(world_.numbers_taken(), world_.limits);
    batch_state batch{state,   pending, ids_, *world_.tokens, {}, world_.published_seq(),
                      entries, room};
    bool durable = false;
    const bool alone = stands_alone(queue_.front().command);
    do {
      execute_next(batch, durable);
    } while (!alone && options_.mode == commit_mode::grouped && !queue_.empty()
             && !stands_alone(queue_.front().command) && entries.size() < options_.max_entries
             && batch.payload_bytes() < options_.max_bytes);
    if (!entries.empty()) {
      // Before its new ids get their numbers, which nobody takes back.
      if (!has_room_for(entries)) continue;
      slot_before_ = world_.numbers.next_slot;
      batch_ = make_batch(std::move(entries), world_.numbers, durable);
      in_round_ = true;
      return {.batch = batch_};
    }
    if (durable && world_.journal->durable_through() < world_.published_seq()) {
      // A durable answer must not rest on a relaxed write that a crash could still take.
      in_round_ = true;
      return {.sync = true};
    }
    // Nothing was written: what was read is published and durable already.
    answer_round(nullptr);
  }
  // The next look waits until the owner has seen what has arrived during this one.
  return {.again = !looks_.empty()};
}

std::optional<error> committer::lateness_of(const commit_command& command) const {
  return lateness(deadline_of(command));
}

std::optional<error> committer::lateness(const write_deadline& until) const {
  if (!until || !options_.stopwatch || options_.stopwatch() < *until) return std::nullopt;
  return error{errc::deadline_exceeded, "deadline_ms had passed before the turn of this write",
               "deadline_ms"};
}

bool committer::needs_all_indexes() const {
  if (queue_.empty()) return false;
  // The end of an engine that needed them not does without.
  const auto* barrier = std::get_if<checkpoint_command>(&queue_.front().command);
  return barrier == nullptr || !barrier->last;
}

bool committer::is_erasure_next() const {
  if (queue_.empty()) return false;
  const auto& front = queue_.front().command;
  if (const auto* frame = std::get_if<follow_command>(&front))
    return frame->next && (frame->next->erases || frame->next->trim.has_value());
  const auto* next = std::get_if<erase_command>(&front);
  return next != nullptr && !next->request.dry_run;
}

void committer::publish() {
  ensure(in_round_ && batch_ != nullptr && !barrier_, "a batch is in progress");
  reader_ = nullptr; // of the store as it was
  erases_ = true;
  publish_batch();
}

void committer::complete() {
  ensure(in_round_ && !barrier_, "a batch or a sync is in progress");
  const bool is_kept = std::exchange(erases_, false) && world_.journal->owes_erasure();
  if (batch_ != nullptr) {
    publish_batch();
    world_.disk_full.taken();
  }
  in_round_ = false;
  is_copied_ = false;
  const error kept{errc::outcome_unknown,
                   "it is erased here, but the log does not say that it is gone there, or a "
                   "transaction on the log's server that is older can still read it: erase again",
                   {}};
  answer_round(is_kept ? &kept : nullptr);
}

void committer::answer_round(const error* problem) {
  const auto replies = std::exchange(replies_, {});
  for (const auto& reply : replies) reply(problem);
}

void committer::publish_batch() {
  if (is_copied_) note_drawn_ids(world_, batch_->entries);
  if (is_copied_) ids_.return_to(world_.last_drawn_id);
  world_.last_drawn_id = ids_.last_drawn();
  world_.last_entry_at = batch_->entries.back().header.created_at;
  if (const entry_kind last = batch_->entries.back().header.kind;
      last == entry_kind::erase || last == entry_kind::trim)
    world_.last_drop = batch_->last_seq.value;
  note_records(world_.journaled(), world_.journal->payload_of(batch_->entries.front().header.seq),
               batch_->entries, batch_->deltas, batch_->writes, world_.attributes(),
               world_.places());
  // Published before any reply leaves, so that a caller always reads its own write.
  world_.publish(batch_->last_seq);
  // An image that is being written must hold its own window whole: after a crash it may be where
  // the world goes on from. A copy of the indexes is made like one.
  world_.retain_before(std::min(batch_->last_seq, imaged_.value_or(batch_->last_seq)));
  batch_.reset();
  if (world_.standing != nullptr) world_.standing->arrived();
}

void committer::testing_reply_early() {
  answer_round(nullptr);
}

void committer::hold_window() {
  ensure(!in_round_ && !imaged_,
         "one image or copy is made at a time, and begun between two rounds");
  imaged_ = world_.published_seq();
}

checkpoint_job committer::job_at_barrier(ledger_snapshot ledger) {
  ensure(in_round_ && barrier_.has_value(), "a barrier is in progress");
  ensure(!imaged_, "one image or copy is made at a time");
  imaged_ = world_.published_seq();
  return {.file = {.seq = world_.published_seq(),
                   .node_count = world_.nodes.size(),
                   .next_slot = world_.numbers.next_slot,
                   .last_drawn_id = ids_.last_drawn(),
                   .last_entry_at = world_.last_entry_at,
                   .overall_root = world_.ledger->roots().overall},
          .ledger = std::move(ledger)};
}

std::function<void(result<seq_no>)> committer::passed_barrier() {
  ensure(in_round_ && barrier_.has_value(), "a barrier is in progress");
  auto reply = std::move(barrier_->reply);
  const bool last = barrier_->last;
  barrier_.reset();
  in_round_ = false;
  if (last) {
    const error closed{errc::shutdown, "the engine was closed", {}};
    fail(closed, closed);
  }
  if (!reply) return [](const result<seq_no>&) {};
  return reply;
}

checkpoint_command committer::defer_barrier() {
  ensure(in_round_ && barrier_.has_value(), "a barrier is in progress");
  checkpoint_command deferred = std::move(*barrier_);
  barrier_.reset();
  in_round_ = false;
  deferred.deferred = true;
  ++deferred_;
  publish_queued();
  return deferred;
}

error lack_of_room(std::string_view what, const error& cause) {
  return {errc::disk_full,
          fmt::format("{}: there is no room on the disk ({}); nothing that was acknowledged is "
                      "lost, and writes go on when there is room again",
                      what, cause.message),
          {}};
}

bool committer::has_room_for(std::span<const entry> entries) {
  // What else the journal may have against it, it says when it is to append.
  const auto room = world_.journal->reserve(entries);
  if (room || room.error().code != errc::disk_full) return true;
  lacks_room(lack_of_room("the write was not completed", room.error()));
  return false;
}

void committer::lacks_room(const error& why) {
  ids_.return_to(world_.last_drawn_id);
  is_copied_ = false;
  if (why.code == errc::disk_full) world_.found_no_room(why.message); // before the answers leave
  answer_round(&why);
}

void committer::refuse_round(const error& why) {
  ensure(in_round_ && (batch_ != nullptr || is_copied_), "a batch is in progress");
  if (batch_ != nullptr) world_.numbers.next_slot = slot_before_;
  in_round_ = false;
  batch_.reset();
  lacks_room(why);
}

void committer::refuse_waiting(const error& why) {
  ensure(!in_round_, "what waits is refused between two rounds");
  world_.found_no_room(why.message);
  refuse_waiting_writes(why);
}

void committer::refuse_waiting_writes(const error& why) {
  std::deque<waiting> kept;
  for (auto& w : std::exchange(queue_, {})) {
    if (std::holds_alternative<checkpoint_command>(w.command) || is_of_log(w.command)) {
      kept.push_back(std::move(w));
      continue;
    }
    ++taken_;
    queued_bytes_ -= w.bytes;
    refuse(w.command, why);
  }
  queue_ = std::move(kept);
  publish_queued();
}

void committer::fail(const error& outcome, const error& stopped) {
  stopped_ = stopped;
  if (stopped.code != errc::shutdown) { // before the answers leave
    world_.stopped.set(stopped.message);
    if (world_.standing != nullptr) world_.standing->halt(stopped);
  }
  in_round_ = false;
  is_copied_ = false;
  batch_.reset();
  answer_round(&outcome);
  if (barrier_ && barrier_->reply) barrier_->reply(std::unexpected(outcome));
  barrier_.reset();
  world_.queued = 0; // before the answers leave
  refuse_all(stopped);
}

void committer::refuse_all(const error& why) {
  auto queue = std::exchange(queue_, {});
  auto looks = std::exchange(looks_, {});
  taken_ += static_cast<std::int64_t>(queue.size());
  queued_bytes_ = 0;
  for (auto& w : queue) refuse(w.command, why);
  for (auto& look : looks) look.command.reply(std::unexpected(why));
}

} // namespace mneme
