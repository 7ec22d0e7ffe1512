#include "query/find/find.hpp"

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"
#include "query/find/find_state.hpp"
#include "query/find/first_rows.hpp"
#include "query/find/near_target.hpp"
#include "views/learning.hpp"

namespace mneme {

find_run::find_run(std::unique_ptr<find_state> state) : state_(std::move(state)) {
}
find_run::~find_run() = default;

result<void> find_run::check(const find_request& request) {
  if (auto ok = check_bounds(request); !ok) return ok;
  if (auto ok = check_follow(request); !ok) return ok;
  return check_order(request);
}

result<std::unique_ptr<find_run>> find_run::compile(find_request request, query_context context,
                                                    const read_views& views) {
  auto state = std::make_unique<find_state>();
  if (context.exact_near) request.exact = true;
  state->time = deadline(context.stopwatch, request.deadline_ms);
  state->room =
      answer_room(views.max_answer_bytes, "ask page by page, by limit and offset", "limit");
  if (auto ok = check_bounds(request); !ok) return propagate(ok);
  if (request.now) context.now = *request.now;
  state->who = asker(request.actor, context.scope);
  if (auto ok = state->who.check_touch(request.late_binding, "late_binding"); !ok)
    return propagate(ok);
  if (has_near(request))
    if (auto ok = views.wait_for_late(); !ok) return propagate(ok);
  auto target = resolve_near(request, state->who, context, views);
  if (!target) return propagate(target);
  if (auto ok = check_follow(request); !ok) return propagate(ok);
  if (request.where) {
    auto where =
        compiled_predicate::compile(*request.where, types_asked(request), *views.attributes);
    if (!where) return propagate(where);
    state->where = std::move(*where);
  }
  if (auto ok = check_order(request); !ok) return propagate(ok);
  state->tags = required_tags(request);
  state->driving_tags = driving_tags(request);
  if (!request.from && target->empty() && state->driving_tags.empty() && request.types.empty()
      && !request.limit)
    return fail(errc::too_broad,
                "name types, a tag, near or from, or give a limit: nothing narrows the query");
  state->weights = salience_weights_of(state->who, views, context.at);
  state->near_query = std::move(*target);
  state->order = order_asked(request);
  state->stage = request.from ? find_stage::walk : find_stage::select;

  find_result& answer = state->answer;
  answer.at_seq = context.at;
  answer.form = request.form;
  if (!request.form && request.budget_tokens) {
    answer.form = form_kind::medium;
    answer.form_defaulted = true;
  }
  if (has_near(request)) answer.near_mode = near_mode::exact;
  if (request.count) answer.total = 0;
  if (request.explain) {
    answer.plan.emplace();
    if (request.where) answer.plan->predicate = to_text(*request.where);
  }
  state->request = std::move(request);
  state->context = std::move(context);
  return std::unique_ptr<find_run>(new find_run(std::move(state)));
}

std::optional<effect_kind> find_run::next() const {
  switch (state_->stage) {
  case find_stage::walk:
    return effect_kind::graph;
  case find_stage::select:
    return effect_kind::attributes;
  case find_stage::near:
    return effect_kind::vectors;
  case find_stage::fetch:
    return effect_kind::store;
  case find_stage::done:
    break;
  }
  return std::nullopt;
}

result<void> find_run::run(const read_views& views) {
  ensure(state_->stage != find_stage::done, "a finished query is not run");
  if (auto ok = state_->time.check(); !ok) return ok;
  switch (state_->stage) {
  case find_stage::walk:
    return state_->run_walk(views);
  case find_stage::select:
    return state_->run_select(views);
  case find_stage::near:
    return state_->run_near(views);
  case find_stage::fetch:
    return state_->run_fetch(views);
  case find_stage::done:
    break;
  }
  return {};
}

std::optional<entry_payload> find_run::touch() const {
  ensure(state_->stage == find_stage::done, "only a finished query knows what it touched");
  const find_request& r = state_->request;
  if (!r.late_binding) return std::nullopt;
  find_late_payload late;
  if (r.where) late.predicate = to_text(*r.where);
  late.types = r.types;
  late.tags = state_->tags;
  late.limit = r.limit;
  late.result_count = static_cast<std::int64_t>(state_->accessed.size());
  late.accessed = state_->accessed;
  late.actor = state_->who.name();
  return late;
}

std::uint64_t find_run::answer_bytes() const {
  return state_->room.used();
}

find_result find_run::take() {
  ensure(state_->stage == find_stage::done, "only a finished query has an answer");
  return std::move(state_->answer);
}

found_rows find_run::take_rows() {
  find_state& s = *state_;
  ensure(s.stage == find_stage::done || (s.stage == find_stage::fetch && !s.some_open),
         "rows are taken when they are in order, and before they are read");
  found_rows found{.rows = {}, .total = s.answer.total.value_or(0)};
  found.rows.reserve(s.rows.size());
  for (const candidate& c : s.rows) found.rows.push_back(c.row);
  s.rows.clear();
  s.stage = find_stage::done;
  return found;
}

row_order find_state::ordering(const read_views& views) const {
  return {order,        salience_scorer(context.now, !near_query.empty(), weights),
          context.at,   *views.attributes,
          *views.nodes, walk.steps};
}

result<void> find_state::selected(const read_views& views) {
  if (!some_open && !arranged)
    if (auto ok = arrange(views); !ok) return ok;
  stage = rows.empty() ? find_stage::done : find_stage::fetch;
  return {};
}

result<void> find_state::arrange(const read_views& views) {
  ensure(!arranged, "offset and limit are applied once");
  const std::int64_t since = context.stopwatch_ns();
  const std::uint64_t found = rows.size();
  if (answer.total) answer.total = static_cast<std::int64_t>(found);
  const row_order by = ordering(views);
  const std::uint64_t end = page_end(request);
  auto kept = end <= rows.size() / 2 ? keep_first(by, end) : order_all(by);
  if (!kept) return kept;
  cut_offset();
  if (!by.uses_salience()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (auto ok = time.check(i); !ok) return ok;
      by.set_salience(rows[i]);
    }
  }
  note("order", {}, found, rows.size(), since);
  return {};
}

void find_state::cut_offset() {
  const auto skipped =
      std::min(static_cast<std::uint64_t>(request.offset), static_cast<std::uint64_t>(rows.size()));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skipped));
  arranged = true;
}

result<void> find_state::keep_first(const row_order& by, std::uint64_t count) {
  first_rows first(rows, static_cast<std::uint32_t>(count), by);
  // Newer rows tend to come first, and the sooner those are there, the more of the others are out
  // at once.
  for (auto i = static_cast<std::uint32_t>(rows.size()); i-- > 0;) {
    if (auto ok = time.check(i); !ok) return ok;
    first.offer(i);
  }
  rows = first.take();
  return {};
}

result<void> find_state::order_all(const row_order& by) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (auto ok = time.check(i); !ok) return ok;
    by.prefetch(rows, i + row_order::rows_ahead);
    by.set_key(rows[i]);
  }
  const auto before = [&](const candidate& a, const candidate& b) { return by.before(a, b); };
  const auto position = [&](std::uint64_t n) {
    return rows.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(n, rows.size()));
  };
  const auto first = position(static_cast<std::uint64_t>(request.offset));
  const auto last = position(page_end(request));
  if (request.limit) {
    if (last != rows.end()) std::nth_element(rows.begin(), last, rows.end(), before);
    std::sort(rows.begin(), last, before);
  } else if (first != rows.begin() && first != rows.end()) {
    std::nth_element(rows.begin(), first, rows.end(), before);
  }
  rows.erase(last, rows.end());
  return {};
}

void find_state::note(const char* name, std::string detail, std::uint64_t in, std::uint64_t out,
                      std::int64_t since_ns) {
  if (!answer.plan) return;
  answer.plan->stages.push_back(
      {name, std::move(detail), in, out, context.stopwatch_ns() - since_ns});
}

} // namespace mneme
