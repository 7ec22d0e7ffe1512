/// Oracle "tick": every read at one seq, every write as its entries say, all in the order of the
/// request.

#include <fmt/format.h>

#include "sim/check_reply.hpp"
#include "sim/outcomes.hpp"

namespace mneme::sim {

namespace {

template <class Answer>
result<std::shared_ptr<const Answer>> shared_part(const result<tick_read_answer>& answer) {
  if (!answer) return std::unexpected(answer.error());
  return std::make_shared<const Answer>(std::get<Answer>(*answer));
}

/// The simulator's ticks ask for nothing beside the memory.
result<memory_reply> memory_part(const result<tick_read_answer>& answer) {
  if (!answer) return std::unexpected(answer.error());
  return std::make_shared<const memory>(std::get<memory_reading>(*answer).found);
}

struct read_checker {
  evidence& known;
  const operation& op;
  const result<tick_read_answer>& answer;

  check_result operator()(const find_request& r) const {
    return check_find_reply(known, op, r, shared_part<find_result>(answer));
  }
  check_result operator()(const context_request& r) const {
    return check_context_reply(known, op, r, shared_part<context_result>(answer));
  }
  check_result operator()(const retrieve_request& r) const {
    return check_retrieve_reply(known, op, r, shared_part<retrieve_result>(answer));
  }
  check_result operator()(const chroma_request& r) const {
    return check_chroma_reply(known, op, r, shared_part<chroma_result>(answer));
  }
  check_result operator()(const search_request& r) const {
    return check_search_reply(known, op, r, shared_part<search_result>(answer));
  }
  check_result operator()(const get_read& r) const {
    return check_get(known, op, {.id = r.id, .options = r.options, .key = r.key},
                     memory_part(answer));
  }
  check_result operator()(const resolve_read& r) const {
    return check_resolve(known, op, {r.uri, r.options}, memory_part(answer));
  }
  check_result operator()(const edges_read& r) const {
    return check_edges(known, op, {r.id, r.direction, r.filter, r.options},
                       shared_part<std::vector<edge_record>>(answer));
  }
};

/// The seq that an answer says it was read at, where the request names none.
std::optional<seq_no> read_at(const tick_read& read, const result<tick_read_answer>& answer) {
  const auto names_one = [](const auto& r) {
    if constexpr (requires { r.at_seq; })
      return r.at_seq.has_value();
    else
      return true;
  };
  if (!answer || std::visit(names_one, read)) return std::nullopt;
  return std::visit(
      [](const auto& a) -> std::optional<seq_no> {
        if constexpr (requires { a.at_seq; })
          return a.at_seq;
        else
          return std::nullopt;
      },
      *answer);
}

using write_answers = std::vector<std::expected<tick_write_answer, errc>>;

check_result check_writes(const evidence& known, const operation& op, const tick_request& r,
                          const tick_result& got, const write_answers& expected) {
  for (std::size_t i = 0; i < r.writes.size(); ++i)
    if (auto ok = check_agent_write(known, op, r.writes[i], got.writes[i], expected[i]); !ok)
      return ok;
  return {};
}

/// None of its writes is in the journal: they change nothing at the seq of the answer.
check_result check_refused_writes(const evidence& known, const operation& op, const tick_request& r,
                                  const tick_result& got) {
  model before = known.truth;
  before.truncate(got.seq);
  check_result ok;
  const auto scopes = scopes_in(op.request);
  for (const timestamp now : times_of(known, op, scopes.empty() ? nullptr : scopes.front())) {
    model state = before;
    imagined_entries imagined(state, now);
    const auto expected = tick_outcomes(state, r, now, imagined);
    ok = check_writes(known, op, r, got, expected);
    if (ok && state.last() != got.seq) ok = wrong("tick", "a write of it is not in the journal");
    if (ok) return ok;
  }
  return ok;
}

} // namespace

check_result check_tick_reply(evidence& known, const operation& op,
                              const result<tick_reply>& answer) {
  if (!answer) return wrong("tick", "a tick was refused: " + answer.error().message);
  const tick_request& r = *std::get<tick_message>(op.request).request;
  const tick_result& got = **answer;
  if (got.reads.size() != r.reads.size() || got.writes.size() != r.writes.size())
    return wrong("tick", "another number of answers");
  std::optional<seq_no> common;
  for (std::size_t i = 0; i < r.reads.size(); ++i) {
    if (auto ok = std::visit(read_checker{known, op, got.reads[i]}, r.reads[i]); !ok) return ok;
    const auto at = read_at(r.reads[i], got.reads[i]);
    if (at && common && *at != *common) return wrong("tick", "its reads are of different seqs");
    if (at) common = at;
  }
  if (!op.entered) return check_refused_writes(known, op, r, got);
  const auto& entered = known.entered.at(op.number);
  if (auto ok = check_writes(known, op, r, got, entered.writes); !ok) return ok;
  return got.seq == entered.last ? check_result{}
                                 : wrong("tick", "its seq is not that of its last entry");
}

} // namespace mneme::sim
