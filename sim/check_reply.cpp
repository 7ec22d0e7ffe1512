#include "sim/check_reply.hpp"
#include "sim/outcomes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mneme::sim {

namespace {

/// The greatest seq that an answer names.
struct named_seq {
  /// Of what one door answers.
  template <class Answer>
  static seq_no of(const std::shared_ptr<const Answer>& r) {
    return std::max(r->at_seq, r->seq.value_or(seq_no{}));
  }
  template <class Many>
  static seq_no of_many(const Many& many) {
    seq_no most;
    for (const auto& one : many.results)
      if (one) most = std::max(most, of(*one));
    return most;
  }
  seq_no operator()(const retrieve_reply& r) const { return of(r); }
  seq_no operator()(const retrieve_many_reply& r) const { return of_many(r); }
  seq_no operator()(const chroma_reply& r) const { return of(r); }
  seq_no operator()(const chroma_many_reply& r) const { return of_many(r); }
  seq_no operator()(const search_reply& r) const { return of(r); }
  seq_no operator()(const search_many_reply& r) const { return of_many(r); }
  seq_no operator()(const context_reply& r) const { return of(r); }
  seq_no operator()(const select_reply& r) const { return r->at_seq; }
  seq_no operator()(const decay_result& r) const { return r.seq; }
  seq_no operator()(const attest_result& r) const { return r.seq; }
  seq_no operator()(const compact_reply& r) const { return r->seq; }
  seq_no operator()(const tick_reply& r) const { return r->seq; }
  seq_no operator()(const mutation_result& r) const { return r.seq; }
  seq_no operator()(const batch_result& r) const { return r.seq; }
  seq_no operator()(const find_reply& r) const { return of(r); }
  seq_no operator()(const find_many_reply& r) const { return of_many(r); }
  seq_no operator()(const root_set& r) const { return r.seq; }
  seq_no operator()(const proof_reply& r) const { return r->roots.seq; }
  seq_no operator()(const snapshot_result& r) const { return r.seq; }
  seq_no operator()(const checkpoint_reply& r) const { return r.seq; }
  template <class Other>
  seq_no operator()(const Other&) const {
    return {};
  }
};

/// The greatest seq that an answer promises to survive a crash.
struct promised_seq {
  seq_no operator()(const mutation_result& r) const { return r.changed ? r.seq : seq_no{}; }
  seq_no operator()(const batch_result& r) const {
    seq_no most;
    for (const auto& one : r.results) most = std::max(most, (*this)(one));
    return most;
  }
  seq_no operator()(const find_reply& r) const { return r->seq.value_or(seq_no{}); }
  seq_no operator()(const retrieve_reply& r) const { return r->seq.value_or(seq_no{}); }
  seq_no operator()(const chroma_reply& r) const { return r->seq.value_or(seq_no{}); }
  template <class Many>
  seq_no of_many(const Many& many) const {
    seq_no most;
    for (const auto& one : many.results)
      if (one) most = std::max(most, (*this)(*one));
    return most;
  }
  seq_no operator()(const find_many_reply& r) const { return of_many(r); }
  seq_no operator()(const retrieve_many_reply& r) const { return of_many(r); }
  seq_no operator()(const chroma_many_reply& r) const { return of_many(r); }
  seq_no operator()(const decay_result& r) const { return r.seq; }
  seq_no operator()(const attest_result& r) const { return r.seq; }
  seq_no operator()(const compact_reply& r) const { return r->seq; }
  seq_no operator()(const tick_reply& r) const {
    seq_no most;
    const auto touched = [](const auto& a) {
      if constexpr (requires { a.at_seq; })
        return a.seq.value_or(seq_no{});
      else
        return seq_no{};
    };
    for (const auto& one : r->reads)
      if (one) most = std::max(most, std::visit(touched, *one));
    for (const auto& one : r->writes) {
      if (!one) continue;
      if (const auto* m = std::get_if<mutation_result>(&*one)) most = std::max(most, (*this)(*m));
      if (const auto* a = std::get_if<attest_result>(&*one)) most = std::max(most, a->seq);
      if (const auto* c = std::get_if<compact_result>(&*one)) most = std::max(most, c->seq);
    }
    return most;
  }
  seq_no operator()(const snapshot_result& r) const { return r.seq; }
  seq_no operator()(const checkpoint_reply& r) const { return r.seq; }
  template <class Other>
  seq_no operator()(const Other&) const {
    return {};
  }
};

/// How often an answer says that somebody went outside a scope. A query that asks to reinforce what
/// it may only read names no memory outside, and leaves no entry.
std::uint64_t violations_in(const result<reply_message>& answer) {
  const auto is_one = [](const auto& r) {
    if (r || r.error().code != errc::scope_violation) return std::uint64_t{0};
    const std::string& at = r.error().at;
    return at == "touch" || at == "late_binding" ? std::uint64_t{0} : 1;
  };
  if (!answer) return is_one(answer);
  const auto* tick = std::get_if<tick_reply>(&*answer);
  if (tick == nullptr) return 0;
  std::uint64_t count = 0;
  for (const auto& read : (*tick)->reads) count += is_one(read);
  for (const auto& write : (*tick)->writes) count += is_one(write);
  return count;
}

/// Errors that say nothing about the request.
bool is_from_outside(errc code) {
  return code == errc::io || code == errc::outcome_unknown || code == errc::shutdown;
}

check_result check_outside_error(evidence& known, operation& op, const error& e) {
  op.state = operation_state::unknown;
  if (known.disk_is_failing) return {};
  return wrong("reply", fmt::format("\"{}\" failed although nothing is broken: {}",
                                    describe(op.request), e.message));
}

/// What found no room was not done, and no other outcome was.
check_result check_lack_of_room(const evidence& known, operation& op) {
  op.state = operation_state::answered;
  if (op.entered)
    return wrong("reply", "\"" + describe(op.request) + "\" found no room, but is there");
  if (known.disk_is_full || op.number <= known.last_issued_when_full) return {};
  return wrong("reply", "\"" + describe(op.request) + "\" found no room, although there is some");
}

result<batch_result> as_batch(const result<reply_message>& answer) {
  if (!answer) return std::unexpected(answer.error());
  if (const auto* batch = std::get_if<batch_result>(&*answer)) return *batch;
  const auto& one = std::get<mutation_result>(*answer);
  return batch_result{{one}, one.seq};
}

check_result check_snapshot_reply(evidence& known, const operation& op,
                                  const result<reply_message>& answer) {
  if (!answer) return wrong("reply", "a snapshot was refused: " + answer.error().message);
  const auto& s = std::get<snapshot_result>(*answer);
  const auto entered = known.snapshots.find(s.seq);
  if (entered == known.snapshots.end() || entered->second != op.number)
    return wrong("reply", fmt::format("the snapshot was not journaled at seq {}", s.seq.value));
  const auto& payload = known.roots.entry_at(s.seq).payload;
  if (s.manifest != std::get<snapshot_payload>(payload).manifest)
    return wrong("reply", "a snapshot answers another manifest than it journaled");
  return {};
}

check_result check_checkpoint_reply(const operation& op, const result<reply_message>& answer) {
  if (!answer) return wrong("reply", "a checkpoint failed: " + answer.error().message);
  const seq_no seq = std::get<checkpoint_reply>(*answer).seq;
  if (seq < op.published_at_send)
    return wrong("reply", fmt::format("a checkpoint holds seq {}, but seq {} was published before "
                                      "it was asked for",
                                      seq.value, op.published_at_send.value));
  return {};
}

/// Does the request leave a touch whatever it finds?
template <class Request>
bool is_late(const Request& r) {
  if constexpr (requires { r.late_binding; })
    return r.late_binding;
  else
    return false;
}

/// Each of many queries as one by itself; all that name no seq read the same one.
template <class Many, class Requests, class Check>
check_result check_many(evidence& known, operation& op, const Requests& requests,
                        const result<reply_message>& answer, Check check) {
  if (!answer) return wrong("reply", "many queries failed: " + answer.error().message);
  const auto& many = std::get<Many>(*answer);
  if (many.results.size() != requests.size())
    return wrong("reply", "another number of queries is answered");
  std::optional<seq_no> common;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& one = many.results[i];
    const bool is_disk = known.disk_is_failing || !is_outage(known, requests[i], one);
    if (!one && is_from_outside(one.error().code) && is_disk) {
      // The touch of one can fail while the others are answered.
      if (auto ok = check_outside_error(known, op, one.error()); !ok) return ok;
      continue;
    }
    if (!one && one.error().code == errc::disk_full) {
      if (auto ok = check_lack_of_room(known, op); !ok) return ok;
      continue;
    }
    // Each touches by a command of its own, and finds the queue as full as it is.
    if (!one && one.error().code == errc::busy
        && known.setup.max_queued < known.setup.clients + requests.size())
      continue;
    if (auto ok = check(known, op, requests[i], one); !ok) return ok;
    if (!one || requests[i].at_seq || is_late(requests[i])) continue;
    if (common && *common != (*one)->at_seq)
      return wrong("reply", "the queries of one message were answered at different seqs");
    common = (*one)->at_seq;
  }
  return {};
}

template <class Reply>
result<Reply> part_of(const result<reply_message>& answer) {
  if (!answer) return std::unexpected(answer.error());
  return std::get<Reply>(*answer);
}

const scope* scope_of_write(const tick_write& w) {
  return std::visit([](const auto& r) { return r.scope.get(); }, w);
}

check_result check_agent_reply(const evidence& known, const operation& op, const tick_write& w,
                               const result<reply_message>& answer) {
  result<tick_write_answer> got = fail(errc::shutdown, "");
  if (!answer)
    got = std::unexpected(answer.error());
  else if (const auto* a = std::get_if<attest_result>(&*answer))
    got = *a;
  else
    got = *std::get<compact_reply>(*answer);
  if (op.entered)
    return check_agent_write(known, op, w, got, known.entered.at(op.number).writes[0]);
  if (got) return wrong("reply", "an agent's write that is not in the journal succeeds");
  // Refused: some state and time must explain it.
  const auto [first, last] = window_of(known, op);
  model state = known.truth;
  for (seq_no at = last;; at = {at.value - 1}) {
    state.truncate(at);
    for (const timestamp now : times_of(known, op, scope_of_write(w))) {
      model copy = state;
      imagined_entries imagined(copy, now);
      if (check_agent_write(known, op, w, got, agent_outcome(copy, w, now, imagined))) return {};
    }
    if (at <= first) break;
  }
  return wrong("reply", fmt::format("refused with {}", to_string(got.error().code)));
}

check_result check_decay_reply(const evidence& known, const operation& op,
                               const result<reply_message>& answer) {
  if (!answer) return wrong("reply", "a decay cycle was refused: " + answer.error().message);
  const auto& got = std::get<decay_result>(*answer);
  if (!op.entered) return wrong("reply", "a decay cycle is not in the journal");
  const decay_result& expected = known.entered.at(op.number).decay;
  if (got.decayed == expected.decayed && got.ascended == expected.ascended
      && got.rotten == expected.rotten && got.seq == expected.seq)
    return {};
  return wrong("reply", "a decay cycle counts other changes than it journaled");
}

/// Which oracle looks at the answer.
struct by_kind {
  evidence& known;
  operation& op;
  const result<reply_message>& answer;

  check_result operator()(const apply_message&) const {
    return check_write_reply(known, op, as_batch(answer));
  }
  check_result operator()(const batch_message&) const {
    return check_write_reply(known, op, as_batch(answer));
  }
  check_result operator()(const find_message& m) const {
    return check_find_reply(known, op, m.request, part_of<find_reply>(answer));
  }
  check_result operator()(const find_many_message& m) const {
    return check_many<find_many_reply>(known, op, m.requests, answer, check_find_reply);
  }
  check_result operator()(const retrieve_message& m) const {
    return check_retrieve_reply(known, op, m.request, part_of<retrieve_reply>(answer));
  }
  check_result operator()(const retrieve_many_message& m) const {
    return check_many<retrieve_many_reply>(known, op, m.requests, answer, check_retrieve_reply);
  }
  check_result operator()(const chroma_message& m) const {
    return check_chroma_reply(known, op, m.request, part_of<chroma_reply>(answer));
  }
  check_result operator()(const chroma_many_message& m) const {
    return check_many<chroma_many_reply>(known, op, m.requests, answer, check_chroma_reply);
  }
  check_result operator()(const search_message& m) const {
    return check_search_reply(known, op, m.request, part_of<search_reply>(answer));
  }
  check_result operator()(const search_many_message& m) const {
    return check_many<search_many_reply>(known, op, m.requests, answer, check_search_reply);
  }
  check_result operator()(const context_message& m) const {
    return check_context_reply(known, op, m.request, part_of<context_reply>(answer));
  }
  check_result operator()(const select_message& m) const {
    return check_select_reply(known, op, m.request, part_of<select_reply>(answer));
  }
  check_result operator()(const tick_message&) const {
    return check_tick_reply(known, op, part_of<tick_reply>(answer));
  }
  check_result operator()(const attest_message& m) const {
    return check_agent_reply(known, op, m.request, answer);
  }
  check_result operator()(const compact_message& m) const {
    return check_agent_reply(known, op, m.request, answer);
  }
  check_result operator()(const decay_message&) const {
    return check_decay_reply(known, op, answer);
  }
  check_result operator()(const snapshot_message&) const {
    return check_snapshot_reply(known, op, answer);
  }
  check_result operator()(const checkpoint_message&) const {
    return check_checkpoint_reply(op, answer);
  }
  template <class Read>
  check_result operator()(const Read&) const {
    return check_read_reply(known, op, answer);
  }
};

} // namespace

bool may_be_readable(const evidence& known, const operation& op, seq_no at) {
  const auto [first, last] = window_of(known, op);
  if (at > last || at < op.begins) return false;
  const seq_no then = std::max(first, at);
  return then.value - at.value <= known.setup.retained_seqs;
}

bool may_be_out_of_range(const evidence& known, const operation& op, seq_no at) {
  const auto [first, last] = window_of(known, op);
  return at > first || at < known.may_begin || last.value - at.value > known.setup.retained_seqs;
}

std::vector<timestamp> times_of(const evidence& known, const operation& op, const scope* within) {
  if (within == nullptr) return {known.clock->now()};
  return known.clock->shown_since(op.clock_mark);
}

std::vector<timestamp> presents_of(const evidence& known, const operation& op,
                                   const std::optional<seq_no>& at_seq) {
  if (at_seq)
    if (const auto made = known.truth.made_at(*at_seq)) return {*made};
  return known.clock->shown_since(op.clock_mark);
}

std::optional<check_result> scope_verdict(const evidence& known, const operation& op,
                                          const viewer& who, const std::optional<errc>& refused) {
  // What may come first, and is judged behind this.
  if (refused == errc::seq_unavailable || refused == errc::deadline_exceeded) return std::nullopt;
  bool may_pass = false;
  for (const timestamp now : times_of(known, op, who.within)) {
    const auto code = refusal_of(known.truth, who, now);
    if (code && code == refused) return check_result{};
    may_pass |= !code;
  }
  if (may_pass) return std::nullopt;
  return wrong("scope", fmt::format("a scope that is no good is answered with {}",
                                    refused ? to_string(*refused) : "success"));
}

std::optional<entry_payload> claim_touch(evidence& known, const operation& op, seq_no touch,
                                         seq_no read_at) {
  const auto entered = known.touches.find(touch);
  if (entered == known.touches.end() || touch <= read_at || touch <= op.published_at_send)
    return std::nullopt;
  entry_payload payload = std::move(entered->second);
  known.touches.erase(entered);
  return payload;
}

check_result check_visible(const result<reply_message>& answer, seq_no published) {
  if (!answer) return {};
  const seq_no named = std::visit(named_seq{}, *answer);
  if (named <= published) return {};
  return wrong("visible", fmt::format("an answer names seq {}, but the published one is {}",
                                      named.value, published.value));
}

check_result check_reply(evidence& known, operation& op, const result<reply_message>& answer,
                         seq_no published) {
  ensure(known.truth.last() == published, "the model is at the published seq");
  const bool is_disk =
      known.disk_is_failing
      || !std::visit([&](const auto& r) { return is_outage(known, r, answer); }, op.request);
  if (!answer && is_from_outside(answer.error().code) && is_disk)
    return check_outside_error(known, op, answer.error());
  if (!answer && answer.error().code == errc::disk_full) return check_lack_of_room(known, op);
  if (!answer && answer.error().code == errc::busy) {
    op.state = operation_state::answered;
    if (known.setup.max_queued < known.setup.clients && !op.entered) return {};
    return wrong("reply", "busy, although there is room: " + describe(op.request));
  }
  op.state = operation_state::answered;
  if (auto ok = std::visit(by_kind{known, op, answer}, op.request); !ok) {
    ok.error().text =
        fmt::format("operation {} (\"{}\"): {}", op.number, describe(op.request), ok.error().text);
    return ok;
  }
  op.violations = violations_in(answer);
  if (!answer) return {};
  known.acknowledged = std::max(known.acknowledged, std::visit(named_seq{}, *answer));
  if (is_durable(op.request))
    known.durable = std::max(known.durable, std::visit(promised_seq{}, *answer));
  return {};
}

} // namespace mneme::sim
