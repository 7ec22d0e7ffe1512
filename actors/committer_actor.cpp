#include "actors/committer_actor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/erasure/purge.hpp"
#include "state/retention/retention_rule.hpp"

namespace mneme {

namespace {

/// Relaxed writes alone must not keep the store's stable seq back for ever: what a checkpoint could
/// not take stays in its cache.
constexpr std::uint64_t max_unsynced_bytes = 4ULL << 20;

constexpr std::string_view no_reads = "reads fail too, since the store has stopped";
constexpr std::string_view most_reads = "reads go on, but for proofs and earlier roots";
constexpr std::string_view plain_reads =
    "reads go on, but for those by words and vectors, proofs and earlier roots";

/// What every write gets from now on. Rows are read from the store, so they go when it does.
error stopped_by(const error& cause, std::string_view reads) {
  return {errc::io,
          fmt::format("the engine takes no more writes since something failed ({}); {}; close and "
                      "open it again to recover",
                      cause.message, reads),
          {}};
}

outcome outcome_of(const result<void>& done) {
  return done ? outcome{} : outcome{done.error()};
}

} // namespace

committer_actor::committer_actor(caf::actor_config& config, std::shared_ptr<world> w,
                                 engine_actors owners, const actor_options& options)
    : caf::event_based_actor(config),
      world_(std::move(w)),
      owners_(std::move(owners)),
      options_(options),
      core_(std::in_place, *world_, options.queries.time, options.random, options.commits),
      durable_(world_->published_seq()),
      synced_bytes_(world_->journal->bytes()),
      checkpointed_bytes_(world_->journal->bytes()) {
  world_->feed.durable_through(durable_);
  if (owners_.retention) looked_at_bytes_ = looked_at_bytes(*world_->files, world_->directory);
}

caf::behavior committer_actor::make_behavior() {
  return {
      [this](const commit_request& m) {
        core_->enqueue(std::move(*m.command));
        go_on();
      },
      [this](const begin_round&) {
        ensure(std::exchange(goes_on_, false),
               "a round begins once for each time it was asked for");
        pump();
      },
      [this](const sync_appended&) {
        const auto synced = sync();
        // After a failed fsync the frame may or may not be found by the next open.
        arrived(outcome_of(synced));
      },
      [this](const join_embedder& m) {
        ensure(!embedder_, "an engine has one embedder at most");
        embedder_ = m.embedder;
        embeds_ = !world_->follows();
      },
  };
}

void committer_actor::on_exit() {
  embedder_ = nullptr; // which has a handle of this actor
  if (world_ != nullptr) world_->closes = true;
  const error ended{errc::shutdown, "the engine has ended", {}};
  for (auto& barrier : std::exchange(deferred_, {}))
    if (barrier.reply) barrier.reply(std::unexpected(ended));
  // The journal may have the batch already.
  const error unknown{errc::outcome_unknown, "the engine ended before the write was completed", {}};
  core_->fail(batch_ ? unknown : ended, ended);
  // Whoever waits for the engine's end opens the world again; this actor may be freed after that.
  core_.reset();
  world_ = nullptr;
}

/// Requests that never time out. What is to be done is held in a function: CAF's templates are
/// instantiated once, not for each lambda.
template <class Message>
void committer_actor::ask(const caf::actor& to, Message message, on_outcome then, on_error lost) {
  request(to, caf::infinite, std::move(message)).then(std::move(then), std::move(lost));
}

/// An owner that is gone is a failure like any other.
template <class Message>
void committer_actor::ask(const caf::actor& to, Message message, on_outcome then) {
  ask(to, std::move(message), std::move(then), owner_lost());
}

committer_actor::on_error committer_actor::owner_lost() {
  return [this](const caf::error& e) {
    arrived({error{errc::shutdown, "an owner has ended: " + system().render(e), {}}});
  };
}

/// What waits in the mailbox comes first, so that it shares the round.
void committer_actor::go_on() {
  if (goes_on_ || core_->in_round() || core_->is_stopped()) return;
  if (core_->queued() == 0) return pump();
  goes_on_ = true;
  send(this, begin_round{});
}

void committer_actor::pump() {
  if (core_->in_round() || core_->is_stopped()) return;
  // For want of room they may be there still: before more come, what waits looks again.
  if (rows_lack_room_ && core_->queued() > 0 && has_far_too_many_rows()
      && !std::exchange(goes_on_without_room_, false))
    flush_if_due();
  if (flushing_ && has_far_too_many_rows()) return; // until the files have some of them
  settle_compaction();
  settle_trim();
  if (core_->is_stopped()) return;
  // Whatever it is beside goes on when it ends.
  if (core_->is_erasure_next() && (checkpointing_ || flushing_ || makes_copies())) return;
  if (core_->needs_all_indexes())
    if (const auto there = world_->wait_for_late(); !there) late_problem_ = there.error();
  // A store that has stopped would fail the next batch after the journal has it.
  if (stop_with_derived()) return;
  auto round = core_->next_round();
  if (core_->is_stopped()) return refuse_deferred(); // the log is not what this is a copy of
  // Executing reads: it may have met the damage, and nothing has reached the journal yet.
  if (stop_with_derived()) return;
  tell_embedder_of_lead();
  if (round.batch != nullptr)
    begin_batch(std::move(round.batch), round.copied.get());
  else if (round.copied != nullptr)
    begin_copied_seal(*round.copied);
  else if (round.sync)
    begin_sync();
  else if (round.barrier)
    begin_barrier();
  else if (round.again)
    go_on();
  else
    settle_trim(); // who has just taken the lead may have one to finish
}

void committer_actor::expect(int answers) {
  ensure(core_->in_round(), "answers are waited for in a round");
  ensure(waiting_for_ == 0, "the round before has all its answers");
  problem_.reset();
  waiting_for_ = answers;
}

void committer_actor::begin_copied_seal(const log_frame& seal) {
  if (auto appended = world_->journal->append_copy(seal); !appended)
    return not_appended(appended.error());
  core_->complete();
  go_on();
}

void committer_actor::begin_batch(std::shared_ptr<const commit_batch> batch,
                                  const log_frame* copied) {
  ensure(batch_ == nullptr, "one batch is in flight at a time");
  ensure(batch->last_seq.value == world_->published_seq().value + batch->entries.size(),
         "a batch follows what is published");
  settle();
  batch_ = std::move(batch);
  // What is in the log is durable; the copy of it is brought to the disk from time to time, and
  // before it loses what a trim names.
  const bool is_trim = batch_->entries.back().header.kind == entry_kind::trim;
  const bool wants_sync = batch_->durable && (is_trim || !world_->journal->is_led());
  syncs_batch_ = wants_sync || world_->journal->bytes() - synced_bytes_ >= max_unsynced_bytes;
  ensure(world_->ledger->roots().seq == world_->published_seq(),
         "the ledger stands at the published seq between batches");
  // The ledger is idle between batches, so its root is the one after the last frame.
  const digest previous_root = world_->ledger->roots().overall;
  if (options_.bugs.reply_before_publish) core_->testing_reply_early();
  const bool is_small = batch_->entries.size() <= options_.entries_applied_here;
  // As journal::append() has it: a copy tells what is half erased from what was never whole.
  if (copied != nullptr && batch_->entries.back().header.kind == entry_kind::erase)
    if (auto synced = sync(); !synced) return failed(synced.error(), errc::outcome_unknown);
  const auto& standing = world_->standing;
  const std::int64_t asked_at = standing == nullptr ? 0 : standing->now();
  // Nobody else has it before the journal: what finds no room there is nowhere.
  auto appended = copied != nullptr ? world_->journal->append_copy(*copied)
                                    : world_->journal->append(batch_->entries, previous_root);
  if (!appended) return not_appended(appended.error());
  if (copied == nullptr && standing != nullptr) standing->took(asked_at);
  expect(is_small ? 2 : 7);
  if (syncs_batch_)
    send(this, sync_appended{});
  else
    arrived({});
  if (is_small)
    arrived(apply_here());
  else
    ask_owners();
}

void committer_actor::begin_sync() {
  ensure(batch_ == nullptr, "a sync alone has no batch");
  if (auto synced = sync(); !synced) return failed(synced.error(), errc::outcome_unknown);
  durable_through(world_->published_seq());
  world_->feed.durable_through(durable_);
  core_->complete();
  world_->feed.ring();
  advance_stable_to(durable_);
  go_on();
}

/// A failed append is a failed write: nothing of it is there, unless a log does not say whether it
/// is. Where room that was reserved is no more, or the log is away or does not keep what it says it
/// has, the next one tries again.
void committer_actor::not_appended(const error& cause) {
  if (follows_again(cause, true)) {
    batch_.reset();
    return go_on();
  }
  const bool is_of_log =
      world_->journal->is_led() && (cause.code == errc::busy || cause.code == errc::unsupported);
  if (is_of_log && world_->standing != nullptr) world_->standing->is_away(cause.message);
  if (!is_of_log && cause.code != errc::disk_full)
    return failed(cause, cause.code == errc::outcome_unknown ? errc::outcome_unknown : errc::io);
  batch_.reset();
  if (cause.code == errc::disk_full)
    core_->refuse_round(lack_of_room("the write was not completed", cause));
  else
    core_->refuse_round({cause.code, "nothing was written: " + cause.message, {}});
  go_on();
}

/// The copy is whole in any case: a frame goes to the log first. One that nobody can say of whether
/// it is there comes back from the log if it is.
bool committer_actor::follows_again(const error& cause, bool is_of_round) {
  const auto& standing = world_->standing;
  if (standing == nullptr || !standing->returns() || !world_->journal->is_refused()) return false;
  if (cause.code != errc::read_only && cause.code != errc::outcome_unknown) return false;
  const error outcome{cause.code, "the write was not completed: " + cause.message, {}};
  core_->yield(is_of_round ? &outcome : nullptr);
  return true;
}

result<void> committer_actor::sync() {
  return options_.bugs.skip_fsync ? result<void>() : world_->journal->sync();
}

/// Every owner takes the batch in this actor's turn: waking them would take longer. They rest
/// between batches, and answer nobody else.
outcome committer_actor::apply_here() {
  if (auto rooted = apply_to_ledger(*world_, batch_->entries); !rooted) return {rooted.error()};
  if (auto stored = world_->store->apply(batch_->writes, batch_->last_seq); !stored)
    return {stored.error()};
  apply_to_indexes(*world_, batch_->deltas);
  return {};
}

void committer_actor::ask_owners() {
  ask_owner(owners_.ledger);
  ask_owner(owners_.store);
  ask_owner(owners_.graph);
  ask_owner(owners_.lexical);
  ask_owner(owners_.vectors);
  ask_owner(owners_.attributes);
}

void committer_actor::ask_owner(const caf::actor& owner) {
  ask(owner, apply_batch{batch_}, [this](const outcome& o) { arrived(o); });
}

void committer_actor::arrived(const outcome& o) {
  if (o.problem && !problem_) problem_ = o.problem;
  ensure(waiting_for_ > 0, "each owner answers a round once");
  if (--waiting_for_ > 0) return;
  if (problem_) return failed(*problem_, errc::outcome_unknown);
  finish_batch();
}

void committer_actor::finish_batch() {
  ensure(batch_ != nullptr && waiting_for_ == 0, "a batch is finished when all have it");
  ensure(world_->ledger->roots().seq == batch_->last_seq, "the ledger has the batch");
  const seq_no last = batch_->last_seq;
  if (syncs_batch_) durable_through(last);
  if (const auto erased = erased_by(*batch_); !erased.empty())
    if (auto ok = finish_batch_of_erasure(erased); !ok)
      return failed(ok.error(), errc::outcome_unknown);
  // What is in a log is durable, whenever its copy here is.
  const bool is_in_log = world_->journal->is_led() || world_->follows();
  world_->feed.durable_through(is_in_log ? last : durable_);
  core_->complete();
  world_->feed.ring();
  // An erasure has more to say to the log than the frame, and may have learned from it.
  if (world_->journal->is_refused() && world_->standing->returns()) core_->yield(nullptr);
  announce_contents(); // published: the embedder reads what it is told of
  const auto& trim = core_->trim_in_progress();
  if (copies_ || (trim != nullptr && trim->takes_batches())) missed_.push_back(batch_);
  batch_.reset();
  advance_stable_to(durable_);
  checkpoint_if_due();
  look_at_history_if_due();
  compact_if_due();
  flush_if_due();
  go_on();
}

/// Before it is answered. Other writes wait meanwhile.
result<void> committer_actor::finish_batch_of_erasure(const erased_parts& erased) {
  ensure(!checkpointing_ && !flushing_ && !makes_copies(), "an erasure goes on alone");
  if (auto ok = finish_erasure(*world_, erased, [this] { core_->publish(); }); !ok) return ok;
  durable_through(world_->published_seq());
  return {};
}

/// Tells the embedder which contents of the batch came without a vector.
void committer_actor::announce_contents() {
  if (!embedder_ || world_->follows()) return;
  auto ids = std::make_shared<std::vector<memory_id>>();
  for (const auto& d : batch_->deltas) {
    const bool lacks_vector = (d.version != nullptr || d.is_embedding) && d.vector == nullptr;
    if (lacks_vector || (d.restores && !d.head->embedding)) ids->push_back(d.head->id);
  }
  if (!ids->empty()) send(embedder_, contents_to_embed{std::move(ids)});
}

void committer_actor::tell_embedder_of_lead() {
  if (!embedder_) return;
  const bool leads = !world_->follows();
  if (leads && !embeds_) send(embedder_, contents_to_embed{nullptr});
  embeds_ = leads;
}

void committer_actor::failed(const error& cause, errc outcome_code) {
  ensure(core_->in_round(), "only a round that is in progress fails");
  waiting_for_ = 0;
  batch_.reset();
  const auto store_problem = world_->store->stopped();
  core_->fail({outcome_code, "the write was not completed: " + cause.message, {}},
              stopped_by(store_problem.value_or(cause), store_problem ? no_reads : most_reads));
  refuse_deferred();
}

/// Refuses what waits and what comes if the store has stopped or takes no rows, or an index that
/// was to come late does not; true then.
bool committer_actor::stop_with_derived() {
  const std::array<std::pair<std::optional<error>, std::string_view>, 3> problems = {
      {{world_->store->stopped(), no_reads},
       {flush_problem_, most_reads},
       {late_problem_, plain_reads}}};
  for (const auto& [problem, reads] : problems) {
    if (!problem) continue;
    const error stopped = stopped_by(*problem, reads);
    core_->fail(stopped, stopped);
    refuse_deferred();
    return true;
  }
  return false;
}

/// After the end of writing: what waits for copies of the indexes waits for nothing, since they are
/// put in place no more. Copies and checkpoints that are still away see to it when they come back.
void committer_actor::refuse_deferred() {
  ensure(core_->is_stopped(), "barriers are refused by a core that has stopped");
  missed_.clear();
  if (!copies_are_away_) copies_ = nullptr;
  if (is_trimming() && !trim_is_away_) end_trim(std::unexpected(core_->why_stopped()));
  if (!makes_copies() && !checkpointing_) enqueue_deferred();
}

void committer_actor::durable_through(seq_no seq) {
  ensure(seq >= durable_, "what is durable stays so");
  durable_ = seq;
  synced_bytes_ = world_->journal->bytes();
}

void committer_actor::advance_stable_to(seq_no seq) {
  if (checkpointing_ || seq.value == 0) return;
  ensure(seq <= durable_, "the store's stable seq is never beyond what is durable");
  // A failure shows again, and for good, at the next apply.
  static_cast<void>(world_->store->set_stable(seq));
}

void committer_actor::checkpoint_if_due() {
  if (options_.checkpoint_journal_bytes == 0 || checkpointing_) return;
  const std::uint64_t bytes = world_->journal->bytes();
  // What was made anew for want of images is not made again.
  const bool writes_missing = world_->lacks_images && !std::exchange(wrote_missing_, true);
  if (!writes_missing
      && bytes - checkpointed_bytes_
             < journal_between_checkpoints(*world_, options_.checkpoint_journal_bytes))
    return;
  checkpointed_bytes_ = bytes;
  core_->enqueue(checkpoint_command{});
}

void committer_actor::look_at_history_if_due() {
  if (!owners_.retention || world_->follows()) return;
  if (!is_worth_a_look(world_->journal->bytes(), looked_at_bytes_)) return;
  looked_at_bytes_ = world_->journal->bytes();
  request(owners_.retention, caf::infinite, look_at_history{})
      .then(
          [this](const history_look& found) {
            if (found.trim == nullptr) return;
            core_->enqueue(std::move(*found.trim));
            go_on();
          },
          [](const caf::error&) {}); // with the actor: nothing is trimmed
}

/// One that found no room is tried again before the journal is as much longer as for the next.
void committer_actor::checkpoint_again() {
  constexpr std::uint64_t tries = 16;
  const std::uint64_t wait =
      journal_between_checkpoints(*world_, options_.checkpoint_journal_bytes) / tries * (tries - 1);
  checkpointed_bytes_ -= std::min(checkpointed_bytes_, wait);
}

void committer_actor::begin_barrier() {
  ensure(batch_ == nullptr, "a barrier is between two batches");
  ensure(deferred_.empty() || checkpointing_ || makes_copies(),
         "barriers wait for a checkpoint, a compaction or a trim alone");
  const seq_no seq = world_->published_seq();
  if (core_->is_at_last_barrier()) world_->closes = true;
  if (checkpointing_ || makes_copies()) {
    deferred_.push_back(core_->defer_barrier());
    return go_on();
  }
  if (seq.value == 0 || (seq.value == world_->checkpoint_seq && !world_->lacks_images)) {
    core_->passed_barrier()(seq);
    return go_on();
  }
  const bool writes_images = !core_->is_at_last_barrier() || is_worth_a_checkpoint(*world_);
  auto sealed = world_->journal->append_seal(world_->ledger->roots().overall);
  if (!sealed && follows_again(sealed.error(), false)) sealed = {}; // and the seal is another's
  const bool has_room = sealed || sealed.error().code != errc::disk_full;
  // Without a seal what was written is there all the same, and is made durable.
  if (sealed || !has_room) sealed = world_->journal->sync();
  if (!sealed) return failed(sealed.error(), errc::io);
  durable_through(seq);
  world_->feed.durable_through(seq);
  world_->feed.ring();
  if (!has_room) return barrier_without_room(seq);
  if (writes_images) return begin_checkpoint(seq);
  core_->passed_barrier()(seq);
  go_on();
}

/// To close is no less possible on a full disk: the next open reads more of the journal.
void committer_actor::barrier_without_room(seq_no seq) {
  const bool is_last = core_->is_at_last_barrier();
  const error full =
      lack_of_room("the checkpoint was not written", {errc::disk_full, "journal", {}});
  if (!is_last) world_->found_no_room(full.message);
  const auto reply = core_->passed_barrier();
  if (is_last)
    reply(seq);
  else
    reply(std::unexpected(full));
  go_on();
}

void committer_actor::begin_checkpoint(seq_no seq) {
  settle();
  ensure(!std::exchange(checkpointing_, true), "one checkpoint is written at a time");
  if (auto stable = world_->store->set_stable(seq); !stable)
    return failed(stable.error(), errc::io);
  expect(1);
  request(owners_.ledger, caf::infinite, freeze_ledger{})
      .then(
          [this](const frozen_ledger_reply& frozen) {
            write_checkpoint_at_barrier(*frozen.snapshot);
          },
          owner_lost());
}

void committer_actor::write_checkpoint_at_barrier(ledger_snapshot& ledger) {
  ensure(checkpointing_, "images are of a checkpoint");
  ensure(std::exchange(waiting_for_, 0) == 1, "the ledger is frozen once");
  auto job = std::make_shared<const checkpoint_job>(core_->job_at_barrier(std::move(ledger)));
  const seq_no seq = job->file.seq;
  ensure(seq == durable_, "a checkpoint is of what is durable");
  const bool is_last = core_->is_at_last_barrier();
  auto reply = core_->passed_barrier();
  ask(
      owners_.checkpointer, run_checkpoint{job},
      [this, seq, reply, is_last](const outcome& o) {
        const bool is_full = o.problem && o.problem->code == errc::disk_full;
        if (!o.problem) world_->checkpoint_seq = seq.value;
        if (is_full) checkpoint_again();
        checkpoint_written();
        if (o.problem && !(is_full && is_last))
          reply(std::unexpected(*o.problem));
        else
          reply(seq);
      },
      [this, reply](const caf::error& e) {
        checkpoint_written();
        reply(mneme::fail(errc::shutdown, "the checkpoint was not written: " + system().render(e)));
      });
  go_on();
}

void committer_actor::checkpoint_written() {
  ensure(std::exchange(checkpointing_, false), "a checkpoint ends once");
  if (batch_ == nullptr && waiting_for_ == 0) settle();
  core_->release_window();
  advance_stable_to(durable_);
  enqueue_deferred();
  go_on();
}

/// The ledger rests.
void committer_actor::settle() {
  if (checkpointing_ || !world_->fresh_images) return;
  send(owners_.checkpointer, free_files{std::make_shared<leaf_layers>(settle_leaves(*world_))});
}

void committer_actor::enqueue_deferred() {
  for (auto& barrier : std::exchange(deferred_, {})) core_->enqueue(std::move(barrier));
}

bool committer_actor::has_far_too_many_rows() const {
  return world_->store->buffered_bytes() > 4 * world_->row_buffer_bytes;
}

/// A checkpoint gives all rows to the files anyway. Copies of the indexes do not stand in the way:
/// where memories are updated all the time they are made all the time.
void committer_actor::flush_if_due() {
  if (flushing_ || checkpointing_ || !needs_flush(*world_)) return;
  flushing_ = true;
  ask(
      owners_.checkpointer, run_flush{}, [this](const outcome& o) { flushed(o.problem); },
      [this](const caf::error&) { flushed({}); }); // with the checkpointer: so does this
}

void committer_actor::flushed(std::optional<error> problem) {
  ensure(std::exchange(flushing_, false), "a flush ends once");
  rows_lack_room_ = problem && problem->code == errc::disk_full;
  // Rows wait in memory for room, as many as may.
  if (rows_lack_room_ && has_far_too_many_rows() && !core_->in_round() && !core_->is_stopped()) {
    core_->refuse_waiting(lack_of_room("the write was not begun", *problem));
    goes_on_without_room_ = core_->queued() > 0; // barriers, which bring no rows
  }
  if (problem && !rows_lack_room_) flush_problem_ = std::move(problem);
  go_on();
}

void committer_actor::compact_if_due() {
  if (makes_copies() || checkpointing_) return;
  // A run that must repeat does not depend on when another thread is done.
  if (options_.compacts_in_turn) return compact_if_needed(*world_, world_->published_seq());
  const compaction_need need = needed_compaction(*world_, world_->published_seq());
  if (!need.any()) return;
  core_->hold_window();
  copies_ = std::make_shared<index_compaction>(*world_, need, world_->published_seq());
  hand_over_copies();
}

void committer_actor::hand_over_copies() {
  ensure(copies_ && !std::exchange(copies_are_away_, true), "one has the copies at a time");
  auto batches = std::make_shared<const std::vector<std::shared_ptr<const commit_batch>>>(
      std::exchange(missed_, {}));
  ask(
      owners_.checkpointer, run_compaction{copies_, std::move(batches)},
      [this](const outcome&) { copies_are_back(); },
      [this](const caf::error&) { // with the checkpointer: the indexes stay what they are
        copies_ = nullptr;
        copies_are_back();
      });
}

void committer_actor::copies_are_back() {
  ensure(std::exchange(copies_are_away_, false), "the copies come back once");
  core_->release_window(); // they are built
  if (core_->is_stopped()) copies_ = nullptr;
  if (!copies_) enqueue_deferred();
  go_on();
}

/// Between two rounds: the copies take the place of the indexes if little is missing.
void committer_actor::settle_compaction() {
  ensure(!core_->in_round(), "indexes are replaced between two rounds");
  if (!copies_ || copies_are_away_) return;
  std::size_t missing = 0;
  for (const auto& batch : missed_) missing += batch->entries.size();
  if (!copies_->is_close(missing)) return hand_over_copies();
  copies_->catch_up(std::exchange(missed_, {}));
  copies_->adopt(*world_);
  send(owners_.checkpointer, free_indexes{std::exchange(copies_, nullptr)});
  enqueue_deferred();
}

/// Images and copies of before end first: they are of what it is going to replace.
void committer_actor::settle_trim() {
  ensure(!core_->in_round(), "copies are adopted between two rounds");
  if (!is_trimming() || trim_is_away_ || checkpointing_ || copies_) return;
  running_trim& trim = *core_->trim_in_progress();
  if (const auto why = std::exchange(trim_problem_, std::nullopt)) return leave_trim(*why);
  if (trim.is_rewritten() && trim.is_of_log_alone()) {
    end_trim({});
    return enqueue_deferred();
  }
  if (trim.is_rewritten()) trim.begin_copies(world_->published_seq());
  std::size_t missing = 0;
  for (const auto& batch : missed_) missing += batch->entries.size();
  if (!trim.is_close(missing)) return hand_over_trim(trim.is_copied());
  if (!flushing_) adopt_trim(); // a flush that ends comes by here
}

void committer_actor::hand_over_trim(bool with_batches) {
  ensure(!std::exchange(trim_is_away_, true), "one goes on with a trim at a time");
  std::vector<std::shared_ptr<const commit_batch>> batches;
  if (with_batches) batches.swap(missed_);
  ask(
      owners_.checkpointer,
      run_trim{core_->trim_in_progress(),
               std::make_shared<const std::vector<std::shared_ptr<const commit_batch>>>(
                   std::move(batches))},
      [this](const outcome& o) { trim_is_back(o); },
      [this](const caf::error& e) {
        trim_is_back(
            {error{errc::shutdown, "the checkpointer has ended: " + system().render(e), {}}});
      });
}

void committer_actor::trim_is_back(const outcome& o) {
  ensure(std::exchange(trim_is_away_, false), "a trim comes back once");
  trim_problem_ = o.problem;
  if (!core_->is_stopped()) return go_on();
  end_trim(std::unexpected(core_->why_stopped()));
  enqueue_deferred();
}

void committer_actor::adopt_trim() {
  const auto missed = std::exchange(missed_, {});
  if (auto ok = core_->adopt_trim(missed); !ok) {
    const error stopped = stopped_by(ok.error(), most_reads);
    core_->fail(stopped, stopped);
    return refuse_deferred();
  }
  durable_through(world_->published_seq());
  advance_stable_to(durable_);
  checkpointed_bytes_ = looked_at_bytes_ = world_->journal->bytes();
  auto trim = core_->end_trim();
  send(owners_.checkpointer, free_files{trim->take_old_files()});
  // The next open begins there, and not with the journal's first entry.
  core_->enqueue(checkpoint_command{.reply = [trim](const result<seq_no>&) { trim->answer({}); }});
  enqueue_deferred();
}

/// The world goes on as it is, and the next open does the rest.
void committer_actor::leave_trim(const error& why) {
  core_->trim_in_progress()->leave();
  checkpointed_bytes_ = std::min(checkpointed_bytes_, world_->journal->bytes());
  synced_bytes_ = std::min(synced_bytes_, world_->journal->bytes());
  end_trim(
      mneme::fail(why.code, "the trim is finished when the world is opened next: " + why.message));
  enqueue_deferred();
}

void committer_actor::end_trim(const result<void>& how) {
  missed_.clear();
  if (const auto trim = core_->end_trim()) trim->answer(how);
}

} // namespace mneme
