/// Oracles "retrieve", "chroma", "search" and "context": everything that a door answers, at the seq
/// that the answer names and at a time that the clock has shown, and what it touched.

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "sim/check_reply.hpp"
#include "sim/model_doors.hpp"

namespace mneme::sim {

namespace {

template <class Answer>
using door_answer = std::function<std::expected<Answer, errc>(seq_no at, timestamp now)>;

template <class Request>
std::size_t dim_given(const Request& r) {
  if constexpr (requires { r.vector; }) return r.vector ? r.vector->size() : 0;
  return 0;
}

template <class Answer, class Request>
check_result check_refusal(const evidence& known, const operation& op, std::string_view oracle,
                           const Request& r, const error& e, const door_answer<Answer>& expected) {
  if (op.expected_error == e.code) return {};
  const auto [first, last] = window_of(known, op);
  // The window may move past a query that is under way.
  if (e.code == errc::seq_unavailable && may_be_out_of_range(known, op, r.at_seq.value_or(first)))
    return {};
  // A world has one space, whatever seq is asked about: an early seq meets the space of now.
  const auto dim = r.at_seq ? known.truth.space_at(last).dim : 0;
  if (e.code == errc::dim_mismatch && dim_given(r) != 0 && dim != 0 && dim != dim_given(r))
    return {};
  // By any time that was shown meanwhile: what had not ended when it was asked may have by now.
  const auto presents = presents_of(known, op, r.at_seq);
  for (seq_no at = r.at_seq.value_or(first); at <= last && !op.expected_error; at = at.next()) {
    for (const timestamp now : presents) {
      const auto answer = expected(at, now);
      if (!answer && answer.error() == e.code) return {};
    }
    if (r.at_seq) break;
  }
  return wrong(std::string(oracle),
               fmt::format("refused with {} ({})", to_string(e.code), e.message));
}

/// Looks for a time at which the model gives the answer that the engine gave.
template <class Answer, class Request, class Difference>
check_result explain_door(const evidence& known, const operation& op, std::string_view oracle,
                          const Request& r, const result<std::shared_ptr<const Answer>>& answer,
                          const door_answer<Answer>& expected, Difference difference) {
  if (!answer) return check_refusal(known, op, oracle, r, answer.error(), expected);
  const std::string name(oracle);
  if (op.expected_error)
    return wrong(name,
                 fmt::format("answered instead of refused with {}", to_string(*op.expected_error)));
  const auto [first, last] = window_of(known, op);
  const seq_no at = (*answer)->at_seq;
  if (r.at_seq ? at != *r.at_seq || !may_be_readable(known, op, at) : at < first || at > last)
    return wrong(name, fmt::format("answered at seq {}, while {} to {} were published", at.value,
                                   first.value, last.value));
  std::string why;
  for (const timestamp now : presents_of(known, op, r.at_seq)) {
    const auto e = expected(at, now);
    // What ends meanwhile may also decide whether it is refused.
    why =
        e ? difference(**answer, *e) : fmt::format("answered instead of {}", to_string(e.error()));
    if (why.empty()) return {};
  }
  return wrong(name, fmt::format("at seq {}: {}", at.value, why));
}

std::string listed(const std::vector<memory_id>& ids) {
  std::string text;
  for (const auto& id : ids) text += to_string(id).substr(18) + " ";
  return text;
}
std::string other_ids(const std::vector<memory_id>& got, const std::vector<memory_id>& expected) {
  if (got == expected) return {};
  return fmt::format("ids [ {}] instead of [ {}]", listed(got), listed(expected));
}

/// The reinforce entry that a query has to have left for what it returned: `may_touch` has what its
/// answer comes from, once for every time that explains it; these differ where a profile of the
/// host drops rows whose order hung on the time.
check_result check_bump(evidence& known, const operation& op, reinforcing_door door, bool touches,
                        const std::string& actor,
                        const std::vector<std::vector<memory_id>>& may_touch,
                        const std::optional<seq_no>& seq, seq_no at) {
  const std::string name(to_string(door));
  if (!touches || may_touch.front().empty())
    return seq ? wrong(name, "a touch that nobody asked for") : check_result{};
  if (!seq) return wrong(name, "it names no reinforce entry");
  const auto claimed = claim_touch(known, op, *seq, at);
  const auto* bump = claimed ? std::get_if<reinforce_payload>(&*claimed) : nullptr;
  if (bump == nullptr) return wrong(name, fmt::format("seq {} is not its touch", seq->value));
  std::vector<memory_id> bumped;
  bumped.reserve(bump->items.size());
  for (const auto& item : bump->items) bumped.push_back(item.id);
  const bool may_be = std::ranges::find(may_touch, bumped) != may_touch.end();
  if (bump->door != door || bump->actor != actor || !may_be)
    return wrong(name,
                 fmt::format("its touch at seq {} says something else: actor '{}' instead of "
                             "'{}', {}",
                             seq->value, bump->actor, actor, other_ids(bumped, may_touch.front())));
  return {};
}

std::vector<memory_id> ids_of(const retrieve_result& r) {
  std::vector<memory_id> ids;
  ids.reserve(r.candidates.size());
  for (const auto& c : r.candidates) ids.push_back(c.topic_id);
  return ids;
}

bool same_views(const std::optional<std::vector<topic_field_view>>& a,
                const std::optional<std::vector<topic_field_view>>& b) {
  const auto same_view = [](const topic_field_view& x, const topic_field_view& y) {
    return x.field == y.field && x.current == y.current && x.history == y.history;
  };
  return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b, same_view));
}

bool same_neighbours(const std::optional<std::vector<topic_neighbour>>& a,
                     const std::optional<std::vector<topic_neighbour>>& b) {
  const auto same_one = [](const topic_neighbour& x, const topic_neighbour& y) {
    return x.id == y.id && x.title == y.title && x.kind == y.kind && x.outgoing == y.outgoing;
  };
  return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b, same_one));
}

std::string retrieve_difference(const retrieve_result& got, const retrieve_result& expected) {
  if (auto why = other_ids(ids_of(got), ids_of(expected)); !why.empty()) return why;
  for (std::size_t i = 0; i < got.candidates.size(); ++i) {
    const topic_bundle& a = got.candidates[i];
    const topic_bundle& b = expected.candidates[i];
    const char* what = a.title != b.title || a.summary != b.summary || a.topic_kind != b.topic_kind
                           ? "text"
                       : a.salience_e9 != b.salience_e9 ? "salience"
                       : a.similarity != b.similarity   ? "similarity"
                       : a.standing != b.standing || a.trust_told != b.trust_told
                               || a.source_class != b.source_class
                           ? "trust"
                       : a.past != b.past                             ? "marks"
                       : !same_views(a.fields, b.fields)              ? "fields"
                       : !same_neighbours(a.neighbours, b.neighbours) ? "neighbours"
                                                                      : nullptr;
    if (what != nullptr) return fmt::format("topic {} has other {}", to_string(a.topic_id), what);
  }
  return got.summary_text == expected.summary_text ? "" : "another summary";
}

std::vector<memory_id> ids_of(const chroma_result& r) {
  std::vector<memory_id> ids;
  ids.reserve(r.rows.size());
  for (const auto& row : r.rows) ids.push_back(row.memory.head->id);
  return ids;
}

std::string chroma_difference(const chroma_result& got, const chroma_result& expected) {
  if (got.point.L != expected.point.L || got.point.a != expected.point.a
      || got.point.b != expected.point.b || got.point.node_id != expected.point.node_id
      || got.point.counts != expected.point.counts || got.hashtags != expected.hashtags)
    return "another point";
  if (auto why = other_ids(ids_of(got), ids_of(expected)); !why.empty()) return why;
  for (std::size_t i = 0; i < got.rows.size(); ++i) {
    const chroma_row& a = got.rows[i];
    const chroma_row& b = expected.rows[i];
    const char* what = !same(a.memory, b.memory)            ? "memory"
                       : a.label != b.label                 ? "label"
                       : a.distance != b.distance           ? "distance"
                       : a.relevance != b.relevance         ? "relevance"
                       : a.recency != b.recency             ? "recency"
                       : a.strength_norm != b.strength_norm ? "strength_norm"
                       : a.health != b.health               ? "health"
                       : a.score != b.score                 ? "score"
                       : a.past != b.past                   ? "mark"
                                                            : nullptr;
    if (what != nullptr)
      return fmt::format("row {} has another {}", to_string(a.memory.head->id), what);
  }
  if (got.notes != expected.notes || got.traits != expected.traits) return "other notes";
  return got.profile == expected.profile ? "" : "another profile";
}

std::vector<memory_id> ids_of(const search_result& r) {
  std::vector<memory_id> ids;
  ids.reserve(r.results.size());
  for (const auto& hit : r.results) ids.push_back(hit.uri.id);
  return ids;
}

bool same_items(const std::vector<lineage_item>& a, const std::vector<lineage_item>& b) {
  return std::ranges::equal(a, b, [](const lineage_item& x, const lineage_item& y) {
    return x.uri == y.uri && x.title == y.title && x.status == y.status;
  });
}

bool same_hit(const search_hit& a, const search_hit& b) {
  const bool same_lineage = a.lineage.has_value() == b.lineage.has_value()
                            && (!a.lineage
                                || (same_items(a.lineage->ancestors, b.lineage->ancestors)
                                    && same_items(a.lineage->descendants, b.lineage->descendants)
                                    && a.lineage->truncated == b.lineage->truncated));
  return same_lineage && a.uri == b.uri && a.path == b.path && a.chunk_index == b.chunk_index
         && a.title == b.title && a.content == b.content && a.field == b.field
         && a.truncated == b.truncated && a.status == b.status && a.overdue == b.overdue
         && a.ended == b.ended && a.superseded == b.superseded && a.older_of == b.older_of
         && a.due_date == b.due_date && a.audience == b.audience && a.project == b.project
         && a.tags == b.tags && a.metadata == b.metadata && a.rendered == b.rendered
         && a.tokens == b.tokens && a.created_at == b.created_at && a.updated_at == b.updated_at
         && a.standing == b.standing && a.trust_told == b.trust_told
         && a.source_class == b.source_class;
}

std::string leg_text(const leg_coverage& c) {
  return fmt::format("{} searched, {} candidates, {} below the floor, {} cut, {} promoted, {} "
                     "ended, {} distrusted, {} superseded, {} overviews, {} returned, {} sources",
                     c.searched, c.candidates, c.below_floor, c.cut, c.promoted_hidden, c.ended,
                     c.distrusted, c.superseded, c.overviews, c.returned, c.indexed_sources);
}

std::string search_difference(const search_result& got, const search_result& expected) {
  if (auto why = other_ids(ids_of(got), ids_of(expected)); !why.empty())
    return fmt::format("{} (memories: \"{}\" instead of \"{}\"; content: \"{}\" instead of \"{}\")",
                       why, leg_text(got.coverage.memory), leg_text(expected.coverage.memory),
                       leg_text(got.coverage.content), leg_text(expected.coverage.content));
  for (std::size_t i = 0; i < got.results.size(); ++i) {
    const search_hit& a = got.results[i];
    const search_hit& b = expected.results[i];
    // The same sums in another order of operations: equal but for the last bits.
    if (std::abs(a.score - b.score) > 1e-9 || std::abs(a.raw_score - b.raw_score) > 1e-9)
      return fmt::format("hit {} has score {} (raw {}) instead of {} (raw {})", to_string(a.uri.id),
                         a.score, a.raw_score, b.score, b.raw_score);
    if (!same_hit(a, b)) return fmt::format("hit {} says something else", to_string(a.uri.id));
  }
  for (const auto leg : {&search_coverage::memory, &search_coverage::content})
    if (leg_text(got.coverage.*leg) != leg_text(expected.coverage.*leg))
      return fmt::format("the coverage \"{}\" instead of \"{}\"", leg_text(got.coverage.*leg),
                         leg_text(expected.coverage.*leg));
  if (std::abs(got.coverage.best_match - expected.coverage.best_match) > 1e-9)
    return fmt::format("the best match {} instead of {}", got.coverage.best_match,
                       expected.coverage.best_match);
  if (got.coverage.not_found_ids != expected.coverage.not_found_ids) return "other not_found_ids";
  if (got.sort != expected.sort) return "another sort";
  if (!got.embedder_problem.empty() && got.query.empty()) return "an embedder that nobody asked";
  if (got.form != expected.form || got.tokens != expected.tokens) return "other tokens";
  return got.query == expected.query && got.applied_audience == expected.applied_audience
             ? ""
             : "another envelope";
}

std::string select_difference(const select_result& got, const select_result& expected) {
  const auto same = [](const selected_memory& a, const selected_memory& b) {
    return a.uri == b.uri && a.why == b.why && a.text == b.text && a.standing == b.standing
           && a.trust_told == b.trust_told && a.source_class == b.source_class;
  };
  if (!std::ranges::equal(got.selected, expected.selected, same))
    return fmt::format("{} selected instead of {}", got.selected.size(), expected.selected.size());
  return got.selected.empty() && got.note.empty() ? "nothing selected, and no note" : "";
}

/// Where the first item differs; empty where none does.
std::string tier_difference(const char* tier, const std::vector<context_item>& got,
                            const std::vector<context_item>& expected) {
  const auto what = [](const context_item& x, const context_item& y) {
    return x.uri != y.uri                             ? "memory"
           : x.text != y.text || x.tokens != y.tokens ? "text"
           : x.salience != y.salience                 ? "salience"
           : x.by != y.by || x.at != y.at             ? "origin"
           : std::abs(x.score - y.score) > 1e-9       ? "score"
           : x.standing != y.standing || x.trust_told != y.trust_told
                   || x.source_class != y.source_class
               ? "trust"
           : x.past != y.past || x.older_of != y.older_of ? "mark"
                                                          : nullptr;
  };
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
    if (const char* other = what(got[i], expected[i]); other != nullptr)
      return fmt::format("{} {}: another {}: {} ({}, {}) instead of {} ({}, {})", tier, i, other,
                         to_string(got[i].uri), got[i].score, got[i].salience,
                         to_string(expected[i].uri), expected[i].score, expected[i].salience);
  if (got.size() == expected.size()) return {};
  return fmt::format("{}: {} items instead of {}", tier, got.size(), expected.size());
}

std::string context_difference(const context_result& got, const context_result& expected) {
  for (auto why : {tier_difference("pinned", got.pinned, expected.pinned),
                   tier_difference("outcomes", got.outcomes, expected.outcomes),
                   tier_difference("framed", got.frame_relevant, expected.frame_relevant),
                   tier_difference("found", got.found, expected.found),
                   tier_difference("notable", got.notable, expected.notable)})
    if (!why.empty()) return why;
  if (got.no_good_match != expected.no_good_match) return "another word on what matches";
  if (got.more != expected.more)
    return fmt::format("{} more instead of {}", got.more, expected.more);
  if (got.tokens != expected.tokens || got.budget_tokens != expected.budget_tokens)
    return "other tokens";
  return got.reachable_uris == expected.reachable_uris ? "" : "other reachable uris";
}

/// What a chroma query touched, by every shown time at which its answer is `got`; at least one.
std::vector<std::vector<memory_id>> touched_by(const evidence& known, const operation& op,
                                               const chroma_request& r, const chroma_result& got) {
  std::vector<std::vector<memory_id>> lists;
  for (const timestamp now : presents_of(known, op, r.at_seq)) {
    auto out = chroma_in(known.truth, r, got.at_seq, now);
    if (out && chroma_difference(got, out->answer).empty()
        && std::ranges::find(lists, out->touched) == lists.end())
      lists.push_back(std::move(out->touched));
  }
  ensure(!lists.empty(), "a time explains the answer");
  return lists;
}

/// Whether a query touches what it returns.
template <class Request>
bool touches(const Request& r) {
  return r.touch.value_or(!r.at_seq) && viewer_of(r).may_touch();
}

} // namespace

check_result check_retrieve_reply(evidence& known, const operation& op, const retrieve_request& r,
                                  const result<retrieve_reply>& answer) {
  if (const auto verdict = scope_verdict(known, op, r, answer)) return *verdict;
  if (is_overdue(r, answer)) return {};
  if (is_outage(known, r, answer)) return {};
  const door_answer<retrieve_result> expected = [&](seq_no at, timestamp now) {
    return retrieve_in(known.truth, r, at, now);
  };
  if (auto ok = explain_door(known, op, "retrieve", r, answer, expected, retrieve_difference);
      !ok || !answer)
    return ok;
  return check_bump(known, op, reinforcing_door::retrieve, touches(r), viewer_of(r).name(),
                    {ids_of(**answer)}, (*answer)->seq, (*answer)->at_seq);
}

check_result check_chroma_reply(evidence& known, const operation& op, const chroma_request& r,
                                const result<chroma_reply>& answer) {
  if (const auto verdict = scope_verdict(known, op, r, answer)) return *verdict;
  if (is_overdue(r, answer)) return {};
  const door_answer<chroma_result> expected =
      [&](seq_no at, timestamp now) -> std::expected<chroma_result, errc> {
    auto out = chroma_in(known.truth, r, at, now);
    if (!out) return std::unexpected(out.error());
    return std::move(out->answer);
  };
  if (auto ok = explain_door(known, op, "chroma", r, answer, expected, chroma_difference);
      !ok || !answer)
    return ok;
  const auto touched = touched_by(known, op, r, **answer);
  const bool waits = known.setup.touches == touch_mode::batched
                     && !std::holds_alternative<tick_message>(op.request);
  if (waits && touches(r)) {
    for (const auto& id : touched.front()) ++known.late_touches[id];
    return (*answer)->seq ? wrong("chroma", "a touch that waits is not in the journal yet")
                          : check_result{};
  }
  return check_bump(known, op, reinforcing_door::chroma, touches(r), viewer_of(r).name(), touched,
                    (*answer)->seq, (*answer)->at_seq);
}

check_result check_search_reply(evidence& known, const operation& op, const search_request& r,
                                const result<search_reply>& answer) {
  if (const auto verdict = scope_verdict(known, op, r, answer)) return *verdict;
  if (is_overdue(r, answer)) return {};
  const bool by_words = known.setup.late_percent && answer && !(*answer)->embedder_problem.empty();
  const door_answer<search_result> expected = [&](seq_no at, timestamp now) {
    return search_in(known.truth, r, at, now, by_words);
  };
  return explain_door(known, op, "search", r, answer, expected, search_difference);
}

check_result check_select_reply(evidence& known, const operation& op, const select_request& r,
                                const result<select_reply>& answer) {
  if (const auto verdict = scope_verdict(known, op, r, answer)) return *verdict;
  if (is_overdue(r, answer)) return {};
  const bool by_words = known.setup.late_percent && answer && !(*answer)->embedder_problem.empty();
  const door_answer<select_result> expected = [&](seq_no at, timestamp now) {
    auto e = select_in(known.truth, r, at, now, by_words);
    // A refusal does not say whether the embedder was there.
    const bool may_be_by_words = known.setup.late_percent && !answer;
    if (may_be_by_words && (e || e.error() != answer.error().code))
      e = select_in(known.truth, r, at, now, true);
    return e;
  };
  return explain_door(known, op, "select", r, answer, expected, select_difference);
}

check_result check_context_reply(evidence& known, const operation& op, const context_request& r,
                                 const result<context_reply>& answer) {
  if (const auto verdict = scope_verdict(known, op, r, answer)) return *verdict;
  if (is_overdue(r, answer)) return {};
  const bool by_words = known.setup.late_percent && answer && !(*answer)->embedder_problem.empty();
  const door_answer<context_result> expected = [&](seq_no at, timestamp now) {
    return context_in(known.truth, r, at, now, by_words);
  };
  return explain_door(known, op, "context", r, answer, expected, context_difference);
}

} // namespace mneme::sim
