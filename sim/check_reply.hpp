#pragma once
/// Oracles over single answers. Each compares what the engine said with what the model says, at
/// the seq that the answer names, or at some seq that was the published one while the request was
/// under way.

#include "query/query_text.hpp"
#include "sim/evidence.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

/// Oracle "visible": the answer names no seq that is not published. This comes first: the journal
/// is followed up to the published seq only.
check_result check_visible(const result<reply_message>& answer, seq_no published);

/// All the others. Precondition: the journal was followed up to `published`. Sets the operation's
/// state, and what is promised from now on.
check_result check_reply(evidence& known, operation& op, const result<reply_message>& answer,
                         seq_no published);

// One per kind of request, in files of their own.
check_result check_write_reply(evidence& known, operation& op, const result<batch_result>& answer);
check_result check_find_reply(evidence& known, const operation& op, const find_request& r,
                              const result<find_reply>& answer);
check_result check_read_reply(const evidence& known, const operation& op,
                              const result<reply_message>& answer);
check_result check_get(const evidence& known, const operation& op, const get_message& m,
                       const result<memory_reply>& answer);
check_result check_resolve(const evidence& known, const operation& op, const resolve_message& m,
                           const result<memory_reply>& answer);
check_result check_edges(const evidence& known, const operation& op, const edges_message& m,
                         const result<edges_reply>& answer);
check_result check_retrieve_reply(evidence& known, const operation& op, const retrieve_request& r,
                                  const result<retrieve_reply>& answer);
check_result check_chroma_reply(evidence& known, const operation& op, const chroma_request& r,
                                const result<chroma_reply>& answer);
check_result check_search_reply(evidence& known, const operation& op, const search_request& r,
                                const result<search_reply>& answer);
check_result check_select_reply(evidence& known, const operation& op, const select_request& r,
                                const result<select_reply>& answer);
check_result check_context_reply(evidence& known, const operation& op, const context_request& r,
                                 const result<context_reply>& answer);
check_result check_tick_reply(evidence& known, const operation& op,
                              const result<tick_reply>& answer);
/// Of an attest, a compact, or a write of a tick.
check_result check_agent_write(const evidence& known, const operation& op, const tick_write& w,
                               const result<tick_write_answer>& got,
                               const std::expected<tick_write_answer, errc>& expected);
bool same(const compact_result& a, const compact_result& b);

/// Times at which a request may have been executed: with a scope, it matters which.
std::vector<timestamp> times_of(const evidence& known, const operation& op, const scope* within);
/// The presents that a read may have had: times that the clock has shown, with a seq of its own
/// that of its entry.
std::vector<timestamp> presents_of(const evidence& known, const operation& op,
                                   const std::optional<seq_no>& at_seq);
/// The verdict on an answer that only the scope explains; nullopt if it let the request through.
std::optional<check_result> scope_verdict(const evidence& known, const operation& op,
                                          const viewer& who, const std::optional<errc>& refused);
template <class Request, class Answer>
std::optional<check_result> scope_verdict(const evidence& known, const operation& op,
                                          const Request& r, const result<Answer>& answer) {
  if (r.scope == nullptr) return std::nullopt;
  return scope_verdict(known, op, viewer_of(r),
                       answer ? std::nullopt : std::optional(answer.error().code));
}

/// Whether the query was refused because its embedder gave no vector: it could not be asked, or
/// refuses such a text. Of a message, its one request counts.
template <class Request, class Answer>
bool is_outage(const evidence& known, const Request& r, const result<Answer>& answer) {
  if constexpr (requires { r.request; }) {
    return is_outage(known, r.request, answer);
  } else {
    const auto text = text_to_embed(r);
    return !answer && answer.error().code == errc::io && text
           && (known.setup.late_percent.value_or(0) > 0 || is_refused_text(known.truth, *text));
  }
}

/// Whether the query was refused because it took longer than it may.
template <class Request, class Answer>
bool is_overdue(const Request& r, const result<Answer>& answer) {
  return !answer && answer.error().code == errc::deadline_exceeded && r.deadline_ms
         && *r.deadline_ms <= short_deadline_ms;
}

/// Takes the touch that an answer names out of those that nobody has claimed, if it may be this
/// request's; null if there is none.
std::optional<entry_payload> claim_touch(evidence& known, const operation& op, seq_no touch,
                                         seq_no read_at);

/// The seqs that were the published one, one after the other, since the request was sent.
struct seq_window {
  seq_no first;
  seq_no last;
};
inline seq_window window_of(const evidence& known, const operation& op) {
  return {op.published_at_send, known.truth.last()};
}
/// Whether a read of this request at `at` may succeed, or may be refused as out of range.
bool may_be_readable(const evidence& known, const operation& op, seq_no at);
bool may_be_out_of_range(const evidence& known, const operation& op, seq_no at);

/// All that readers see of it.
inline bool same(const memory& a, const memory& b) {
  return a.head == b.head && a.version == b.version && a.activation == b.activation
         && a.signals == b.signals && a.standing == b.standing;
}

} // namespace mneme::sim
