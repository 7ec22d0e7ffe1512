// Messages that become commands for the committer, and the engine's end.

#include <utility>

#include "actors/host_requests.hpp"
#include "actors/pending_answer.hpp"
#include "query/asked_bytes.hpp"
#include "views/scope_check.hpp"

namespace mneme {

namespace {

/// The place is free when the command is answered.
void leave_when_answered(commit_command& command, const in_flight::place_pointer& place) {
  std::visit(
      [&](auto& c) {
        if constexpr (requires { c.run; })
          c.run = [place, run = std::move(c.run)](world& w) {
            place->leave();
            run(w);
          };
        c.reply = [place, reply = std::move(c.reply)](auto answer) {
          place->leave();
          reply(std::move(answer));
        };
      },
      command);
}

} // namespace

void host_requests::commit(caf::actor_id from, commit_command command) const {
  const auto refuse = [&](const error& why) {
    std::visit([&](auto& c) { c.reply(std::unexpected(why)); }, command);
  };
  if (!life_->is_open()) return refuse(was_closed);
  if (is_bounded(command)) {
    const auto place = writes_.enter(bytes_of(command));
    if (!place) return refuse(place.error());
    leave_when_answered(command, *place);
  }
  hand_over_from(*engine_, from, std::move(command));
}

template <class Command>
void host_requests::commit_by(caf::actor_id from, Command command,
                              std::optional<std::int64_t> deadline_ms) const {
  auto deadline = deadline_in(*engine_, deadline_ms);
  if (!deadline) return command.reply(propagate(deadline));
  command.deadline = *deadline;
  commit(from, std::move(command));
}

void host_requests::note_violation(const error& e, const read_options& asked,
                                   const std::string& target) const {
  if (e.code != errc::scope_violation || asked.scope == nullptr || !life_->is_open()) return;
  hand_over(*engine_,
            touch_command{violation_of(*asked.scope, target), [](const result<seq_no>&) {}});
}

void host_requests::write(caf::actor_id from, std::vector<mutation> items, bool is_batch,
                          durability d, std::shared_ptr<const scope> within,
                          std::optional<std::int64_t> deadline_ms,
                          std::optional<std::string> in_sight_of,
                          std::function<void(result<batch_result>)> reply) const {
  auto deadline = deadline_in(*engine_, deadline_ms);
  if (!deadline) return reply(propagate(deadline));
  auto similar = similar_asked_by(items, within, in_sight_of);
  if (!similar.empty() && life_->is_open())
    reply = with_similar_topics(std::move(similar), std::move(reply));
  commit(from, mutate(std::move(items), is_batch, d, std::move(within), *deadline,
                      std::move(in_sight_of), {}, std::move(reply)));
}

std::function<void(result<batch_result>)>
host_requests::with_similar_topics(std::vector<asked_similar> similar,
                                   std::function<void(result<batch_result>)> reply) const {
  return [engine = engine_, before = engine_->state->published_seq(), similar = std::move(similar),
          reply = std::move(reply)](result<batch_result> done) {
    if (!done) return reply(std::move(done));
    auto answer = std::make_shared<pending_answer<batch_result>>(std::move(*done), reply);
    hand_over_read(*engine, [engine, before, similar, answer] {
      for (const auto& asked : similar)
        add_similar(answer->value.results[asked.item], asked, before, engine->state->views());
    });
  };
}

host_promise<mutation_result> host_requests::apply(const apply_message& m) const {
  auto pending = self_->make_response_promise<mutation_result>();
  write(sender_of(pending), {m.request}, false, m.durability, m.scope, m.deadline_ms, m.in_sight_of,
        [reply = keeping<mutation_result>(pending)](result<batch_result> r) {
          if (r)
            reply(std::move(r->results.front()));
          else
            reply(propagate(r));
        });
  return pending;
}

host_promise<batch_result> host_requests::batch(const batch_message& m) const {
  auto pending = self_->make_response_promise<batch_result>();
  write(sender_of(pending), m.items, true, m.durability, m.scope, m.deadline_ms, m.in_sight_of,
        keeping<batch_result>(pending));
  return pending;
}

host_promise<mutation_result> host_requests::promote(const promote_message& m) const {
  auto pending = self_->make_response_promise<mutation_result>();
  commit_by(sender_of(pending),
            promote_command{m.request, keeping<mutation_result>(pending), {}, m.in_sight_of},
            m.deadline_ms);
  return pending;
}

host_promise<decay_result> host_requests::decay(const decay_message& m) const {
  auto pending = self_->make_response_promise<decay_result>();
  commit_by(sender_of(pending), decay_command{m.actor, keeping<decay_result>(pending)},
            m.deadline_ms);
  return pending;
}

host_promise<erase_result> host_requests::erase(const erase_message& m) const {
  auto pending = self_->make_response_promise<erase_result>();
  commit_by(sender_of(pending), erase_command{m.request, keeping<erase_result>(pending)},
            m.deadline_ms);
  return pending;
}

host_promise<attest_result> host_requests::attest(const attest_message& m) const {
  auto pending = self_->make_response_promise<attest_result>();
  commit_by(sender_of(pending), attest_command{m.request, keeping<attest_result>(pending)},
            m.deadline_ms);
  return pending;
}

host_promise<compact_reply> host_requests::compact(const compact_message& m) const {
  auto pending = self_->make_response_promise<compact_reply>();
  commit_by(sender_of(pending), compact_command{m.request, sharing<compact_result>(pending)},
            m.deadline_ms);
  return pending;
}

host_promise<tick_reply> host_requests::tick(const tick_message& m) const {
  auto pending = self_->make_response_promise<tick_reply>();
  auto reply = sharing<tick_result>(pending);
  std::uint64_t bytes = asked_bytes(m.request->reads);
  for (const auto& w : m.request->writes) bytes += bytes_of(w);
  auto place = enter(bytes);
  const auto deadline = deadline_in(*engine_, m.request->deadline_ms);
  if (!place)
    reply(propagate(place));
  else if (!deadline)
    reply(std::unexpected(deadline.error()));
  else
    hand_over_tick(*engine_, m.request, *deadline, {}, leaving(std::move(*place), std::move(reply)),
                   sender_of(pending));
  return pending;
}

host_promise<snapshot_result> host_requests::snapshot(const snapshot_message& m) const {
  auto pending = self_->make_response_promise<snapshot_result>();
  commit_by(sender_of(pending),
            snapshot_command{m.reason, m.actor, keeping<snapshot_result>(pending)}, m.deadline_ms);
  return pending;
}

host_promise<checkpoint_reply> host_requests::checkpoint(const checkpoint_message& m) const {
  auto pending = self_->make_response_promise<checkpoint_reply>();
  auto deliver = back_here<seq_no>([pending](const result<seq_no>& r) mutable {
    if (r)
      pending.deliver(checkpoint_reply{*r});
    else
      pending.deliver(to_caf_error(r.error()));
  });
  commit_by(sender_of(pending), checkpoint_command{std::move(deliver)}, m.deadline_ms);
  return pending;
}

host_promise<closed_reply> host_requests::close() const {
  auto pending = self_->make_response_promise<closed_reply>();
  if (!life_->is_open()) {
    pending.deliver(to_caf_error(was_closed));
    return pending;
  }
  life_->close([pending](const result<void>& sealed) mutable {
    if (sealed)
      pending.deliver(closed_reply{});
    else
      pending.deliver(to_caf_error(sealed.error()));
  });
  return pending;
}

} // namespace mneme
