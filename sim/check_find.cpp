/// Oracle "find": ids, order, scores bit by bit and everything else of an answer, at the seq that
/// the answer names.

#include <algorithm>

#include <fmt/format.h>

#include "query/find/find.hpp"
#include "sim/check_reply.hpp"
#include "sim/model_find.hpp"

namespace mneme::sim {

namespace {

constexpr auto find_oracle = "find";

std::vector<memory_id> ids_of(const find_result& r) {
  std::vector<memory_id> ids;
  ids.reserve(r.memories.size());
  for (const auto& m : r.memories) ids.push_back(m.head->id);
  return ids;
}

std::string list_of(const find_result& r) {
  std::string text;
  for (const auto& id : ids_of(r)) text += to_string(id).substr(18) + " ";
  return text;
}

/// Empty if they are the same.
std::string difference(const find_result& got, const find_result& expected) {
  if (ids_of(got) != ids_of(expected))
    return fmt::format("ids [ {}] instead of [ {}]", list_of(got), list_of(expected));
  for (std::size_t i = 0; i < got.memories.size(); ++i)
    if (!same(got.memories[i], expected.memories[i]))
      return fmt::format("memory {} has another {}", to_string(got.memories[i].head->id),
                         got.memories[i].head != expected.memories[i].head         ? "head"
                         : got.memories[i].version != expected.memories[i].version ? "version"
                         : got.memories[i].standing != expected.memories[i].standing
                             ? "standing"
                             : "activation");
  if (got.past != expected.past) return "other marks of what no longer holds";
  if (got.scores != expected.scores) return "other scores";
  if (got.distances != expected.distances) return "other distances";
  if (got.hops != expected.hops) return "other hops";
  if (got.via != expected.via) return "other via edges";
  if (got.rendered != expected.rendered) return "other rendered texts";
  if (got.told != expected.told) return "other values of fields";
  if (got.rendered_tokens != expected.rendered_tokens) return "other token counts";
  if (got.trimmed_by_budget != expected.trimmed_by_budget)
    return fmt::format("{} trimmed instead of {}", got.trimmed_by_budget,
                       expected.trimmed_by_budget);
  if (got.total != expected.total)
    return fmt::format("total {} instead of {}", got.total.value_or(-1),
                       expected.total.value_or(-1));
  if (got.form != expected.form || got.form_defaulted != expected.form_defaulted)
    return "another form";
  if (got.truncated != expected.truncated) return "another truncated";
  if (got.near_mode != expected.near_mode) return "another near_mode";
  return {};
}

/// The touch that a late-binding find has to have journaled.
check_result check_touch(evidence& known, const operation& op, const find_request& r,
                         const find_result& answer) {
  if (!r.late_binding)
    return answer.seq ? wrong(find_oracle, "a plain find names an entry of its own")
                      : check_result{};
  if (!answer.seq) return wrong(find_oracle, "a late-binding find names no entry");
  const auto claimed = claim_touch(known, op, *answer.seq, answer.at_seq);
  const auto* entered = claimed ? std::get_if<find_late_payload>(&*claimed) : nullptr;
  if (entered == nullptr)
    return wrong(find_oracle, fmt::format("seq {} is not its touch", answer.seq->value));
  find_late_payload expected;
  if (r.where) expected.predicate = to_text(*r.where);
  expected.types = r.types;
  expected.tags = tags_demanded(r);
  expected.limit = r.limit;
  expected.result_count = static_cast<std::int64_t>(answer.memories.size());
  expected.accessed = ids_of(answer);
  expected.actor = viewer_of(r).name();
  expected.nonce = entered->nonce;
  if (*entered != expected)
    return wrong(find_oracle,
                 fmt::format("its touch at seq {} says something else", answer.seq->value));
  return {};
}

check_result check_found(evidence& known, const operation& op, const find_request& r,
                         const find_result& answer) {
  const auto [first, last] = window_of(known, op);
  const seq_no at = answer.at_seq;
  if (r.at_seq ? at != *r.at_seq || !may_be_readable(known, op, at) : at < first || at > last)
    return wrong(find_oracle, fmt::format("answered at seq {}, while {} to {} were published",
                                          at.value, first.value, last.value));
  if (answer.plan.has_value() != r.explain) return wrong(find_oracle, "the plan was not asked for");
  if (answer.total.value_or(0) > answer.candidates_scanned)
    return wrong(find_oracle, "fewer candidates than hits");
  std::string why;
  for (const timestamp now : presents_of(known, op, r.at_seq)) {
    const auto expected = find_in(known.truth, r, at, now);
    if (!expected)
      return wrong(find_oracle, fmt::format("answered at seq {} instead of {}", at.value,
                                            to_string(expected.error())));
    why = difference(answer, *expected);
    if (why.empty()) return check_touch(known, op, r, answer);
  }
  return wrong(find_oracle, fmt::format("at seq {}: {}", at.value, why));
}

/// Was the version replaced before everything that is retained? Its vector is gone then.
bool is_long_past(const evidence& known, const memory_uri& uri) {
  const std::uint64_t last = known.truth.last().value;
  const seq_no oldest{
      std::max(known.may_begin.value, last - std::min(last, known.setup.retained_seqs))};
  const auto h = known.truth.head_at(uri.id, oldest);
  return h && h->current_version > uri.version;
}

check_result check_not_found(const evidence& known, const operation& op, const find_request& r,
                             const error& e) {
  const auto [first, last] = window_of(known, op);
  if (op.expected_error && *op.expected_error == e.code) return {};
  // The window may move past a query that is under way.
  if (e.code == errc::seq_unavailable && may_be_out_of_range(known, op, r.at_seq.value_or(first)))
    return {};
  // A world has one space, whatever seq is asked about: an early seq meets the space of now.
  if (r.near_vector && r.at_seq && e.code == errc::dim_mismatch) {
    const std::uint32_t dim = known.truth.space_at(last).dim;
    if (dim != 0 && dim != r.near_vector->size()) return {};
  }
  if (r.near_uri && e.code == errc::trimmed
      && known.truth.trimmed_by(r.near_uri->id, r.near_uri->version, last))
    return {};
  if (r.near_uri && e.code == errc::no_vector && is_long_past(known, *r.near_uri)) return {};
  const timestamp now = known.clock->now();
  for (seq_no at = r.at_seq.value_or(first); at <= last; at = at.next()) {
    const auto expected = find_in(known.truth, r, at, now);
    if (!op.expected_error && !expected && expected.error() == e.code) return {};
    if (r.at_seq) break;
  }
  return wrong(find_oracle, fmt::format("refused with {} ({})", to_string(e.code), e.message));
}

} // namespace

check_result check_find_reply(evidence& known, const operation& op, const find_request& r,
                              const result<find_reply>& answer) {
  if (const auto verdict = scope_verdict(known, op, r, answer)) return *verdict;
  if (is_outage(known, r, answer) || is_overdue(r, answer)) return {};
  if (!answer) return check_not_found(known, op, r, answer.error());
  if (op.expected_error)
    return wrong(find_oracle,
                 fmt::format("answered instead of refused with {}", to_string(*op.expected_error)));
  return check_found(known, op, r, **answer);
}

} // namespace mneme::sim
