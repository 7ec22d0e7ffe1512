#include "sim/check_reply.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mneme::sim {

namespace {

/// The greatest seq that an answer names.
struct named_seq {
  seq_no operator()(const mutation_result& r) const { return r.seq; }
  seq_no operator()(const batch_result& r) const { return r.seq; }
  seq_no operator()(const find_reply& r) const {
    return std::max(r->at_seq, r->seq.value_or(seq_no{}));
  }
  seq_no operator()(const find_many_reply& r) const {
    seq_no most;
    for (const auto& one : r.results)
      if (one) most = std::max(most, (*this)(*one));
    return most;
  }
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
  seq_no operator()(const find_many_reply& r) const {
    seq_no most;
    for (const auto& one : r.results)
      if (one) most = std::max(most, (*this)(*one));
    return most;
  }
  seq_no operator()(const snapshot_result& r) const { return r.seq; }
  seq_no operator()(const checkpoint_reply& r) const { return r.seq; }
  template <class Other>
  seq_no operator()(const Other&) const {
    return {};
  }
};

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

check_result check_find_many_reply(evidence& known, operation& op,
                                   const result<reply_message>& answer) {
  const auto& requests = std::get<find_many_message>(op.request).requests;
  if (!answer) return wrong("reply", "find_many failed: " + answer.error().message);
  const auto& many = std::get<find_many_reply>(*answer);
  if (many.results.size() != requests.size())
    return wrong("reply", "find_many answers another number of requests");
  std::optional<seq_no> common;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& one = many.results[i];
    if (!one && is_from_outside(one.error().code)) {
      // The touch of a late one can fail while the others are answered.
      if (auto ok = check_outside_error(known, op, one.error()); !ok) return ok;
      continue;
    }
    if (auto ok = check_find_reply(known, op, requests[i], one); !ok) return ok;
    if (!one || requests[i].at_seq || requests[i].late_binding) continue;
    if (common && *common != (*one)->at_seq)
      return wrong("reply", "the requests of one find_many were answered at different seqs");
    common = (*one)->at_seq;
  }
  return {};
}

check_result check_by_kind(evidence& known, operation& op, const result<reply_message>& answer) {
  if (std::holds_alternative<apply_message>(op.request)
      || std::holds_alternative<batch_message>(op.request))
    return check_write_reply(known, op, as_batch(answer));
  if (const auto* find = std::get_if<find_message>(&op.request)) {
    if (!answer) return check_find_reply(known, op, find->request, std::unexpected(answer.error()));
    return check_find_reply(known, op, find->request, std::get<find_reply>(*answer));
  }
  if (std::holds_alternative<find_many_message>(op.request))
    return check_find_many_reply(known, op, answer);
  if (std::holds_alternative<snapshot_message>(op.request))
    return check_snapshot_reply(known, op, answer);
  if (std::holds_alternative<checkpoint_message>(op.request))
    return check_checkpoint_reply(op, answer);
  return check_read_reply(known, op, answer);
}

} // namespace

bool may_be_readable(const evidence& known, const operation& op, seq_no at) {
  const auto [first, last] = window_of(known, op);
  if (at > last) return false;
  const seq_no then = std::max(first, at);
  return then.value - at.value <= known.setup.retained_seqs;
}

bool may_be_out_of_range(const evidence& known, const operation& op, seq_no at) {
  const auto [first, last] = window_of(known, op);
  return at > first || last.value - at.value > known.setup.retained_seqs;
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
  if (!answer && is_from_outside(answer.error().code))
    return check_outside_error(known, op, answer.error());
  if (!answer && answer.error().code == errc::busy) {
    op.state = operation_state::answered;
    if (known.setup.max_queued < known.setup.clients && !op.entered) return {};
    return wrong("reply", "busy, although there is room: " + describe(op.request));
  }
  op.state = operation_state::answered;
  if (auto ok = check_by_kind(known, op, answer); !ok) {
    ok.error().text =
        fmt::format("operation {} (\"{}\"): {}", op.number, describe(op.request), ok.error().text);
    return ok;
  }
  if (!answer) return {};
  known.acknowledged = std::max(known.acknowledged, std::visit(named_seq{}, *answer));
  if (is_durable(op.request))
    known.durable = std::max(known.durable, std::visit(promised_seq{}, *answer));
  return {};
}

} // namespace mneme::sim
