#include "query/search/search.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/asked_words.hpp"
#include "query/enum_range.hpp"
#include "query/find/near_target.hpp"
#include "query/query_text.hpp"
#include "query/request_numbers.hpp"
#include "query/search/question_share.hpp"
#include "query/search/search_state.hpp"
#include "query/vector_check.hpp"
#include "views/world_weights.hpp"

namespace mneme {

namespace {

result<void> check_names(const search_request& r) {
  const auto bad = [](const char* key) {
    return fail(errc::bad_value, fmt::format("not a value of {}", key), key);
  };
  if (!in_enum(r.source, search_source::content)) return bad("source_type");
  if (!in_enum(r.sort, search_sort::updated)) return bad("sort");
  if (!in_enum(r.include_siblings, sibling_mode::never)) return bad("include_siblings");
  if (r.audience && !in_enum(*r.audience, search_audience::all)) return bad("audience");
  if (r.status && !in_enum(*r.status, search_status::overdue)) return bad("status");
  if (r.content_source && !in_enum(*r.content_source, chunk_source::local))
    return bad("content_source_type");
  if (r.form && !in_enum(*r.form, form_kind::full)) return bad("form");
  if (r.type
      && (*r.type == memory_type::chunk || static_cast<std::uint8_t>(*r.type) < 1
          || static_cast<std::uint8_t>(*r.type) > memory_type_count))
    return fail(errc::bad_value, "the memory leg has no such type", "memory_type");
  return {};
}

/// Does the query go on without a vector, because somebody elsewhere has none to give now that this
/// world can use? Not when the engine ends.
bool is_outage(const error& e, const embedder& by) {
  return by.remote() != nullptr && e.code == errc::io;
}

/// The query's vector: the given one, or its text embedded; empty where there is none. A remote
/// embedder that fails is a `problem`, and no vector.
result<std::vector<float>> vector_of(const search_request& r, const query_context& context,
                                     const read_views& views, std::string& problem) {
  const std::uint32_t dim = asked_dimension(r.at_seq, context, views);
  std::vector<float> v;
  if (auto known = check_knows_vectors(context.at, views, "at_seq"); !known) {
    problem = std::move(known.error().message);
    return v;
  }
  if (r.vector) {
    v = *r.vector;
  } else {
    if (!views.embedder) return v;
    auto embedded = embedded_query(r.query, dim, context, views);
    if (!embedded && is_outage(embedded.error(), *views.embedder)) {
      problem = std::move(embedded.error().message);
      return v;
    }
    if (!embedded) return fail(embedded.error().code, embedded.error().message, "query");
    v = std::move(*embedded);
    if (v.empty()) return v;
    if (auto ok = validate_vector(v); !ok)
      return fail(ok.error().code, ok.error().message, "query");
  }
  const char* key = r.vector ? "vector" : "query";
  if (dim != 0 && v.size() != dim)
    return fail(errc::dim_mismatch,
                fmt::format("the vector has {} numbers, the world's space has {}", v.size(), dim),
                key);
  return v;
}

/// Words by which a query asks for what is newest. That others name a time says when something was,
/// not that newer is better.
bool asks_for_newest(std::string_view query) {
  static constexpr std::array<std::string_view, 9> words = {"latest",   "newest",   "recent",
                                                            "recently", "current",  "currently",
                                                            "now",      "nowadays", "lately"};
  const auto asked = asked_words(query);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (std::ranges::find(words, asked[i]) != words.end()) return true;
    if (i > 0 && asked[i - 1] == "these" && asked[i] == "days") return true;
  }
  return false;
}

std::optional<search_audience> audience_of(const search_request& r, const read_views& views) {
  if (r.audience) return r.audience;
  if (!views.audience) return {};
  return *views.audience == lifecycle_audience::work ? search_audience::work
                                                     : search_audience::personal;
}

void choose_legs(search_state& s) {
  const search_request& r = s.request;
  s.memory.of = corpus::memories;
  s.content.of = corpus::chunks;
  s.memory.runs = r.source != search_source::content;
  s.content.runs = r.source != search_source::memory && !r.atomic_only;
  if (r.atomic_only && r.source == search_source::content)
    s.answer.coverage.notes.emplace_back(
        "atomic_only leaves out all content: nothing was searched");
  if (r.include_lineage && !r.memory_ids)
    s.answer.coverage.notes.emplace_back("include_lineage needs memory_ids and was ignored");
}

} // namespace

search_run::search_run(std::unique_ptr<search_state> state) : state_(std::move(state)) {
}
search_run::~search_run() = default;

result<void> search_run::check(const search_request& r) {
  if (auto ok = check_positive(r.limit, "limit"); !ok) return ok;
  if (auto ok = check_positive(r.budget_tokens, "budget_tokens"); !ok) return ok;
  if (auto ok = check_positive(r.deadline_ms, "deadline_ms"); !ok) return ok;
  if (!(r.similarity_floor >= 0 && r.similarity_floor <= 1))
    return fail(errc::out_of_range, "similarity_floor is from 0 to 1", "similarity_floor");
  if (auto ok = check_share(r.min_trust, "min_trust"); !ok) return ok;
  if (auto ok = check_time(r.now, "now"); !ok) return ok;
  if (auto ok = check_time(r.as_of, "as_of"); !ok) return ok;
  if (r.actor)
    if (auto ok = validate_actor(*r.actor); !ok) return ok;
  if (auto ok = check_names(r); !ok) return ok;
  if (r.memory_ids) {
    if (r.memory_ids->size() > max_batch_items)
      return fail(errc::limit_exceeded, fmt::format("at most {} ids", max_batch_items),
                  "memory_ids");
    return check_vector(r.vector, "vector");
  }
  if (!is_utf8(r.query)) return fail(errc::bad_utf8, "the query is not UTF-8", "query");
  if (is_blank(r.query)) return fail(errc::empty_query, "the query is blank", "query");
  if (r.query.size() > max_query_bytes)
    return fail(errc::limit_exceeded, "the query is over 1 MiB", "query");
  return check_vector(r.vector, "vector");
}

result<std::unique_ptr<search_run>>
search_run::compile(search_request request, query_context context, const read_views& views) {
  if (auto ok = check(request); !ok) return propagate(ok);
  auto s = std::make_unique<search_state>();
  s->time = deadline(context.stopwatch, request.deadline_ms);
  if (auto ok = views.wait_for_late(); !ok) return propagate(ok);
  s->room = answer_room(views.max_answer_bytes, "ask for fewer by limit", "limit");
  auto weights = search_weights_at(views, context.at);
  if (weights && request.weights) weights = change_search_weights(*weights, *request.weights);
  if (!weights) return propagate(weights);
  s->weights = *weights;
  s->who = asker(request.actor, context.scope);
  s->audience = audience_of(request, views);
  search_result& answer = s->answer;
  if (!request.memory_ids) {
    auto vector = vector_of(request, context, views, answer.embedder_problem);
    if (!vector) return propagate(vector);
    if (!answer.embedder_problem.empty())
      answer.coverage.notes.emplace_back("the embedder gave the query no vector: words alone");
    s->vector = std::move(*vector);
    s->terms = distinct_terms(request.query, views.language);
    if (s->terms.empty() && s->vector.empty())
      answer.coverage.notes.emplace_back(
          "the query has no words, by which something could be found");
    s->sort = request.sort;
    if (s->sort == search_sort::automatic)
      s->sort = asks_for_newest(request.query) ? search_sort::hybrid : search_sort::relevance;
    answer.query = request.query;
    answer.applied_audience = s->audience;
  }
  answer.source = request.source;
  answer.sort = s->sort;
  answer.similarity_floor = request.similarity_floor;
  answer.include_siblings = request.include_siblings;
  answer.at_seq = context.at;
  answer.form = request.form;
  if (!request.form && request.budget_tokens) answer.form = form_kind::medium;
  s->request = std::move(request);
  s->context = std::move(context);
  if (s->request.now) s->context.now = *s->request.now;
  choose_legs(*s);
  if (!s->request.memory_ids) answer.coverage.notes.push_back("weights: " + to_string(s->weights));
  if (s->request.include_metadata)
    answer.metadata = search_metadata{.weights = s->weights,
                                      .terms = s->terms,
                                      .has_vector = !s->vector.empty(),
                                      .window = s->window()};
  return std::unique_ptr<search_run>(new search_run(std::move(s)));
}

void search_run::narrow_to(std::vector<row_no> rows) {
  ensure(state_->stage == search_stage::select, "a search is narrowed before it runs");
  ensure(std::ranges::is_sorted(rows, {}, &row_no::value), "rows are in order");
  state_->only = std::move(rows);
}

std::optional<effect_kind> search_run::next() const {
  switch (state_->stage) {
  case search_stage::select:
    return effect_kind::attributes;
  case search_stage::rank:
    return state_->vector.empty() ? effect_kind::graph : effect_kind::vectors;
  case search_stage::fetch:
    return effect_kind::store;
  case search_stage::done:
    break;
  }
  return std::nullopt;
}

result<void> search_run::run(const read_views& views) {
  ensure(state_->stage != search_stage::done, "a finished search is not run");
  if (auto ok = state_->time.check(); !ok) return ok;
  switch (state_->stage) {
  case search_stage::select:
    return state_->request.memory_ids ? state_->run_lookup(views) : state_->run_select(views);
  case search_stage::rank:
    return state_->run_rank(views);
  case search_stage::fetch:
    return state_->run_fetch(views);
  case search_stage::done:
    break;
  }
  return {};
}

std::optional<entry_payload> search_run::touch() const {
  return std::nullopt;
}

std::uint64_t search_run::answer_bytes() const {
  return state_->room.used();
}

search_result search_run::take() {
  ensure(state_->stage == search_stage::done, "only a finished search has an answer");
  return std::move(state_->answer);
}

} // namespace mneme
