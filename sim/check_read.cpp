/// Oracle "read": get, resolve, edges, root and prove answer from one state that was published
/// while they were under way.

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "sim/check_reply.hpp"
#include "sim/model_current.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_lineage.hpp"

namespace mneme::sim {

namespace {

constexpr auto read_oracle = "read";

/// What the model says; the code where it refuses.
template <class T>
using expectation = std::expected<T, errc>;

expectation<memory> expected_get(const model& state, const get_message& m, seq_no at) {
  const viewer who = viewer_of(m.options);
  if (m.key) {
    const auto there = state.keyed_at(*m.key, at);
    if (!there || !sees(who, *there)) return std::unexpected(who.refusal());
    if (there->tombstone) return std::unexpected(errc::tombstoned);
    return expected_get(state, {there->id, m.options}, at);
  }
  auto found = state.memory_at(m.id, at);
  if (!found || !sees(who, found->head)) return std::unexpected(who.refusal());
  if (found->head->erased) return std::unexpected(errc::erased);
  found->standing = standing_in(state, m.id, at);
  return std::move(*found);
}

/// `seen`: what was published when the store was asked, which says what is trimmed.
expectation<memory> expected_resolve(const model& state, const resolve_message& m, seq_no at,
                                     seq_no seen) {
  auto found = expected_get(state, {m.uri.id, m.options}, at);
  if (!found) return found;
  auto v = state.version_at(m.uri.id, m.uri.version, at);
  if (found->head->type != m.uri.type || !v) return std::unexpected(errc::not_found);
  if (state.trimmed_by(m.uri.id, m.uri.version, seen)) return std::unexpected(errc::trimmed);
  found->version = std::move(*v);
  return found;
}

expectation<std::vector<edge_record>> expected_edges(const model& state, const edges_message& m,
                                                     seq_no at) {
  const viewer who = viewer_of(m.options);
  const auto visible = [&](const memory_id& id) {
    const auto h = state.head_at(id, at);
    return who.sees_all() || (h && sees(who, *h));
  };
  if (!visible(m.id)) return std::unexpected(who.refusal());
  std::vector<edge_record> found;
  const auto take = [&](const std::vector<edge_record>& edges, bool is_in) {
    for (const auto& e : edges) {
      const auto& types = m.filter.types;
      if (e.tombstoned && !m.filter.include_tombstoned) continue;
      if (!types.empty() && std::ranges::find(types, e.key.type) == types.end()) continue;
      if (visible(is_in ? e.key.src : e.key.dst)) found.push_back(e);
    }
  };
  if (m.direction != edge_direction::in) take(state.edges_out(m.id, at), false);
  if (m.direction != edge_direction::out) take(state.edges_in(m.id, at), true);
  return found;
}

expectation<std::vector<memory>> expected_stale(const model& state, const stale_read& r,
                                                seq_no at) {
  if (auto fallen = expected_get(state, {r.id, r.options}, at);
      !fallen && fallen.error() != errc::erased)
    return std::unexpected(fallen.error());
  std::vector<memory> found;
  std::int64_t skipped = 0;
  for (const auto& id : stale_because_of(state, r.id, at)) {
    auto m = expected_get(state, {id, r.options}, at);
    if (!m) continue; // not to be seen
    if (skipped++ < r.offset) continue;
    if (r.limit && std::ssize(found) == *r.limit) break;
    found.push_back(std::move(*m));
  }
  return found;
}

/// The workload asks for what has ended and what is archived, too.
expectation<list_result> expected_list(const model& state, const list_request& r, seq_no at,
                                       timestamp now) {
  const read_options options{.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope};
  const viewer who = viewer_of(options);
  std::vector<std::pair<timestamp, memory_id>> places;
  for (const auto& id : state.ids_at(at)) {
    const head h = *state.head_at(id, at);
    const bool is_asked = r.types.empty() || std::ranges::find(r.types, h.type) != r.types.end();
    const bool is_there = r.include_tombstoned || may_have_held(h);
    if (!sees(who, h) || !is_asked || !is_there) continue;
    if (r.owner && *r.owner != h.actor_scope) continue;
    if (r.name_space && (!h.key || h.key->name_space != *r.name_space)) continue;
    places.emplace_back(h.created_at, id);
  }
  std::ranges::sort(places, std::greater());
  list_result page{.memories = {}, .past = {}, .next = {}, .at_seq = at};
  const what_holds current(state, who, at, {.instant = now});
  for (const auto& [created, id] : places) {
    const std::string cursor = fmt::format("{}.{}", created.ns, to_string(id));
    if (std::ssize(page.memories) == r.limit) {
      const auto& last = *page.memories.back().head;
      page.next = fmt::format("{}.{}", last.created_at.ns, to_string(last.id));
      break;
    }
    page.memories.push_back(*expected_get(state, {id, options}, at));
    page.past.push_back({.ended = current.is_over(page.memories.back()),
                         .superseded = current.is_superseded(page.memories.back())});
  }
  return page;
}

expectation<history_result> expected_history(const model& state, const history_request& r,
                                             seq_no at, seq_no seen) {
  const read_options options{.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope};
  memory_id id = r.id;
  if (r.key) {
    const auto there = state.keyed_at(*r.key, at);
    if (!there || !sees(viewer_of(options), *there))
      return std::unexpected(viewer_of(options).refusal());
    id = there->id;
  }
  const auto m = expected_get(state, {id, options}, at);
  if (!m) return std::unexpected(m.error());
  history_result all{.head = *m->head, .versions = {}, .at_seq = at};
  for (std::uint32_t n = m->head->current_version; n > 0; --n) {
    if (r.before && n >= *r.before) continue;
    if (std::ssize(all.versions) == r.limit) break;
    const auto v = state.version_at(id, n, at);
    const auto by = state.trimmed_by(id, n, seen);
    const auto older = n > 1 && !state.trimmed_by(id, n - 1, seen) ? state.version_at(id, n - 1, at)
                                                                   : std::nullopt;
    past_version past{.version = {}, .changes = {}, .trimmed_by = by};
    past.version.id = id;
    past.version.number = n;
    past.version.type = m->head->type;
    if (!by) past.version = *v;
    if (!by && older) past.changes = changes_between(*older, *v);
    all.versions.push_back(std::move(past));
  }
  return all;
}

using sim::same;
bool same(const list_result& a, const list_result& b) {
  return a.next == b.next && a.at_seq == b.at_seq && a.past == b.past
         && std::ranges::equal(a.memories, b.memories,
                               [](const memory& x, const memory& y) { return same(x, y); });
}
bool same(const history_result& a, const history_result& b) {
  return a.head == b.head && a.at_seq == b.at_seq
         && std::ranges::equal(a.versions, b.versions,
                               [](const past_version& x, const past_version& y) {
                                 return x.version == y.version && x.changes == y.changes
                                        && x.trimmed_by == y.trimmed_by;
                               });
}
template <class Item>
bool same(const std::vector<Item>& a, const std::vector<Item>& b) {
  return a == b;
}
bool same(const std::vector<memory>& a, const std::vector<memory>& b) {
  return std::ranges::equal(a, b, [](const memory& x, const memory& y) { return same(x, y); });
}
bool same(const std::vector<topic_field_view>& a, const std::vector<topic_field_view>& b) {
  return std::ranges::equal(a, b, [](const topic_field_view& x, const topic_field_view& y) {
    return x.field == y.field && x.current == y.current && x.history == y.history;
  });
}

/// Looks for a state that explains the answer.
template <class T>
check_result explain(const evidence& known, const operation& op, const read_options& options,
                     const result<std::shared_ptr<const T>>& answer,
                     const std::function<expectation<T>(seq_no)>& expected) {
  if (const auto verdict = scope_verdict(known, op, options, answer)) return *verdict;
  const auto asked = options.at_seq;
  const auto [first, last] = window_of(known, op);
  const auto explains = [&](seq_no at) {
    const auto e = expected(at);
    if (!e || !answer) return !e && !answer && e.error() == answer.error().code;
    return same(**answer, *e);
  };
  if (asked) {
    if (!answer && answer.error().code == errc::seq_unavailable) {
      if (may_be_out_of_range(known, op, *asked)) return {};
      return wrong(read_oracle, "a seq that is there is called out of range");
    }
    if (!may_be_readable(known, op, *asked))
      return wrong(read_oracle, "a seq that is out of range was read");
    if (explains(*asked)) return {};
  } else {
    for (seq_no at = first; at <= last; at = at.next())
      if (explains(at)) return {};
    // The window may move past a read that is under way.
    if (!answer && answer.error().code == errc::seq_unavailable
        && may_be_out_of_range(known, op, first))
      return {};
  }
  return wrong(read_oracle,
               fmt::format("{} is explained by no state from seq {} to {}",
                           answer ? "the answer" : std::string(to_string(answer.error().code)),
                           asked.value_or(first).value, asked.value_or(last).value));
}

template <class Reply>
result<Reply> part(const result<reply_message>& answer) {
  if (!answer) return std::unexpected(answer.error());
  return std::get<Reply>(*answer);
}

/// The same of what a trim may have dropped while it was read: one that was followed since, or one
/// whose entry the store has and nobody was told of yet. `expected` of a model, as of a seq, by the
/// trims up to another one.
template <class T>
check_result
explain_beside_trims(const evidence& known, const operation& op, const read_options& options,
                     const result<std::shared_ptr<const T>>& answer,
                     const std::function<expectation<T>(const model&, seq_no, seq_no)>& expected) {
  const auto [first, last] = window_of(known, op);
  const seq_no begin = first;
  auto ok = explain<T>(known, op, options, answer,
                       [&](seq_no at) { return expected(known.truth, at, std::max(at, begin)); });
  if (ok) return ok;
  const seq_no end = last;
  ok = explain<T>(known, op, options, answer,
                  [&](seq_no at) { return expected(known.truth, at, end); });
  if (ok || !known.trimming) return ok;
  model trimmed = known.truth;
  trimmed.commit(end.next(), entry_kind::trim, *known.trimming, timestamp{});
  return explain<T>(known, op, options, answer,
                    [&](seq_no at) { return expected(trimmed, at, end.next()); });
}

check_result check_root(const evidence& known, const operation& op, const root_message& m,
                        const result<root_set>& answer) {
  const auto [first, last] = window_of(known, op);
  if (!answer) {
    const bool explained = answer.error().code == errc::seq_unavailable && m.at_seq
                           && may_be_out_of_range(known, op, *m.at_seq);
    return explained ? check_result{} : wrong(read_oracle, "no root: " + answer.error().message);
  }
  // Headers stay where payloads are trimmed, and roots with them.
  const auto is_there = [&](seq_no at) { return at < op.begins || may_be_readable(known, op, at); };
  const bool in_time = m.at_seq ? answer->seq == *m.at_seq && is_there(*m.at_seq)
                                : answer->seq >= first && answer->seq <= last;
  if (!in_time) return wrong(read_oracle, fmt::format("a root of seq {}", answer->seq.value));
  if (*answer != known.roots.at(answer->seq))
    return wrong("root", fmt::format("another root at seq {}", answer->seq.value));
  return {};
}

check_result check_state_proof(const state_proof& p, state_namespace ns, std::string_view key,
                               const std::optional<digest>& value) {
  if (p.ns != ns || p.key != key) return wrong("proof", "it proves another key");
  if (p.proof.value_hash != value)
    return wrong("proof", value ? "it proves another value" : "it proves what does not exist");
  return {};
}

/// Without what was asked again.
template <class Item>
void drop_repeated(std::vector<Item>& items) {
  std::vector<Item> once;
  for (auto& item : items)
    if (std::ranges::find(once, item) == once.end()) once.push_back(item);
  items = std::move(once);
}
prove_request each_once(prove_request r) {
  drop_repeated(r.ids);
  drop_repeated(r.edges);
  drop_repeated(r.seqs);
  return r;
}

check_result check_proof(const evidence& known, const operation& op, const prove_message& m,
                         const result<proof_reply>& answer) {
  if (!answer) return wrong("proof", "no proof: " + answer.error().message);
  const proof_bundle& p = **answer;
  const auto [first, last] = window_of(known, op);
  const seq_no at = p.roots.seq;
  if (at < first || at > last) return wrong("proof", fmt::format("of seq {}", at.value));
  if (p.roots != known.roots.at(at)) return wrong("proof", "under another root");
  if (auto ok = verify(p); !ok) return wrong("proof", "it does not verify: " + ok.error().message);
  const prove_request r = each_once(m.request);
  if (p.states.size() != r.ids.size() + r.edges.size() || p.entries.size() != r.seqs.size())
    return wrong("proof", "of another number of things");
  for (std::size_t i = 0; i < r.ids.size(); ++i) {
    const auto h = known.truth.head_at(r.ids[i], at);
    const auto value = h ? std::optional(sha256_of(encode(*h))) : std::nullopt;
    if (auto ok = check_state_proof(p.states[i], state_namespace::memories, r.ids[i].raw(), value);
        !ok)
      return ok;
  }
  for (std::size_t i = 0; i < r.edges.size(); ++i) {
    const auto e = known.truth.edge_at(r.edges[i], at);
    const auto value = e ? std::optional(sha256_of(encode(*e))) : std::nullopt;
    if (auto ok = check_state_proof(p.states[r.ids.size() + i], state_namespace::edges,
                                    key_bytes(r.edges[i]), value);
        !ok)
      return ok;
  }
  for (std::size_t i = 0; i < r.seqs.size(); ++i)
    if (p.entries[i].seq != r.seqs[i]
        || p.entries[i].header != known.roots.entry_at(r.seqs[i]).header_bytes)
      return wrong("proof", "of another entry");
  return {};
}

expectation<std::vector<topic_field_view>> expected_fields(const model& state,
                                                           const fields_message& m, seq_no at) {
  auto topic = expected_get(state, {m.topic, m.options}, at);
  if (!topic) return std::unexpected(topic.error());
  if (topic->head->type != memory_type::topic) return std::unexpected(errc::type_data_mismatch);
  return views_in(state, state.fields_at(m.topic, at), m.fields, viewer_of(m.options), at);
}

expectation<std::vector<topic_event>> expected_events(const model& state, const events_message& m,
                                                      seq_no at) {
  auto topic = expected_get(state, {m.topic, m.options}, at);
  if (!topic) return std::unexpected(topic.error());
  if (topic->head->type != memory_type::topic) return std::unexpected(errc::type_data_mismatch);
  auto events = state.events_at(m.topic, at);
  for (auto& event : events) cut_hidden(state, viewer_of(m.options), event.topic, at);
  return events;
}

} // namespace

check_result check_get(const evidence& known, const operation& op, const get_message& m,
                       const result<memory_reply>& answer) {
  return explain<memory>(known, op, m.options, answer,
                         [&](seq_no at) { return expected_get(known.truth, m, at); });
}

check_result check_resolve(const evidence& known, const operation& op, const resolve_message& m,
                           const result<memory_reply>& answer) {
  return explain_beside_trims<memory>(
      known, op, m.options, answer,
      [&](const model& of, seq_no at, seq_no seen) { return expected_resolve(of, m, at, seen); });
}

check_result check_edges(const evidence& known, const operation& op, const edges_message& m,
                         const result<edges_reply>& answer) {
  return explain<std::vector<edge_record>>(
      known, op, m.options, answer, [&](seq_no at) { return expected_edges(known.truth, m, at); });
}

/// At a time that the clock has shown, it is explained.
check_result check_list(const evidence& known, const operation& op, const list_request& r,
                        const result<list_reply>& answer) {
  check_result verdict;
  for (const timestamp now : presents_of(known, op, r.at_seq)) {
    verdict = explain<list_result>(
        known, op, {.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope}, answer,
        [&](seq_no at) { return expected_list(known.truth, r, at, now); });
    if (verdict) break;
  }
  return verdict;
}

check_result check_read_reply(const evidence& known, const operation& op,
                              const result<reply_message>& answer) {
  const model& state = known.truth;
  if (const auto* m = std::get_if<get_message>(&op.request))
    return check_get(known, op, *m, part<memory_reply>(answer));
  if (const auto* m = std::get_if<resolve_message>(&op.request))
    return check_resolve(known, op, *m, part<memory_reply>(answer));
  if (const auto* m = std::get_if<edges_message>(&op.request))
    return check_edges(known, op, *m, part<edges_reply>(answer));
  if (const auto* m = std::get_if<stale_message>(&op.request))
    return explain<std::vector<memory>>(
        known, op, m->request.options, part<stale_reply>(answer),
        [&](seq_no at) { return expected_stale(state, m->request, at); });
  if (const auto* m = std::get_if<list_message>(&op.request))
    return check_list(known, op, m->request, part<list_reply>(answer));
  if (const auto* m = std::get_if<history_message>(&op.request))
    return explain_beside_trims<history_result>(
        known, op,
        {.actor = m->request.actor, .at_seq = m->request.at_seq, .scope = m->request.scope},
        part<history_reply>(answer), [&](const model& of, seq_no at, seq_no seen) {
          return expected_history(of, m->request, at, seen);
        });
  if (const auto* m = std::get_if<fields_message>(&op.request))
    return explain<std::vector<topic_field_view>>(
        known, op, m->options, part<fields_reply>(answer),
        [&](seq_no at) { return expected_fields(state, *m, at); });
  if (const auto* m = std::get_if<events_message>(&op.request))
    return explain<std::vector<topic_event>>(
        known, op, m->options, part<events_reply>(answer),
        [&](seq_no at) { return expected_events(state, *m, at); });
  if (const auto* m = std::get_if<load_compact_message>(&op.request))
    return explain<compact_result>(
        known, op, {.actor = {}, .at_seq = m->request.at_seq}, part<compact_reply>(answer),
        [&](seq_no at) { return load_compact_in(state, m->request, at); });
  if (const auto* m = std::get_if<root_message>(&op.request))
    return check_root(known, op, *m, part<root_set>(answer));
  return check_proof(known, op, std::get<prove_message>(op.request), part<proof_reply>(answer));
}

} // namespace mneme::sim
