#include "query/selection/selection.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/request_numbers.hpp"
#include "query/selection/selection_state.hpp"

namespace mneme {

namespace {

/// So many are ranked by meaning: one more than may be selected, so that what matches beyond is
/// refused, and not cut off.
constexpr std::int64_t ranked = static_cast<std::int64_t>(max_superseded) + 1;
/// What is asked for is read several times before a deadline counts.
constexpr std::size_t max_asked_bytes = 16 * 1024;

void add_distinct(std::vector<std::string>& terms, const std::vector<std::string>& more) {
  for (const auto& term : more)
    if (terms.size() < most_asked_terms && std::ranges::find(terms, term) == terms.end())
      terms.push_back(term);
}

/// Of other spellings.
void add_forms(std::vector<std::string>& terms, const asked_selection& asked) {
  for (const auto& phrase : asked.identifiers)
    for (const auto& form : phrase.forms) add_distinct(terms, form);
  for (const auto& part : asked.parts) add_forms(terms, part);
}

/// What decides comes first, in case there are too many.
std::vector<std::string> terms_of(const asked_selection& asked) {
  std::vector<std::string> terms;
  for (const auto* phrases : {&asked.identifiers, &asked.names})
    for (const auto& phrase : *phrases) {
      add_distinct(terms, phrase.terms);
      add_distinct(terms, phrase.runs);
    }
  add_distinct(terms, asked.subject.terms);
  for (const auto& kept : asked.kept) add_distinct(terms, kept);
  add_distinct(terms, asked.content);
  for (const auto& part : asked.parts) add_distinct(terms, terms_of(part));
  add_distinct(terms, asked.listed.terms);
  return terms;
}

/// All that decides must be looked for: what is not would be in none, or everywhere.
result<void> check_terms(const asked_selection& asked) {
  std::set<std::string> deciding; // its own: terms of parts are made here
  const auto add = [&](const std::vector<std::string>& terms) {
    deciding.insert(terms.begin(), terms.end());
  };
  for (const auto* phrases : {&asked.identifiers, &asked.names})
    for (const auto& phrase : *phrases) {
      add(phrase.terms);
      add(phrase.runs);
    }
  for (const auto& kept : asked.kept) add(kept);
  // A statement is known by its first words, a thing by all of them, or by its identifiers.
  if (asked.extent != asked_extent::fact && asked.identifiers.empty()) add(asked.content);
  for (const auto& part : asked.parts) {
    add(terms_of(part));
    add(asked.listed.terms);
  }
  if (deciding.size() > most_asked_terms)
    return fail(errc::limit_exceeded,
                fmt::format("the words name more than {} things: ask in parts", most_asked_terms),
                "words");
  return {};
}

} // namespace

std::string_view to_string(selection_reason why) noexcept {
  switch (why) {
  case selection_reason::identifier:
    return "identifier";
  case selection_reason::entity:
    return "entity";
  case selection_reason::meaning:
    return "meaning";
  }
  return {};
}

std::string asked_question(const select_request& r) {
  return read_asked(r.words).question;
}

search_request selection_state::search_of(const select_request& r, std::string question) {
  search_request s{.query = std::move(question),
                   .limit = ranked,
                   .source = search_source::memory,
                   .similarity_floor = 0,
                   .vector = r.vector,
                   .actor = r.actor,
                   .scope = r.scope,
                   .at_seq = r.at_seq,
                   .now = r.now,
                   .deadline_ms = r.deadline_ms};
  s.sort = search_sort::relevance;
  // What is no longer shown is still there to be forgotten; what holds is what is superseded.
  s.include_archived = s.include_ended = !r.states_new;
  if (r.types.size() == 1 && r.types.front() != memory_type::chunk) s.type = r.types.front();
  if (!r.tags.empty()) s.tag = r.tags.front();
  // What was said before and after says nothing of what a memory says.
  s.weights = "neighbours=0,answers=0";
  return s;
}

select_run::select_run(std::unique_ptr<selection_state> state) : state_(std::move(state)) {
}
select_run::~select_run() = default;

result<void> select_run::check(const select_request& r) {
  if (!is_utf8(r.words)) return fail(errc::bad_utf8, "the words are not UTF-8", "words");
  if (is_blank(r.words)) return fail(errc::empty_query, "the words are blank", "words");
  if (r.words.size() > max_query_bytes)
    return fail(errc::limit_exceeded, "the words are over 1 MiB", "words");
  // A new memory states what is new as it begins; what is asked for is read as a whole.
  if (!r.states_new && r.words.size() > max_asked_bytes)
    return fail(errc::limit_exceeded, "the words are over 16 KiB: ask in parts", "words");
  if (auto ok = check_positive(r.limit, "limit"); !ok) return ok;
  if (r.limit > static_cast<std::int64_t>(max_superseded))
    return fail(errc::out_of_range, fmt::format("limit is at most {}", max_superseded), "limit");
  for (std::size_t i = 0; i < r.types.size(); ++i)
    if (to_string(r.types[i]).empty())
      return fail(errc::bad_value, "not a type", fmt::format("types[{}]", i));
  if (r.tags.size() > max_tags)
    return fail(errc::limit_exceeded, fmt::format("at most {} tags", max_tags), "tags");
  for (std::size_t i = 0; i < r.tags.size(); ++i)
    if (!is_utf8(r.tags[i]))
      return fail(errc::bad_utf8, "the tag is not UTF-8", fmt::format("tags[{}]", i));
  const std::string question = asked_question(r);
  if (is_blank(question)) return fail(errc::empty_query, "the words are marks alone", "words");
  return search_run::check(selection_state::search_of(r, question));
}

result<std::unique_ptr<select_run>>
select_run::compile(select_request request, query_context context, const read_views& views) {
  if (auto ok = check(request); !ok) return propagate(ok);
  auto state = std::make_unique<selection_state>();
  state->time = deadline(context.stopwatch, request.deadline_ms);
  if (auto ok = views.wait_for_late(); !ok) return propagate(ok);
  state->room = answer_room(views.max_answer_bytes, "select less", "words");
  state->who = asker(request.actor, context.scope);
  state->asked = read_asked(request.words, views.language);
  if (!request.states_new)
    if (auto ok = check_terms(state->asked); !ok) return propagate(ok);
  const naming_rule rule{.audience = views.audience, .instant = request.now.value_or(context.now)};
  auto names = other_names(request.words, state->who, context.at, rule, views, state->time);
  if (!names) return propagate(names);
  state->names = std::move(*names);
  state->terms = terms_of(state->asked);
  add_forms(state->terms, state->asked);
  ensure(state->terms.size() <= most_asked_terms, "a set holds every term");
  auto search = search_run::compile(selection_state::search_of(request, state->asked.question),
                                    context, views);
  if (!search) return propagate(search);
  state->search = std::move(*search);
  state->answer.embedder_problem = state->search->embedder_problem();
  state->answer.at_seq = context.at;
  state->request = std::move(request);
  state->context = std::move(context);
  return std::unique_ptr<select_run>(new select_run(std::move(state)));
}

std::optional<effect_kind> select_run::next() const {
  switch (state_->stage) {
  case selection_stage::look:
    return effect_kind::attributes;
  case selection_stage::ask:
    return state_->search->next();
  case selection_stage::decide:
    return effect_kind::store;
  case selection_stage::done:
    break;
  }
  return std::nullopt;
}

result<void> select_run::run(const read_views& views) {
  ensure(state_->stage != selection_stage::done, "a finished selection is not run");
  if (auto ok = state_->time.check(); !ok) return ok;
  switch (state_->stage) {
  case selection_stage::look:
    return state_->look(views);
  case selection_stage::ask:
    if (auto ok = state_->search->run(views); !ok) return ok;
    if (state_->search->next() == effect_kind::store) state_->stage = selection_stage::decide;
    return {};
  case selection_stage::decide:
    return state_->decide(views);
  case selection_stage::done:
    break;
  }
  return {};
}

std::optional<entry_payload> select_run::touch() const {
  return std::nullopt;
}

std::uint64_t select_run::answer_bytes() const {
  return state_->room.used();
}

select_result select_run::take() {
  ensure(state_->stage == selection_stage::done, "only a finished selection has an answer");
  return std::move(state_->answer);
}

} // namespace mneme
