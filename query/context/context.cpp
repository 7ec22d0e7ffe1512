#include "query/context/context.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/context/context_state.hpp"
#include "query/request_numbers.hpp"
#include "views/learning.hpp"

namespace mneme {

namespace {

result<void> check_objects(const context_request& r) {
  for (const auto& [kind, ref] : r.objects) {
    const std::string at = fmt::format("objects.{}", to_string(kind));
    if (to_string(kind).empty()) return fail(errc::bad_value, "not a kind of object", "objects");
    if (!is_utf8(ref)) return fail(errc::bad_utf8, "the ref is not UTF-8", at);
    if (ref.empty() || ref.size() > max_ref_bytes)
      return fail(errc::limit_exceeded, fmt::format("a ref has 1 to {} bytes", max_ref_bytes), at);
  }
  return {};
}

/// What may be used, within the scope's budget.
result<std::int64_t> budget_of(const context_request& r, const scope* within) {
  const std::int64_t most = within != nullptr ? within->budget_tokens : max_context_tokens;
  if (!r.budget_tokens) return std::min({default_context_tokens, most, max_context_tokens});
  const std::int64_t asked = std::min(*r.budget_tokens, max_context_tokens);
  if (asked > most)
    return fail(errc::budget_exceeded, fmt::format("the scope allows {} tokens", most),
                "budget_tokens");
  return asked;
}

} // namespace

context_run::context_run(std::unique_ptr<context_state> state) : state_(std::move(state)) {
}
context_run::~context_run() = default;

result<void> context_run::check(const context_request& r) {
  if (auto ok = check_positive(r.budget_tokens, "budget_tokens"); !ok) return ok;
  if (r.outcome_limit < 0)
    return fail(errc::out_of_range, "outcome_limit must not be negative", "outcome_limit");
  if (auto ok = check_positive(r.deadline_ms, "deadline_ms"); !ok) return ok;
  if (auto ok = check_share(r.min_trust, "min_trust"); !ok) return ok;
  if (r.action && to_string(*r.action).empty()) return fail(errc::bad_value, "not a verb", "verb");
  if (r.form > form_kind::full) return fail(errc::bad_value, "not a form", "form");
  if (r.tiers)
    for (std::size_t i = 0; i < r.tiers->size(); ++i)
      if ((*r.tiers)[i] > context_tier::notable)
        return fail(errc::bad_value, "not a tier", fmt::format("include_tiers[{}]", i));
  if (auto ok = check_objects(r); !ok) return ok;
  if (auto ok = check_time(r.now, "now"); !ok) return ok;
  if (r.vector && !r.query)
    return fail(errc::bad_value, "the vector is that of a query, and there is none", "vector");
  if (r.query)
    if (auto ok = search_run::check(context_state::search_of(r, max_context_tokens)); !ok)
      return ok;
  if (!r.actor) return {};
  if (!is_utf8(*r.actor)) return fail(errc::bad_utf8, "actor is not UTF-8", "actor");
  if (r.actor->size() > max_actor_bytes)
    return fail(errc::limit_exceeded, fmt::format("actor is over {} bytes", max_actor_bytes),
                "actor");
  return {};
}

result<std::unique_ptr<context_run>>
context_run::compile(context_request request, query_context context, const read_views& views) {
  if (auto ok = check(request); !ok) return propagate(ok);
  auto state = std::make_unique<context_state>();
  state->time = deadline(context.stopwatch, request.deadline_ms);
  state->room =
      answer_room(views.max_answer_bytes, "ask for less by budget_tokens", "budget_tokens");
  state->who = asker(request.actor, context.scope);
  state->weights = salience_weights_of(state->who, views, context.at);
  auto budget = budget_of(request, context.scope.get());
  if (!budget) return propagate(budget);
  state->answer.budget_tokens = *budget;
  state->answer.at_seq = context.at;
  state->request = std::move(request);
  state->context = std::move(context);
  state->context.now = state->now();
  if (state->request.query && state->wants(context_tier::found)) {
    auto search = search_run::compile(context_state::search_of(state->request, *budget),
                                      state->context, views);
    if (!search) return propagate(search);
    state->search = std::move(*search);
    state->answer.embedder_problem = state->search->embedder_problem();
  }
  return std::unique_ptr<context_run>(new context_run(std::move(state)));
}

std::optional<effect_kind> context_run::next() const {
  switch (state_->stage) {
  case context_stage::select:
    return effect_kind::attributes;
  case context_stage::ask:
    return state_->ranking()->next();
  case context_stage::fetch:
    return effect_kind::store;
  case context_stage::done:
    break;
  }
  return std::nullopt;
}

result<void> context_run::run(const read_views& views) {
  ensure(state_->stage != context_stage::done, "a finished query is not run");
  if (auto ok = state_->time.check(); !ok) return ok;
  switch (state_->stage) {
  case context_stage::select:
    return state_->select(views);
  case context_stage::ask:
    return state_->ask(views);
  case context_stage::fetch:
    return state_->fetch(views);
  case context_stage::done:
    break;
  }
  return {};
}

std::uint64_t context_run::answer_bytes() const {
  return state_->room.used();
}

context_result context_run::take() {
  ensure(state_->stage == context_stage::done, "only a finished query has an answer");
  return std::move(state_->answer);
}

} // namespace mneme
