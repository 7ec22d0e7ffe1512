/// Oracle "write": the answer to a mutation is what its entries say; one that changed nothing or
/// was refused must be explained by a state that was published while it was under way.

#include <algorithm>

#include <fmt/format.h>

#include "sim/check_reply.hpp"
#include "sim/outcomes.hpp"

namespace mneme::sim {

namespace {

constexpr auto write_oracle = "write";

/// But for the topics that an ingest found similar.
bool same(const mutation_result& a, const mutation_result& b) {
  if (a.changed != b.changed || a.seq != b.seq || a.uri != b.uri || a.tag != b.tag
      || a.weights != b.weights || a.restored != b.restored || a.put != b.put || a.swept != b.swept
      || a.more != b.more || a.topics.has_value() != b.topics.has_value())
    return false;
  return !a.topics
         || (a.topics->applied == b.topics->applied && a.topics->revisions == b.topics->revisions
             && a.topics->merged == b.topics->merged && a.topics->archived == b.topics->archived);
}

/// What a write names was like it when it was written, or, where that is not retained any more,
/// later.
check_result check_resemblance(const evidence& known, const mutation& m, const scope* within,
                               const mutation_result& got) {
  const auto* w = std::get_if<write_request>(&m);
  const auto* r = std::get_if<ingest_request>(&m);
  const bool is_asked = w != nullptr && w->similar;
  if (got.similar.has_value() != is_asked)
    return wrong(write_oracle, "what a write is like is named where nobody asked, or is not");
  const bool names_titles = r != nullptr && r->title;
  if (!is_asked && !names_titles) {
    if (!got.topics || got.topics->same_title_ids.empty()) return {};
    return wrong(write_oracle, "titles are compared that were not given");
  }
  const memory_id& id = got.uri->id;
  const viewer who = within != nullptr ? viewer{{}, within}
                     : is_asked        ? viewer_of(*w)
                                       : viewer_of(*r);
  for (seq_no at = got.seq; at <= known.truth.last(); at = at.next())
    if (is_asked ? resemblance_of(known.truth, id, who, at) == *got.similar
                 : same_titles(known.truth, id, who, at) == got.topics->same_title_ids)
      return {};
  return wrong(write_oracle, "what a write is like is that of no state");
}

/// What an ingest calls similar was so in some state that was published before it, or, where that
/// is not retained any more, before its answer; then the topic's vector may be that state's, too.
check_result check_similar(const evidence& known, const operation& op, const mutation& m,
                           const scope* within, const mutation_result& got) {
  if (auto ok = check_resemblance(known, m, within, got); !ok) return ok;
  const auto* r = std::get_if<ingest_request>(&m);
  if (r == nullptr) return {};
  const memory_id& topic = got.uri->id;
  const viewer who = within != nullptr ? viewer{{}, within} : viewer_of(*r);
  const auto agrees = [&](const std::vector<float>& vector, seq_no at) {
    return similar_topics(known.truth, topic, vector, who, at) == got.topics->similar_topic_ids;
  };
  const auto written = known.truth.vector_at(topic, got.seq);
  for (seq_no at = op.published_at_send; at <= known.truth.last(); at = at.next())
    if (agrees(written, at) || (at > got.seq && agrees(known.truth.vector_at(topic, at), at)))
      return {};
  return wrong(write_oracle, "the similar topics are those of no state");
}

/// The scope of a write that is no tick.
const scope* within_of(const operation& op) {
  const auto scopes = scopes_in(op.request);
  return scopes.empty() ? nullptr : scopes.front();
}

std::string text_of(const mutation_result& r) {
  return fmt::format("{} at seq {}{}", r.changed ? "changed" : "unchanged", r.seq.value,
                     r.uri ? ", " + to_string(*r.uri) : std::string());
}

check_result check_answered(const evidence& known, const operation& op, const mutation& m,
                            const scope* within, const mutation_result& got,
                            const mutation_result& expected, std::size_t i) {
  if (!same(got, expected))
    return wrong(write_oracle, fmt::format("item {} answers \"{}\" instead of \"{}\"", i,
                                           text_of(got), text_of(expected)));
  return check_similar(known, op, m, within, got);
}

check_result check_entered(const evidence& known, const operation& op, const batch_result& answer) {
  const auto& expected = known.entered.at(op.number).results;
  if (answer.results.size() != expected.results.size())
    return wrong(write_oracle, "another number of results");
  const auto items = mutations_of(op.request);
  for (std::size_t i = 0; i < answer.results.size(); ++i)
    if (auto ok = check_answered(known, op, items[i], within_of(op), answer.results[i],
                                 expected.results[i], i);
        !ok)
      return ok;
  if (answer.seq != expected.seq)
    return wrong(write_oracle, "the seq is not that of the last item");
  return {};
}

/// What the whole request does to `state`, which is as before afterwards.
struct whole_outcome {
  std::optional<errc> refused;
  std::size_t refused_item = 0;
  bool by_scope = false;
  bool changes = false;
  std::vector<mutation_result> results;
};
whole_outcome try_on(model& state, const operation& op, timestamp now) {
  whole_outcome whole;
  const auto allowed = permitted(state, op.request, now);
  if (!allowed) {
    whole.refused = allowed.error();
    whole.by_scope = true;
    return whole;
  }
  const auto& items = *allowed;
  const seq_no before = state.last();
  imagined_entries imagined(state, now);
  for (std::size_t i = 0; i < items.size() && !whole.refused; ++i) {
    const auto out = outcome_of(state, items[i], now, imagined, within_of(op));
    whole.results.push_back(result_of(out, state.last()));
    whole.refused = out.refused;
    whole.refused_item = i;
    whole.changes |= out.changed;
  }
  state.truncate(before);
  return whole;
}

check_result check_unchanged(const evidence& known, const operation& op,
                             const batch_result& answer) {
  const auto [first, last] = window_of(known, op);
  if (answer.seq < first || answer.seq > last)
    return wrong(write_oracle,
                 fmt::format("nothing was changed at seq {}, which was not the current one",
                             answer.seq.value));
  model state = known.truth;
  state.truncate(answer.seq);
  whole_outcome whole;
  // What has expired, for one, is a question of when it ran.
  for (const timestamp now : known.clock->shown_since(op.clock_mark)) {
    whole = try_on(state, op, now);
    if (!whole.refused && !whole.changes) break;
  }
  if (whole.refused || whole.changes)
    return wrong(write_oracle, fmt::format("it answers that nothing had to be changed at seq {}",
                                           answer.seq.value));
  const auto items = mutations_of(op.request);
  for (std::size_t i = 0; i < answer.results.size(); ++i)
    if (auto ok = check_answered(known, op, items[i], within_of(op), answer.results[i],
                                 whole.results[i], i);
        !ok)
      return ok;
  return {};
}

check_result check_refused(const evidence& known, const operation& op, const error& e) {
  const auto names_item = [&](std::size_t item) {
    return std::holds_alternative<apply_message>(op.request)
           || e.at.starts_with(fmt::format("items[{}]", item));
  };
  if (op.expected_error) {
    if (e.code == *op.expected_error && names_item(mutations_of(op.request).size() - 1)) return {};
    return wrong(write_oracle, fmt::format("refused with {} at \"{}\" instead of {}",
                                           to_string(e.code), e.at, to_string(*op.expected_error)));
  }
  const auto [first, last] = window_of(known, op);
  model state = known.truth;
  for (seq_no at = last;; at = {at.value - 1}) {
    state.truncate(at);
    for (const timestamp now : times_of(known, op, within_of(op))) {
      const auto whole = try_on(state, op, now);
      if (whole.refused == e.code && (whole.by_scope || names_item(whole.refused_item))) return {};
    }
    if (at <= first) break;
  }
  return wrong(write_oracle,
               fmt::format("refused with {} at \"{}\" ({}), which no state from seq {} to "
                           "{} explains",
                           to_string(e.code), e.at, e.message, first.value, last.value));
}

} // namespace

check_result check_write_reply(evidence& known, operation& op, const result<batch_result>& answer) {
  if (op.entered && !answer)
    return wrong(write_oracle,
                 fmt::format("it is journaled, but answers {}", to_string(answer.error().code)));
  if (op.entered) return check_entered(known, op, *answer);
  if (!answer) return check_refused(known, op, answer.error());
  if (op.expected_error)
    return wrong(write_oracle, fmt::format("it succeeds instead of being refused with {}",
                                           to_string(*op.expected_error)));
  const bool any = std::ranges::any_of(answer->results, &mutation_result::changed);
  if (any) return wrong(write_oracle, "it answers a change that is not in the journal");
  return check_unchanged(known, op, *answer);
}

namespace {

bool same(const attest_result& a, const attest_result& b) {
  return a.skipped == b.skipped && a.learned == b.learned && a.weights == b.weights
         && a.seq == b.seq;
}

} // namespace

bool same(const compact_result& a, const compact_result& b) {
  const auto same_kept = [](const kept_memory& x, const kept_memory& y) {
    return x.uri == y.uri && x.text == y.text && x.tokens == y.tokens && x.salience == y.salience;
  };
  return a.seq == b.seq && a.tokens == b.tokens && a.skipped == b.skipped
         && a.compacted == b.compacted && std::ranges::equal(a.kept, b.kept, same_kept);
}

check_result check_agent_write(const evidence& known, const operation& op, const tick_write& w,
                               const result<tick_write_answer>& got,
                               const std::expected<tick_write_answer, errc>& expected) {
  if (!got || !expected) {
    if (!got && !expected && got.error().code == expected.error()) return {};
    return wrong(write_oracle,
                 fmt::format("an agent's write is answered with {} instead of {}",
                             got ? std::string_view("success") : to_string(got.error().code),
                             expected ? std::string_view("success") : to_string(expected.error())));
  }
  if (const auto* m = std::get_if<scoped_mutation>(&w))
    return check_answered(known, op, m->request, m->scope.get(), std::get<mutation_result>(*got),
                          std::get<mutation_result>(*expected), 0);
  const bool equal =
      std::holds_alternative<attest_request>(w)
          ? same(std::get<attest_result>(*got), std::get<attest_result>(*expected))
          : same(std::get<compact_result>(*got), std::get<compact_result>(*expected));
  if (equal) return {};
  return wrong(write_oracle, std::holds_alternative<attest_request>(w) ? "another attest result"
                                                                       : "another compact result");
}

} // namespace mneme::sim
