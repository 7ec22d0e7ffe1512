#include "sim/outcomes.hpp"

#include <algorithm>

namespace mneme::sim {

namespace {

std::string actor_of(const tick_write& w) {
  if (const auto* r = std::get_if<attest_request>(&w)) return r->actor;
  if (const auto* r = std::get_if<compact_request>(&w)) return r->actor;
  return std::visit(
      [](const auto& r) {
        if constexpr (requires { r.actor; })
          return r.actor;
        else
          return std::string();
      },
      std::get<scoped_mutation>(w).request);
}

struct agent_rules {
  const model& state;
  timestamp now;
  entry_sink& entries;

  std::expected<tick_write_answer, errc> operator()(const scoped_mutation& m) const {
    // Refused in the middle, a request of several entries leaves none.
    if (std::holds_alternative<ingest_request>(m.request)) {
      model copy = state;
      imagined_entries imagined(copy, now);
      if (const auto out = outcome_of(copy, m.request, now, imagined); out.refused)
        return std::unexpected(*out.refused);
    }
    const auto out = outcome_of(state, m.request, now, entries);
    if (out.refused) return std::unexpected(*out.refused);
    return result_of(out, state.last());
  }
  std::expected<tick_write_answer, errc> operator()(const attest_request& r) const {
    auto out = attest_in(state, r, state.last(), now);
    out.attested.nonce = entries.next_drawn().nonce;
    entries.take({entry_kind::attest, r.actor, {}, std::move(out.attested)});
    out.learned.nonce = entries.next_drawn().nonce;
    entries.take({entry_kind::learn_weights, r.actor, {}, std::move(out.learned)});
    out.answer.seq = state.last();
    return std::move(out.answer);
  }
  std::expected<tick_write_answer, errc> operator()(const compact_request& r) const {
    auto out = compact_in(state, r, state.last(), now);
    if (!out) return std::unexpected(out.error());
    out->payload.nonce = entries.next_drawn().nonce;
    entries.take({entry_kind::compact, r.actor, {}, std::move(out->payload)});
    out->answer.seq = state.last();
    return std::move(out->answer);
  }
};

} // namespace

mutation_result result_of(const write_outcome& out, seq_no seq) {
  return {.changed = out.changed, .seq = seq, .uri = out.uri, .topics = out.topics, .tag = out.tag};
}

std::optional<tick_write> agent_write_of(const request_message& request) {
  if (const auto* m = std::get_if<attest_message>(&request)) return tick_write(m->request);
  if (const auto* m = std::get_if<compact_message>(&request)) return tick_write(m->request);
  return std::nullopt;
}

std::expected<tick_write_answer, errc> agent_outcome(const model& state, const tick_write& w,
                                                     timestamp now, entry_sink& entries) {
  return std::visit(agent_rules{state, now, entries}, w);
}

std::vector<std::expected<tick_write_answer, errc>>
tick_outcomes(const model& state, const tick_request& r, timestamp now, entry_sink& entries) {
  std::vector<std::size_t> order(r.writes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return actor_of(r.writes[i]); });
  std::vector<std::expected<tick_write_answer, errc>> answers(r.writes.size());
  for (const std::size_t i : order) answers[i] = agent_outcome(state, r.writes[i], now, entries);
  return answers;
}

} // namespace mneme::sim
