#include "query/retrieve/retrieve.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/find/near_target.hpp"
#include "query/request_numbers.hpp"
#include "query/retrieve/retrieve_state.hpp"
#include "query/search/question_share.hpp"
#include "query/vector_check.hpp"
#include "views/current_memories.hpp"

namespace mneme {

namespace {

result<void> check_stages(const retrieve_request& r) {
  if (!r.stages) return {};
  for (std::size_t i = 0; i < r.stages->size(); ++i)
    if (to_string((*r.stages)[i]).empty())
      return fail(errc::bad_stage, "the stages are semantic, structural and temporal",
                  "stages[" + std::to_string(i) + "]");
  return {};
}

bool asks_for(const retrieve_request& r, retrieve_stage stage) {
  return !r.stages || std::ranges::find(*r.stages, stage) != r.stages->end();
}

/// The vector of q; empty without an embedder (whether that matters is seen later).
result<std::vector<float>> vector_of_query(const retrieve_request& r, const asker& who,
                                           const query_context& context, const read_views& views) {
  find_request near;
  near.at_seq = r.at_seq;
  if (r.vector)
    near.near_vector = r.vector;
  else if (views.embedder)
    near.near = r.q;
  auto v = resolve_near(near, who, context, views);
  if (!v) v.error().at = r.vector ? "vector" : "q";
  return v;
}

/// What bounds the lists of a request, so that its work follows from what it may answer.
result<void> check_sizes(const retrieve_request& r) {
  constexpr auto most = static_cast<std::int64_t>(max_batch_items);
  if (auto ok = check_positive(r.top_k, "top_k"); !ok) return ok;
  if (r.top_k > most)
    return fail(errc::out_of_range, fmt::format("top_k is from 1 to {}", most), "top_k");
  const auto too_many = [](std::string_view what, const char* key) {
    return fail(errc::limit_exceeded, fmt::format("at most {} {}", max_batch_items, what), key);
  };
  if (r.topic_ids && r.topic_ids->size() > max_batch_items) return too_many("ids", "topic_ids");
  if (r.field_names && r.field_names->size() > max_batch_items)
    return too_many("names", "field_names");
  return check_positive(r.history_limit, "history_limit");
}

/// The nearest are looked for again so often where some were found by what a field held alone;
/// then nothing comes in their place.
constexpr int most_times_past = 8;

/// Each once, in the caller's order, cut to top_k before anything is looked at.
std::vector<memory_id> named_topics(const retrieve_request& r) {
  std::vector<memory_id> ids;
  std::set<memory_id> known;
  for (const auto& id : *r.topic_ids) {
    if (ids.size() == static_cast<std::size_t>(r.top_k)) break;
    if (known.insert(id).second) ids.push_back(id);
  }
  return ids;
}

/// Which rows a retrieve may return.
class topic_filter {
public:
  topic_filter(const retrieve_state& state, const read_views& views)
      : time_(state.time),
        columns_(*views.attributes),
        nodes_(*views.nodes),
        at_(state.context.at),
        includes_ended_(state.request.include_ended),
        named_(state.request.topic_ids.value_or(std::vector<memory_id>{})),
        visible_(state.who, columns_, nodes_),
        distrusted_(state.distrusted),
        current_(visible_, views, at_,
                 {.instant = state.instant(), .is_asked = state.request.as_of.has_value()},
                 &distrusted_),
        past_topics_(state.past_topics) {
    std::ranges::sort(named_);
  }

  [[nodiscard]] bool test(row_no row) const {
    return row.value != no_number && columns_.alive(row, at_)
           && columns_.rows().line(row).type == memory_type::topic && visible_(row)
           && may_have_held(columns_.rows().line(row).flags)
           && (columns_.rows().line(row).flags & row_archived) == 0 && holds_or_is_asked_for(row);
  }
  [[nodiscard]] bool has_vector(row_no row) const {
    return test(row) && (columns_.rows().line(row).flags & row_has_vector) != 0;
  }
  /// Calls `visit` with every row that passes and has a vector, until it says no.
  template <class Visit>
  result<void> each_with_vector(const Visit& visit) const {
    result<void> in_time;
    std::uint64_t rows = 0;
    columns_.with_type(memory_type::topic, at_)->for_each([&](row_no row) {
      in_time = time_.check(rows++);
      return in_time.has_value() && (!has_vector(row) || visit(row));
    });
    return in_time;
  }
  [[nodiscard]] std::vector<retrieve_candidate> named(const std::vector<memory_id>& ids) const {
    std::vector<retrieve_candidate> found;
    for (const auto& id : ids) {
      const node_no node = nodes_.find(id);
      if (node.value != no_number && test(columns_.row_of(node, at_)))
        found.push_back({.node = node, .similarity = {}, .adjacent = {}});
    }
    return found;
  }

private:
  /// A topic that is named is wanted as it is, if it is there.
  [[nodiscard]] bool holds_or_is_asked_for(row_no row) const {
    const row_line& line = columns_.rows().line(row);
    const bool is_wanted = (includes_ended_ || current_.holds(line))
                           && !distrusted_.contains(line.node) && !past_topics_.contains(line.node);
    return is_wanted || is_named(line);
  }
  [[nodiscard]] bool is_named(const row_line& line) const {
    return (includes_ended_ || (line.flags & row_gone) == 0)
           && std::ranges::binary_search(named_, nodes_.id({line.node}));
  }

  const deadline& time_;
  const attributes& columns_;
  const node_table& nodes_;
  seq_no at_;
  bool includes_ended_;
  std::vector<memory_id> named_; ///< ascending
  visible_rows visible_;
  const distrusted_memories& distrusted_;
  current_memories current_; ///< by what is visible
  const std::set<std::uint32_t>& past_topics_;
};

} // namespace

bool may_be_neighbour(const attributes& columns, const visible_rows& visible,
                      const distrusted_memories& distrusted, row_no row) {
  const row_line& line = columns.rows().line(row);
  return line.type == memory_type::topic && (line.flags & row_gone) == 0 && visible(row)
         && !distrusted.contains(line.node);
}

retrieve_run::retrieve_run(std::unique_ptr<retrieve_state> state) : state_(std::move(state)) {
}
retrieve_run::~retrieve_run() = default;

result<void> retrieve_run::check(const retrieve_request& r) {
  if (auto ok = check_stages(r); !ok) return ok;
  if (!is_utf8(r.q)) return fail(errc::bad_utf8, "q is not UTF-8", "q");
  if (is_blank(r.q)) return fail(errc::empty_query, "q is blank", "q");
  if (r.q.size() > max_query_bytes) return fail(errc::limit_exceeded, "q is over 1 MiB", "q");
  if (r.actor)
    if (auto ok = validate_actor(*r.actor); !ok) return ok;
  if (auto ok = check_sizes(r); !ok) return ok;
  if (auto ok = check_share(r.min_trust, "min_trust"); !ok) return ok;
  if (auto ok = check_positive(r.deadline_ms, "deadline_ms"); !ok) return ok;
  if (auto ok = check_time(r.now, "now"); !ok) return ok;
  if (r.at_seq && r.touch.value_or(false))
    return fail(errc::unsupported, "a retrieve at a past seq touches nothing", "touch");
  if (r.expand_refs && !asks_for(r, retrieve_stage::structural))
    return fail(errc::unsupported, "expand_refs adds neighbours: ask for the stage structural",
                "expand_refs");
  return check_vector(r.vector, "vector");
}

result<std::unique_ptr<retrieve_run>> retrieve_run::compile(retrieve_request request,
                                                            const query_context& context,
                                                            const read_views& views) {
  auto state = std::make_unique<retrieve_state>();
  state->time = deadline(context.stopwatch, request.deadline_ms);
  state->room = answer_room(views.max_answer_bytes,
                            "ask for fewer by top_k, history_limit or field_names", "top_k");
  state->request = std::move(request);
  state->context = context;
  if (state->request.now) state->context.now = *state->request.now;
  const retrieve_request& r = state->request;
  if (auto ok = check(r); !ok) return propagate(ok);
  if (auto ok = views.wait_for_late(); !ok) return propagate(ok);
  state->who = asker(r.actor, context.scope);
  if (auto ok = state->who.check_touch(r.touch.value_or(false), "touch"); !ok) return propagate(ok);
  if (state->has(retrieve_stage::semantic)) {
    auto query = vector_of_query(r, state->who, context, views);
    if (!query) return propagate(query);
    state->query = std::move(*query);
  }
  state->answer.at_seq = context.at;
  return std::unique_ptr<retrieve_run>(new retrieve_run(std::move(state)));
}

std::optional<effect_kind> retrieve_run::next() const {
  switch (state_->step) {
  case retrieve_step::select:
    return effect_kind::attributes;
  case retrieve_step::near:
    return effect_kind::vectors;
  case retrieve_step::link:
    return effect_kind::graph;
  case retrieve_step::fetch:
    return effect_kind::store;
  case retrieve_step::done:
    break;
  }
  return std::nullopt;
}

result<void> retrieve_run::run(const read_views& views) {
  if (auto ok = state_->time.check(); !ok) return ok;
  switch (state_->step) {
  case retrieve_step::select:
    return state_->run_select(views);
  case retrieve_step::near:
    return state_->run_near(views);
  case retrieve_step::link:
    return state_->run_link(views);
  case retrieve_step::fetch:
    return state_->run_fetch(views);
  case retrieve_step::done:
    break;
  }
  ensure(false, "a finished query is not run");
  return {};
}

std::optional<entry_payload> retrieve_run::touch() const {
  ensure(state_->step == retrieve_step::done, "only a finished query knows what it touched");
  if (!state_->touches() || state_->answer.candidates.empty()) return std::nullopt;
  reinforce_payload bump;
  bump.door = reinforcing_door::retrieve;
  bump.actor = state_->who.name();
  for (const auto& c : state_->answer.candidates)
    bump.items.push_back({.id = c.topic_id, .from_e9 = 0, .to_e9 = 0});
  return bump;
}

std::uint64_t retrieve_run::answer_bytes() const {
  return state_->room.used();
}

retrieve_result retrieve_run::take() {
  ensure(state_->step == retrieve_step::done, "only a finished query has an answer");
  return std::move(state_->answer);
}

bool retrieve_state::has(retrieve_stage stage) const {
  return asks_for(request, stage);
}

result<void> retrieve_state::run_select(const read_views& views) {
  if (request.min_trust)
    distrusted = distrusted_memories(views, context.at, *request.min_trust, time.goes_on());
  if (auto ok = time.check(); !ok) return ok;
  const topic_filter topics(*this, views);
  if (!has(retrieve_stage::semantic)) {
    if (request.topic_ids) {
      chosen = topics.named(named_topics(request));
    } else {
      auto all = topics.each_with_vector([&](row_no row) {
        chosen.push_back({.node = views.attributes->node(row), .similarity = {}, .adjacent = {}});
        return true;
      });
      if (!all) return all;
      std::ranges::sort(chosen, {}, [&](const auto& c) { return views.nodes->id(c.node); });
      if (chosen.size() > static_cast<std::size_t>(request.top_k))
        chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(request.top_k), chosen.end());
    }
    selected();
    return {};
  }
  compares_all = most_vectors_are_topics(views);
  auto listed = topics.each_with_vector([&](row_no row) {
    slots.push_back(views.attributes->slot(row));
    return !compares_all; // that there is one is all that is asked then
  });
  if (!listed) return listed;
  if (!slots.empty()) {
    if (query.empty())
      return fail(errc::no_embedder, "the world has no embedder: give the vector of q", "q");
    step = retrieve_step::near;
    return {};
  }
  if (request.topic_ids) chosen = topics.named(named_topics(request));
  selected();
  return {};
}

bool retrieve_state::most_vectors_are_topics(const read_views& views) const {
  // To list a topic and look its vector up costs as much as to compare some that lie together.
  constexpr std::uint64_t cost_of_listing = 12;
  const auto topics = views.attributes->with_type(memory_type::topic, context.at);
  return topics->cardinality() * cost_of_listing >= views.vectors->size();
}

std::vector<near_hit>
retrieve_state::nearest_topics(const read_views& views,
                               const std::function<memory_id(slot_no)>& tie) const {
  const auto most = static_cast<std::size_t>(request.top_k);
  if (compares_all) {
    const topic_filter topics(*this, views);
    const auto accept = [&](slot_no slot) {
      return topics.has_vector(views.attributes->row_of_slot(slot, context.at));
    };
    return views.vectors->nearest_exact(query, most, {accept, slots_over(views, context.at)}, tie,
                                        time.goes_on());
  }
  if (views.vectors->are_few(slots.size()) || request.at_seq || context.exact_near)
    return views.vectors->nearest_of(query, slots, std::min(most, slots.size()), tie,
                                     time.goes_on());
  std::vector<slot_no> allowed = slots;
  std::ranges::sort(allowed);
  const auto accept = [&](slot_no slot) { return std::ranges::binary_search(allowed, slot); };
  bool used_hnsw = false;
  return views.vectors->nearest(query, std::min(most, slots.size()), slots.size(), accept, tie,
                                used_hnsw, time.goes_on());
}

result<void> retrieve_state::run_near(const read_views& views) {
  ensure(!query.empty() && !slots.empty(), "something is compared with something");
  const auto node_of = [&](slot_no slot) {
    const row_no row = views.attributes->row_of_slot(slot, context.at);
    ensure(row.value != no_number, "what is near has a row at the seq read");
    return views.attributes->node(row);
  };
  const auto tie = [&](slot_no slot) { return views.nodes->id(node_of(slot)); };
  auto hits = nearest_topics(views, tie);
  for (int times = 0; !request.include_ended; ++times) {
    if (auto ok = time.check(); !ok) return ok;
    auto any = note_past_topics(hits, views);
    if (!any) return propagate(any);
    if (!*any) break;
    const auto is_past = [&](slot_no slot) { return past_topics.contains(node_of(slot).value); };
    std::erase_if(slots, is_past);
    std::erase_if(hits, [&](const near_hit& hit) { return is_past(hit.slot); });
    if (times == most_times_past || (!compares_all && slots.empty())) break;
    hits = nearest_topics(views, tie);
  }
  if (auto ok = time.check(); !ok) return ok;
  auto allowed = request.topic_ids.value_or(std::vector<memory_id>{});
  std::ranges::sort(allowed);
  for (const auto& hit : hits) {
    const node_no node = node_of(hit.slot);
    if (request.topic_ids && !std::ranges::binary_search(allowed, views.nodes->id(node))) continue;
    chosen.push_back({.node = node, .similarity = 1.0 - hit.distance, .adjacent = {}});
  }
  selected();
  return {};
}

result<bool> retrieve_state::note_past_topics(const std::vector<near_hit>& nearest,
                                              const read_views& views) {
  // A value that begins after as_of may have had another before it, which is told: it hides
  // nothing.
  const value_time when{.instant = instant()};
  const auto terms = distinct_terms(request.q, views.language);
  past_topic_test test(views, context.at, when, terms, time, field_values);
  const std::size_t before = past_topics.size();
  for (const near_hit& hit : nearest) {
    const row_no row = views.attributes->row_of_slot(hit.slot, context.at);
    const node_no node = views.attributes->node(row);
    if (request.topic_ids
        && std::ranges::find(*request.topic_ids, views.nodes->id(node)) != request.topic_ids->end())
      continue;
    auto is_past = test.is_past(row);
    if (!is_past) return propagate(is_past);
    if (*is_past) past_topics.insert(node.value);
  }
  return past_topics.size() != before;
}

result<void> retrieve_state::run_link(const read_views& views) {
  const attributes& columns = *views.attributes;
  const visible_rows visible(who, columns, *views.nodes);
  std::uint64_t edges = 0;
  for (auto& c : chosen) {
    result<void> in_time = time.check();
    for (const auto direction : {edge_direction::out, edge_direction::in}) {
      if (!in_time) return in_time;
      views.graph->neighbours(c.node, direction, context.at, false, [&](const neighbour& n) {
        in_time = time.check(edges++);
        const row_no row = columns.row_of(n.node, context.at);
        if (row.value != no_number && may_be_neighbour(columns, visible, distrusted, row))
          c.adjacent.push_back(
              {.node = n.node, .type = n.type, .outgoing = direction == edge_direction::out});
        return in_time.has_value();
      });
    }
    if (!in_time) return in_time;
    // Out before in, each in (type byte, id) order: the first edge of a pair names it.
    std::ranges::stable_sort(c.adjacent, {}, &topic_adjacency::node);
    const auto again = std::ranges::unique(c.adjacent, {}, &topic_adjacency::node);
    c.adjacent.erase(again.begin(), again.end());
  }
  step = retrieve_step::fetch;
  return {};
}

void retrieve_state::selected() {
  if (has(retrieve_stage::structural) && !chosen.empty())
    step = retrieve_step::link;
  else
    step = retrieve_step::fetch;
}

} // namespace mneme
