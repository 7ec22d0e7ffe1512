#include "sim/outcomes.hpp"

#include <algorithm>

namespace mneme::sim {

namespace {

const scope* scope_of(const tick_write& w) {
  return std::visit([](const auto& r) { return r.scope.get(); }, w);
}

std::string actor_of_item(const mutation& m) {
  return std::visit(
      [](const auto& r) {
        if constexpr (requires { r.actor; })
          return r.actor;
        else if constexpr (requires { r.content.actor; })
          return r.content.actor;
        else
          return std::string();
      },
      m);
}

viewer viewer_of_mutation(const scoped_mutation& m) {
  const std::string actor = actor_of_item(m.request);
  return {actor.empty() ? std::nullopt : std::optional(actor), m.scope.get()};
}

std::string actor_of(const tick_write& w) {
  const auto* of = scope_of(w);
  if (of != nullptr) return of->granted_to;
  if (const auto* r = std::get_if<attest_request>(&w)) return r->actor;
  if (const auto* r = std::get_if<compact_request>(&w)) return r->actor;
  return actor_of_item(std::get<scoped_mutation>(w).request);
}

struct agent_rules {
  const model& state;
  timestamp now;
  entry_sink& entries;

  /// Going outside a scope leaves an entry.
  [[nodiscard]] std::unexpected<errc> violates(const scope& within) const {
    entries.take(violation_entry(within, entries.next_drawn()));
    return std::unexpected(errc::scope_violation);
  }
  /// Why somebody may not write who comes as `who`.
  [[nodiscard]] std::optional<std::unexpected<errc>> refused(const viewer& who) const {
    if (const auto code = refusal_of(state, who, now)) return std::unexpected(*code);
    if (who.within != nullptr && !who.within->writable) return violates(*who.within);
    return std::nullopt;
  }

  std::expected<tick_write_answer, errc> operator()(const scoped_mutation& m) const {
    if (m.scope == nullptr) return write(m);
    if (const auto no = refused(viewer_of_mutation(m))) return *no;
    const auto items = admitted(state, {m.request}, *m.scope);
    if (!items && items.error() != errc::scope_violation) return std::unexpected(items.error());
    if (!items) return violates(*m.scope);
    return write({items->front(), m.scope});
  }
  [[nodiscard]] std::expected<tick_write_answer, errc> write(const scoped_mutation& m) const {
    // Refused in the middle, a request of several entries leaves none.
    if (std::holds_alternative<ingest_request>(m.request)) {
      model copy = state;
      imagined_entries imagined(copy, now);
      if (const auto out = outcome_of(copy, m.request, now, imagined, m.scope.get()); out.refused)
        return std::unexpected(*out.refused);
    }
    const auto out = outcome_of(state, m.request, now, entries, m.scope.get());
    if (out.refused) return std::unexpected(*out.refused);
    return result_of(out, state.last());
  }
  std::expected<tick_write_answer, errc> operator()(const attest_request& r) const {
    if (const auto no = refused(viewer_of(r))) return *no;
    const std::string name = viewer_of(r).name();
    auto out = attest_in(state, r, state.last(), now);
    out.attested.nonce = entries.next_drawn().nonce;
    entries.take({entry_kind::attest, name, {}, std::move(out.attested)});
    out.learned.nonce = entries.next_drawn().nonce;
    entries.take({entry_kind::learn_weights, name, {}, std::move(out.learned)});
    out.answer.seq = state.last();
    return std::move(out.answer);
  }
  std::expected<tick_write_answer, errc> operator()(const compact_request& r) const {
    if (const auto no = refused(viewer_of(r))) return *no;
    auto out = compact_in(state, r, state.last(), now);
    if (!out) return std::unexpected(out.error());
    out->payload.nonce = entries.next_drawn().nonce;
    entries.take({entry_kind::compact, viewer_of(r).name(), {}, std::move(out->payload)});
    out->answer.seq = state.last();
    return std::move(out->answer);
  }
};

} // namespace

mutation_result result_of(const write_outcome& out, seq_no seq) {
  return {.changed = out.changed,
          .seq = seq,
          .uri = out.uri,
          .topics = out.topics,
          .tag = out.tag,
          .similar = {},
          .weights = out.weights,
          .restored = out.restored,
          .put = out.put,
          .swept = out.swept,
          .more = out.more};
}

std::expected<std::vector<mutation>, errc>
permitted(const model& state, const request_message& request, timestamp now) {
  auto items = mutations_of(request);
  const auto* apply = std::get_if<apply_message>(&request);
  const auto* batch = std::get_if<batch_message>(&request);
  const auto& within = apply != nullptr ? apply->scope : batch->scope;
  if (within == nullptr || items.empty()) return items;
  if (const auto code =
          refusal_of(state, viewer_of_mutation(scoped_mutation{items.front(), within}), now))
    return std::unexpected(*code);
  return admitted(state, items, *within);
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
