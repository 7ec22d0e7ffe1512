// What each command comes to: the entries of a round, and its answer when that is published.

#include "state/commit/committer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/validate/validate.hpp"
#include "state/branch/branch_note.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/commit/busy.hpp"
#include "state/erasure/erase_field.hpp"
#include "state/erasure/execute_erase.hpp"
#include "state/erasure/purge.hpp"
#include "state/execute/cited_memories.hpp"
#include "state/execute/execute_chroma.hpp"
#include "state/execute/promote.hpp"
#include "state/execute/scoped_writes.hpp"
#include "state/execute/sight.hpp"
#include "state/retention/planned_trim.hpp"
#include "state/retention/trim_in_log.hpp"
#include "state/retention/trimming_note.hpp"
#include "views/scope_check.hpp"

namespace mneme {

namespace {

/// Whose command it is; "" = the host.
const std::string& acting_in(const tick_write& w) {
  if (const auto* m = std::get_if<scoped_mutation>(&w))
    return m->scope != nullptr ? m->scope->granted_to : acting_in(m->request);
  const auto of = [](const auto& r) -> const std::string& {
    return r.scope != nullptr ? r.scope->granted_to : r.actor;
  };
  if (const auto* r = std::get_if<attest_request>(&w)) return of(*r);
  return of(std::get<compact_request>(w));
}

/// 0 … count-1 by the actor's bytes; those of one actor stay in their order.
template <class ActorOf>
std::vector<std::size_t> by_actor(std::size_t count, const ActorOf& actor_of) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, actor_of);
  return order;
}

} // namespace

void committer::settle_touches() {
  if (!stands_alone(queue_.front().command) || touches_.is_empty()) return;
  queue_.push_front(
      {touch_command{.payload = touches_.take(), .reply = [](const result<seq_no>&) {}}, 0});
  --taken_; // looks behind the barrier stay behind it
}

void committer::execute_next(batch_state& batch, bool& durable) {
  commit_command command = take_front();
  if (const auto late = lateness_of(command)) return refuse(command, *late);
  const auto now = now_of(*clock_);
  if (!now) // The batch so far may hold what the answer should not overtake.
    return replies_.push_back([c = std::make_shared<commit_command>(std::move(command)),
                               own = now.error()](const error* e) { refuse(*c, e ? *e : own); });
  batch.now = *now;
  if (touches_.is_due(*now)) touch_late(batch);
  batch.in_time = {};
  batch.answers =
      answer_room(world_.max_answer_bytes,
                  "compact fewer memories at once, by in_context and load_bearing", "in_context");
  // A tick that has begun is executed whole.
  if (const auto until = deadline_of(command);
      until && !std::holds_alternative<tick_command>(command))
    batch.in_time = [this, until]() -> result<void> {
      if (auto late = lateness(until)) return std::unexpected(std::move(*late));
      return {};
    };
  std::visit(
      [&](auto& c) {
        // Barriers, looks and what is of the log have turns of their own.
        if constexpr (requires { this->execute_one(c, batch, durable); })
          execute_one(c, batch, durable);
      },
      command);
}

template <class Answer>
void committer::answer_later(std::function<void(result<Answer>)> reply, result<Answer> answer) {
  replies_.push_back([reply = std::move(reply), answer = std::move(answer)](const error* e) {
    if (e != nullptr)
      reply(std::unexpected(*e));
    else
      reply(answer);
  });
}

result<asker> committer::writer(const std::string& actor,
                                const std::shared_ptr<const scope>& within, batch_state& batch) {
  auto who = verify_asker(actor, within, batch.now, world_.views());
  if (!who || within == nullptr) return who;
  if (auto ok = validate_acting(who->name()); !ok)
    return mneme::fail(ok.error().code, ok.error().message, "scope.granted_to");
  if (within->writable) return who;
  violated(violation_of(*within, "a write"), batch);
  return mneme::fail(errc::scope_violation, "the scope is for reading only", "scope.writable");
}

void committer::violated(scope_violation_payload payload, batch_state& batch) {
  if (!violations_.take(payload.grantee, batch.now)) return;
  payload.nonce = ids_.draw_nonce();
  const std::string grantee = payload.grantee;
  append_agent_entry(batch, entry_kind::scope_violation, grantee, std::move(payload));
}

result<executed_command> committer::mutate(std::span<const mutation> items, bool is_batch,
                                           std::span<const prepared_ahead> ahead,
                                           const std::shared_ptr<const scope>& within,
                                           const asker& sight, batch_state& batch) {
  if (within != nullptr) {
    const std::string& actor = items.empty() ? within->granted_to : acting_in(items.front());
    auto who = writer(actor, within, batch);
    if (!who) return propagate(who);
    auto admitted = inside_scope(items, is_batch, *who, batch.records);
    if (!admitted) {
      if (admitted.error().code == errc::scope_violation)
        violated(violation_of(*within, admitted.error().message), batch);
      return propagate(admitted);
    }
    // Whoever writes through a scope that was granted to him sees what it opens.
    const bool is_granted_to_him = !sight.sees_all() && sight.name() == who->name();
    return execute_for(&*who, is_granted_to_him ? *who : sight, *admitted, is_batch, ahead, batch);
  }
  return execute_for(nullptr, sight, items, is_batch, ahead, batch);
}

result<executed_command> committer::execute_for(const asker* within, const asker& sight,
                                                std::span<const mutation> items, bool is_batch,
                                                std::span<const prepared_ahead> ahead,
                                                batch_state& batch) {
  const execution_seams seams{.embedder = world_.embedder.get(),
                              .tokens = world_.tokens.get(),
                              .within = within,
                              .room = &batch.room,
                              .sight = sight.sees_all() ? nullptr : &sight,
                              .in_time = &batch.in_time,
                              .pending = &batch.pending};
  auto done =
      execute(items, is_batch, batch.records, ids_, seams, batch.now, batch.last_seq(), ahead);
  if (!done) return done;
  batch.room.take(done->taken);
  if (batch.entries.empty())
    batch.entries = std::move(done->entries);
  else
    batch.entries.insert(batch.entries.end(), std::make_move_iterator(done->entries.begin()),
                         std::make_move_iterator(done->entries.end()));
  return done;
}

void committer::execute_one(mutate_command& c, batch_state& batch, bool& durable) {
  const std::size_t before = batch.entries.size();
  auto done = mutate(c.items, c.is_batch, c.ahead, c.scope, asker(c.in_sight_of), batch);
  if (!done) {
    durable |= batch.entries.size() > before; // a violation was journaled
    return answer_later<batch_result>(std::move(c.reply), propagate(done));
  }
  if (c.durability == durability::durable) durable = true;
  answer_later<batch_result>(std::move(c.reply), batch_result{.results = std::move(done->results),
                                                              .seq = batch.last_seq()});
}

result<mutation_result> committer::promote(const promote_request& r, const asker& sight,
                                           batch_state& batch) {
  if (auto ok = check_sight(r, sight, batch.records); !ok) return propagate(ok);
  auto update = promotion_of(r, batch);
  if (!update) return propagate(update);
  const mutation item = std::move(*update);
  auto done = execute_for(nullptr, sight, std::span(&item, 1), false, {}, batch);
  if (!done) return propagate(done);
  return std::move(done->results.front());
}

void committer::execute_one(promote_command& c, batch_state& batch, bool& durable) {
  auto done = promote(c.request, asker(c.in_sight_of), batch);
  if (done) durable = true;
  answer_later<mutation_result>(std::move(c.reply), std::move(done));
}

result<seq_no> committer::touch(entry_payload payload, batch_state& batch) {
  if (auto* violation = std::get_if<scope_violation_payload>(&payload)) {
    violated(std::move(*violation), batch);
    return batch.last_seq();
  }
  const dense_numbers taken = batch.records.most_taken_by(payload);
  if (auto ok = batch.room.check(taken); !ok) return propagate(ok);
  batch.room.take(taken);
  batch.entries.push_back(
      execute_touch(std::move(payload), batch.records, ids_, batch.now, batch.last_seq()));
  return batch.last_seq();
}

void committer::touch_late(batch_state& batch) {
  (void)touch(touches_.take(), batch); // lost where it has no room: nobody waits for it
}

void committer::execute_one(touch_command& c, batch_state& batch, bool& durable) {
  durable = true;
  answer_later<seq_no>(std::move(c.reply), touch(std::move(c.payload), batch));
}

void committer::execute_one(late_touch_command& c, batch_state& batch, bool&) {
  // Not durable by itself: whoever chose to batch touches can lose some.
  touches_.add(std::move(c.payload), c.asked_at);
  if (touches_.is_due(batch.now)) touch_late(batch);
}

result<attest_result> committer::attest(const attest_request& r, batch_state& batch) {
  if (auto ok = validate(r); !ok) return propagate(ok);
  auto who = writer(r.actor, r.scope, batch);
  if (!who) return propagate(who);
  std::string key = who->name();
  key.push_back('\0');
  key += r.intent_id;
  if (!attests_.take(key, batch.now))
    return mneme::fail(errc::rate_limited,
                       "an intent is attested once a second, five times at once", "intent_id");
  return execute_attest(r, *who, batch);
}

result<compact_result> committer::compact(const compact_request& r, batch_state& batch) {
  if (auto ok = validate(r); !ok) return propagate(ok);
  auto who = writer(r.actor, r.scope, batch);
  if (!who) return propagate(who);
  return execute_compact(r, *who, batch);
}

void committer::execute_one(attest_command& c, batch_state& batch, bool& durable) {
  auto done = attest(c.request, batch);
  durable = true;
  answer_later<attest_result>(std::move(c.reply), std::move(done));
}

void committer::execute_one(compact_command& c, batch_state& batch, bool& durable) {
  auto done = compact(c.request, batch);
  durable = true;
  answer_later<compact_result>(std::move(c.reply), std::move(done));
}

result<tick_write_answer> committer::write_of_tick(const tick_write& w,
                                                   std::span<const prepared_ahead> ahead,
                                                   const asker& sight, batch_state& batch) {
  if (batch.payload_bytes() > max_command_bytes)
    return mneme::fail(
        errc::limit_exceeded,
        fmt::format("the entries of a tick take at most {} MiB", max_command_bytes >> 20));
  if (batch.entries.size() > max_command_entries)
    return mneme::fail(errc::limit_exceeded,
                       fmt::format("a tick makes at most {} entries", max_command_entries));
  if (const auto* r = std::get_if<attest_request>(&w)) {
    auto done = attest(*r, batch);
    if (!done) return propagate(done);
    return std::move(*done);
  }
  if (const auto* r = std::get_if<compact_request>(&w)) {
    auto done = compact(*r, batch);
    if (!done) return propagate(done);
    return std::move(*done);
  }
  const auto& m = std::get<scoped_mutation>(w);
  auto done = mutate(std::span(&m.request, 1), false, ahead, m.scope, sight, batch);
  if (!done) return propagate(done);
  return std::move(done->results.front());
}

void committer::execute_one(tick_command& c, batch_state& batch, bool& durable) {
  const asker sight(c.in_sight_of);
  const std::span<const tick_write> writes = c.all_writes();
  if (auto ok = check_sight(writes, sight, batch.records); !ok)
    return answer_later<tick_commit>(std::move(c.reply), propagate(ok));
  dense_numbers by_touches{};
  for (const auto& t : c.touches) by_touches += batch.records.most_taken_by(t.payload);
  if (auto ok = batch.room.check(by_touches); !ok)
    return answer_later<tick_commit>(std::move(c.reply), propagate(ok));
  tick_commit answer;
  answer.touches.resize(c.touches.size());
  const auto actor_of_touch = [&](std::size_t i) -> const std::string& {
    return c.touches[i].actor;
  };
  for (const std::size_t i : by_actor(c.touches.size(), actor_of_touch)) {
    const auto touched = touch(std::move(c.touches[i].payload), batch);
    ensure(touched.has_value(), "there is room for all touches of a tick, or it is refused");
    answer.touches[i] = *touched;
  }
  answer.writes.resize(writes.size());
  const auto actor_of_write = [&](std::size_t i) -> const std::string& {
    return acting_in(writes[i]);
  };
  for (const std::size_t i : by_actor(writes.size(), actor_of_write))
    answer.writes[i] = write_of_tick(
        writes[i], c.ahead.empty() ? std::span<const prepared_ahead>{} : std::span(&c.ahead[i], 1),
        sight, batch);
  durable = true;
  answer.seq = batch.last_seq();
  answer_later<tick_commit>(std::move(c.reply), std::move(answer));
}

void committer::execute_one(embed_command& c, batch_state& batch, bool&) {
  // Not durable by itself: a vector that a crash takes is made again.
  const vector_space space =
      world_.embedder != nullptr ? world_.embedder->space() : batch.records.space();
  auto done = execute_embed(c.items, batch.records, space, batch.now, batch.last_seq(), batch.room);
  if (!done) return answer_later<seq_no>(std::move(c.reply), propagate(done));
  for (auto& e : *done) batch.entries.push_back(std::move(e));
  answer_later<seq_no>(std::move(c.reply), batch.last_seq());
}

void committer::execute_one(decay_command& c, batch_state& batch, bool& durable) {
  ensure(batch.entries.empty(), "a decay cycle stands alone");
  if (auto ok = validate_acting(c.actor); !ok)
    return answer_later<decay_result>(std::move(c.reply), propagate(ok));
  auto plan = plan_decay(world_.views(), world_.published_seq(), batch.now, batch.in_time);
  if (!plan) return answer_later<decay_result>(std::move(c.reply), propagate(plan));
  dense_numbers taken{};
  taken.signals = plan->payload.items.size();
  if (auto ok = batch.room.check(taken); !ok)
    return answer_later<decay_result>(std::move(c.reply), propagate(ok));
  plan->payload.actor = std::move(c.actor);
  batch.entries.push_back(
      execute_decay(std::move(plan->payload), ids_, batch.now, batch.last_seq()));
  durable = true;
  plan->counts.seq = batch.last_seq();
  answer_later<decay_result>(std::move(c.reply), plan->counts);
}

result<void> committer::note_branches(erase_result& answer) const {
  auto branches = reachable_branches(*world_.files, world_.directory, world_.info);
  if (!branches) return propagate(branches);
  for (auto& branch : *branches)
    if (branch.is_there) answer.branches.push_back(std::move(branch.path));
  return {};
}

/// Before an entry says that it was done.
result<void> committer::check_erasure() const {
  if (auto ok = world_.journal->may_erase(); !ok) return ok;
  return check_room(*world_.files, world_.directory, room_for_erasure(world_));
}

result<erase_result> committer::erase_field(const erase_request& r, kv_reader& session,
                                            batch_state& batch) {
  auto plan = plan_field_erasure(r, world_, session);
  if (!plan) return propagate(plan);
  if (plan->topics.empty() && !plan->erased_before)
    return mneme::fail(errc::not_found, "there is no such field of it", "field");
  erase_result answer = result_of(r, *plan);
  answer.seq = batch.last_seq();
  if (auto ok = note_branches(answer); !ok) return propagate(ok);
  if (r.dry_run || plan->topics.empty()) return answer;
  if (auto ok = check_erasure(); !ok) return propagate(ok);
  dense_numbers taken{};
  taken.slots = plan->topics.size();
  if (auto ok = batch.room.check(taken); !ok) return propagate(ok);
  auto entries =
      execute_field_erasure(r, *plan, world_, session, ids_, batch.now, batch.last_seq());
  if (!entries) return propagate(entries);
  answer.changed = true;
  batch.entries = std::move(*entries);
  answer.seq = batch.last_seq();
  return answer;
}

result<erase_result> committer::erase(const erase_request& r, batch_state& batch) {
  if (auto ok = validate(r); !ok) return propagate(ok);
  if (auto ok = check_place(*world_.files, world_.directory, world_.info.id); !ok)
    return propagate(ok);
  auto session = reader();
  if (!session) return propagate(session);
  if (r.field) return erase_field(r, **session, batch);
  auto plan = plan_erasure(r, world_.views(), **session, world_.published_seq(), batch.in_time);
  if (!plan) return propagate(plan);
  const bool has_none = plan->memories.empty() && plan->edges.empty();
  if (has_none && plan->erased_before.empty())
    return mneme::fail(errc::not_found, "nothing that is named is there",
                       r.owned_by ? "owned_by"
                       : r.source ? "source"
                                  : "ids");
  erase_result answer = result_of(*plan);
  answer.seq = batch.last_seq();
  if (auto ok = note_branches(answer); !ok) return propagate(ok);
  if (r.dry_run) return answer;
  if (has_none) {
    if (auto ok = settle_erasure_in_log(world_); !ok) return propagate(ok);
    return answer;
  }
  if (auto ok = check_erasure(); !ok) return propagate(ok);
  auto entries = execute_erase(r, *plan, ids_, batch.now, batch.last_seq());
  if (!entries) return propagate(entries);
  answer.changed = !entries->empty();
  batch.entries = std::move(*entries);
  answer.seq = batch.last_seq();
  return answer;
}

void committer::execute_one(erase_command& c, batch_state& batch, bool& durable) {
  ensure(batch.entries.empty(), "an erasure stands alone");
  auto done = erase(c.request, batch);
  if (done && !c.request.dry_run) durable = true;
  answer_later<erase_result>(std::move(c.reply), std::move(done));
}

result<void> committer::check_trim(const trim_command& c) {
  if (auto ok = world_.journal->may_trim(); !ok) return ok;
  if (auto ok = check_place(*world_.files, world_.directory, world_.info.id); !ok) return ok;
  if (trim_ != nullptr) return mneme::fail(errc::busy, "the world is being trimmed");
  if (world_.last_drop > c.planned_at.value)
    return mneme::fail(errc::busy, "something was erased or trimmed since this was planned");
  if (c.payload.before < world_.left_trim)
    return mneme::fail(errc::busy,
                       "a trim up to a later point is not finished: one up to there, or "
                       "the next open of the world, does the rest");
  ensure(c.payload.before.value > 1 && c.payload.before <= world_.published_seq().next(),
         "a trim is of what there is");
  auto is_named =
      is_named_since(*world_.files, world_.directory, world_.info.id, c.payload, c.planned_at);
  if (!is_named) return propagate(is_named);
  if (*is_named)
    return mneme::fail(errc::version_conflict,
                       "a version that goes was named meanwhile: try again");
  return check_room(*world_.files, world_.directory, room_for_erasure(world_));
}

result<void> committer::prepare_trim(journaled_trim by, running_trim::reply reply) {
  ensure(trim_ == nullptr && asked_trim_ == nullptr, "one trim goes on at a time");
  if (auto ok = write_trimming_note(*world_.files, world_.directory, by.at); !ok) {
    if (reply) answer_later<trim_end>(std::move(reply), propagate(ok));
    return ok;
  }
  // Whatever loses something is written no more.
  world_.journal->begin_segment();
  asked_trim_ = std::make_shared<running_trim>(world_, std::move(by), std::move(reply));
  replies_.push_back([this](const error* e) {
    auto asked = std::exchange(asked_trim_, nullptr);
    if (e != nullptr) return asked->answer(std::unexpected(*e));
    trim_ = std::move(asked);
  });
  return {};
}

void committer::execute_one(trim_command& c, batch_state& batch, bool& durable) {
  ensure(batch.entries.empty(), "a trim stands alone");
  const seq_no at = batch.last_seq().next();
  if (auto may = check_trim(c); !may)
    return answer_later<trim_end>(std::move(c.reply), propagate(may));
  c.payload.nonce = ids_.draw_nonce();
  if (!prepare_trim({.at = at, .trim = c.payload}, std::move(c.reply))) return;
  const std::string by = c.payload.actor;
  batch.entries.push_back(seal_entry({.seq = at,
                                      .kind = entry_kind::trim,
                                      .created_at = batch.now,
                                      .created_by = by,
                                      .leaves = {},
                                      .payload_hash = {}},
                                     std::move(c.payload)));
  durable = true;
}

result<void> committer::adopt_trim(running_trim::batches missed) {
  ensure(trim_ != nullptr && !in_round_ && !imaged_,
         "what is copied is adopted between two rounds");
  reader_ = nullptr; // of the store as it was
  return trim_->adopt(missed);
}

void committer::execute_one(snapshot_command& c, batch_state& batch, bool& durable) {
  if (auto ok = validate_snapshot(c.reason, c.actor); !ok)
    return answer_later<snapshot_result>(std::move(c.reply), propagate(ok));
  // A snapshot stands alone, so the ledger is exactly at the published seq.
  const root_set roots = world_.ledger->roots();
  ensure(roots.seq == world_.published_seq() && batch.entries.empty(), "a snapshot stands alone");
  batch.entries.push_back(
      execute_snapshot(roots, std::move(c.reason), c.actor,
                       {{"edges", world_.graph.edge_count()}, {"nodes", world_.nodes.size()}},
                       ids_.draw_nonce(), batch.now));
  durable = true;
  answer_later<snapshot_result>(
      std::move(c.reply),
      snapshot_result{.manifest = std::get<snapshot_payload>(batch.entries.back().payload).manifest,
                      .seq = roots.seq.next()});
}

} // namespace mneme
