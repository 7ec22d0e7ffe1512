/// Oracle "write": the answer to a mutation is what its entries say; one that changed nothing or
/// was refused must be explained by a state that was published while it was under way.

#include <algorithm>

#include <fmt/format.h>

#include "sim/check_reply.hpp"
#include "sim/model_write.hpp"

namespace mneme::sim {

namespace {

constexpr auto oracle = "write";

bool same(const mutation_result& a, const mutation_result& b) {
  return a.changed == b.changed && a.seq == b.seq && a.uri == b.uri;
}

std::string text_of(const mutation_result& r) {
  return fmt::format("{} at seq {}{}", r.changed ? "changed" : "unchanged", r.seq.value,
                     r.uri ? ", " + to_string(*r.uri) : std::string());
}

check_result check_entered(const evidence& known, const operation& op, const batch_result& answer) {
  const auto& expected = known.entered.at(op.number).results;
  if (answer.results.size() != expected.results.size())
    return wrong(oracle, "another number of results");
  for (std::size_t i = 0; i < answer.results.size(); ++i)
    if (!same(answer.results[i], expected.results[i]))
      return wrong(oracle, fmt::format("item {} answers \"{}\" instead of \"{}\"", i,
                                       text_of(answer.results[i]), text_of(expected.results[i])));
  if (answer.seq != expected.seq) return wrong(oracle, "the seq is not that of the last item");
  return {};
}

/// What the whole request does to `state`, which is changed.
struct whole_outcome {
  std::optional<errc> refused;
  std::size_t refused_item = 0;
  bool changes = false;
  std::vector<std::optional<memory_uri>> uris;
};
whole_outcome try_on(model& state, const operation& op, timestamp now) {
  whole_outcome whole;
  const auto items = mutations_of(op.request);
  const seq_no before = state.last();
  for (std::size_t i = 0; i < items.size() && !whole.refused; ++i) {
    drawn_values placeholder;
    placeholder.id.bytes.fill(0xFF);
    placeholder.id.bytes[15] = static_cast<std::uint8_t>(i);
    const auto out = outcome_of(state, items[i], now, placeholder);
    whole.uris.push_back(out.uri);
    whole.refused = out.refused;
    whole.refused_item = i;
    if (!out.payload) continue;
    whole.changes = true;
    state.commit(state.last().next(), *out.payload, now);
  }
  state.truncate(before);
  return whole;
}

check_result check_unchanged(const evidence& known, const operation& op,
                             const batch_result& answer) {
  const auto [first, last] = window_of(known, op);
  if (answer.seq < first || answer.seq > last)
    return wrong(oracle, fmt::format("nothing was changed at seq {}, which was not the current one",
                                     answer.seq.value));
  model state = known.truth;
  state.truncate(answer.seq);
  const auto whole = try_on(state, op, known.clock->now());
  if (whole.refused || whole.changes)
    return wrong(oracle, fmt::format("it answers that nothing had to be changed at seq {}",
                                     answer.seq.value));
  for (std::size_t i = 0; i < answer.results.size(); ++i)
    if (!same(answer.results[i], {false, answer.seq, whole.uris[i]}))
      return wrong(oracle, fmt::format("item {} answers \"{}\"", i, text_of(answer.results[i])));
  return {};
}

check_result check_refused(const evidence& known, const operation& op, const error& e) {
  const auto names_item = [&](std::size_t item) {
    return std::holds_alternative<apply_message>(op.request)
           || e.at.starts_with(fmt::format("items[{}]", item));
  };
  if (op.expected_error) {
    if (e.code == *op.expected_error && names_item(mutations_of(op.request).size() - 1)) return {};
    return wrong(oracle, fmt::format("refused with {} at \"{}\" instead of {}", to_string(e.code),
                                     e.at, to_string(*op.expected_error)));
  }
  const auto [first, last] = window_of(known, op);
  model state = known.truth;
  for (seq_no at = last;; at = {at.value - 1}) {
    state.truncate(at);
    const auto whole = try_on(state, op, known.clock->now());
    if (whole.refused == e.code && names_item(whole.refused_item)) return {};
    if (at <= first) break;
  }
  return wrong(oracle, fmt::format("refused with {} at \"{}\" ({}), which no state from seq {} to "
                                   "{} explains",
                                   to_string(e.code), e.at, e.message, first.value, last.value));
}

} // namespace

check_result check_write_reply(evidence& known, operation& op, const result<batch_result>& answer) {
  if (op.entered && !answer)
    return wrong(oracle,
                 fmt::format("it is journaled, but answers {}", to_string(answer.error().code)));
  if (op.entered) return check_entered(known, op, *answer);
  if (!answer) return check_refused(known, op, answer.error());
  if (op.expected_error)
    return wrong(oracle, fmt::format("it succeeds instead of being refused with {}",
                                     to_string(*op.expected_error)));
  const bool any = std::ranges::any_of(answer->results, &mutation_result::changed);
  if (any) return wrong(oracle, "it answers a change that is not in the journal");
  return check_unchanged(known, op, *answer);
}

} // namespace mneme::sim
