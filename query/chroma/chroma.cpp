#include "query/chroma/chroma.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "index/colour/colour_search.hpp"
#include "messages/ensure.hpp"
#include "query/answer_bytes.hpp"
#include "query/chroma/chroma_checks.hpp"
#include "query/chroma/metadata_match.hpp"
#include "query/deadline.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"
#include "views/current_memories.hpp"
#include "views/standing.hpp"

namespace mneme {

namespace {

/// How many times k rows the approximation scores.
constexpr std::size_t nearest_per_k = 3;
/// Rows fetched at once where records decide; a few more than k, since some may not pass.
constexpr std::size_t least_batch = 16;
constexpr double own_share = 0.7;
constexpr double custom_share = 0.3;

enum class chroma_stage : std::uint8_t { search, fetch, done };

std::string label_of(const memory& m) {
  if (const auto found = m.version->data.find("label"); found != m.version->data.end())
    if (const auto* text = std::get_if<std::string>(&found->second); text && !text->empty())
      return *text;
  return m.version->forms.short_form;
}

bool comes_first(const chroma_row& x, const chroma_row& y) {
  if (x.score != y.score) return x.score > y.score;
  if (x.distance != y.distance) return x.distance < y.distance;
  return x.memory.head->id < y.memory.head->id;
}

} // namespace

/// Which rows the asker may have in an answer: what he sees, and what holds.
class shown_rows {
public:
  shown_rows(const asker& who, const read_views& views, const query_context& context,
             bool includes_ended)
      : columns_(*views.attributes),
        sees_all_(who.sees_all()),
        visible_(who, columns_, *views.nodes),
        current_(visible_, views, context.at, {.instant = context.now}),
        judges_(!includes_ended
                && (current_.ever_superseded() || columns_.ending()->cardinality() != 0)) {}

  [[nodiscard]] bool shows_all() const { return sees_all_ && !judges_; }
  [[nodiscard]] bool shows(row_no row) const {
    return visible_(row) && (!judges_ || current_.holds(columns_.rows().line(row)));
  }
  [[nodiscard]] past_marks marks_of(row_no row) const {
    return current_.marks_of(columns_.rows().line(row));
  }

private:
  const attributes& columns_;
  bool sees_all_;
  visible_rows visible_;
  current_memories current_; ///< by what is visible
  bool judges_;
};

struct chroma_state {
  chroma_plan plan;
  query_context context;
  std::optional<metadata_match> passes; ///< the filters, once records are read
  deadline time;
  answer_room room;
  chroma_stage stage = chroma_stage::search;
  std::optional<shown_rows> shown; ///< what the search accepts
  std::unique_ptr<colour_search> search;
  std::vector<colour_hit> batch; ///< found, not fetched yet
  bool exhausted = false;
  std::size_t passed = 0; ///< rows; the best k of them are in the answer, the last one in front
  std::vector<memory_id> touched;
  chroma_result answer;

  [[nodiscard]] bool records_decide() const {
    return !plan.request.filters.empty() || plan.profile->has_custom_scoring();
  }
  /// Rows that must pass before the answer is known; more with custom scores, see is_settled().
  [[nodiscard]] std::size_t wanted() const {
    if (!plan.request.approximate) return plan.k;
    return plan.k > std::numeric_limits<std::size_t>::max() / nearest_per_k
               ? plan.k
               : plan.k * nearest_per_k;
  }
  void start(const read_views& views);
  result<void> run_search(const read_views& views);
  result<void> run_fetch(const read_views& views);
  [[nodiscard]] chroma_row row_of(const colour_hit& hit, memory m,
                                  const lineage_reader& lineage) const;
  result<void> keep(chroma_row row);
  [[nodiscard]] bool is_settled(double best_left) const;
  void finish();
};

void chroma_state::start(const read_views& views) {
  const chroma_request& r = plan.request;
  shown.emplace(asker(r.actor, context.scope), views, context, r.include_ended);
  search = std::make_unique<colour_search>(
      *views.attributes, *views.nodes,
      colour_query{.point = plan.point,
                   .now = context.now,
                   .at = context.at,
                   .weights = r.weights,
                   .max_distance = r.max_distance,
                   .created_or_accessed = r.temporal_range,
                   .include_rotten = *r.include_rotten,
                   .nearest_first = r.approximate,
                   .accept = shown->shows_all() ? colour_query::accept_type()
                                                : [this](row_no row) { return shown->shows(row); },
                   .goes_on = [this] { return time.check().has_value(); }});
}

result<void> chroma_state::run_search(const read_views& views) {
  ensure(!exhausted && batch.empty(), "a search goes on where something is left");
  if (search == nullptr) start(views);
  const std::size_t size = records_decide() ? std::max(least_batch, plan.k) : wanted();
  while (batch.size() < size && !exhausted) {
    const auto hit = search->next();
    if (auto ok = time.check(); !ok) return ok;
    if (hit)
      batch.push_back(*hit);
    else
      exhausted = true;
  }
  answer.candidates_scanned = static_cast<std::int64_t>(search->visited());
  stage = chroma_stage::fetch;
  return {};
}

chroma_row chroma_state::row_of(const colour_hit& hit, memory m,
                                const lineage_reader& lineage) const {
  chroma_row row;
  m.standing = lineage.standing_of(hit.row);
  row.label = label_of(m);
  row.memory = std::move(m);
  row.memory.signals = hit.before;
  row.distance = hit.distance;
  row.relevance = hit.signals.relevance;
  row.recency = hit.signals.recency;
  row.strength_norm = hit.signals.strength_norm;
  row.health = hit.signals.health;
  row.score = hit.signals.score;
  row.past = shown->marks_of(hit.row);
  return row;
}

result<void> chroma_state::keep(chroma_row row) {
  if (plan.profile->has_custom_scoring()) {
    const double custom = plan.profile->custom_scoring(row, plan.request);
    row.score = own_share * row.score + custom_share * std::clamp(custom, 0.0, 1.0);
  }
  ++passed;
  if (auto ok = room.take(mneme::answer_bytes(row)); !ok) return ok;
  answer.rows.push_back(std::move(row));
  std::ranges::push_heap(answer.rows, comes_first);
  if (answer.rows.size() <= plan.k) return {};
  std::ranges::pop_heap(answer.rows, comes_first);
  room.give_back(mneme::answer_bytes(answer.rows.back()));
  answer.rows.pop_back();
  return {};
}

/// Can no row that is left, of at most `best_left` before custom scores, enter the answer?
bool chroma_state::is_settled(double best_left) const {
  if (passed < wanted()) return false;
  if (plan.request.approximate || !plan.profile->has_custom_scoring()) return true;
  ensure(!answer.rows.empty(), "what has passed is in the answer");
  return answer.rows.front().score > own_share * best_left + custom_share;
}

result<void> chroma_state::run_fetch(const read_views& views) {
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  if (!passes) passes.emplace(plan.request.filters);
  const lineage_reader lineage(views, context.at);
  bool settled = false;
  for (std::size_t i = 0; i < batch.size() && !settled; ++i) {
    const colour_hit& hit = batch[i];
    auto found = read_memory(views, **reader, hit.node, hit.row, context.at);
    if (!found) return propagate(found);
    if (!found->has_value() || !(*passes)((*found)->what.head->metadata)) continue;
    if (auto ok = keep(row_of(hit, std::move((*found)->what), lineage)); !ok) return ok;
    settled = is_settled(hit.signals.score);
  }
  batch.clear();
  if (settled || exhausted)
    finish();
  else
    stage = chroma_stage::search;
  return {};
}

void chroma_state::finish() {
  std::ranges::sort(answer.rows, comes_first);
  if (plan.touch)
    for (const chroma_row& row : answer.rows) touched.push_back(row.memory.head->id);
  search.reset();
  shown.reset();
  stage = chroma_stage::done;
}

chroma_run::chroma_run(std::unique_ptr<chroma_state> state) : state_(std::move(state)) {
}
chroma_run::~chroma_run() = default;

result<void> chroma_run::check(const chroma_request& request) {
  return check_chroma(request);
}

result<std::unique_ptr<chroma_run>>
chroma_run::compile(chroma_request request, query_context context, const read_views& views) {
  auto state = std::make_unique<chroma_state>();
  state->time = deadline(context.stopwatch, request.deadline_ms);
  state->room = answer_room(views.max_answer_bytes, "ask for fewer by k", "k");
  auto plan = plan_chroma(std::move(request), context, views);
  if (!plan) return propagate(plan);
  state->plan = std::move(*plan);
  state->context = std::move(context);
  chroma_result& answer = state->answer;
  const lab_point& p = state->plan.point;
  answer.point = {p.L, p.a, p.b, node_id_of(p.L, p.a, p.b), state->plan.counts};
  answer.hashtags = state->plan.hashtags;
  answer.profile = state->plan.profile_name;
  answer.at_seq = state->context.at;
  return std::unique_ptr<chroma_run>(new chroma_run(std::move(state)));
}

std::optional<effect_kind> chroma_run::next() const {
  switch (state_->stage) {
  case chroma_stage::search:
    return effect_kind::attributes;
  case chroma_stage::fetch:
    return effect_kind::store;
  case chroma_stage::done:
    break;
  }
  return std::nullopt;
}

result<void> chroma_run::run(const read_views& views) {
  ensure(state_->stage != chroma_stage::done, "a finished query is not run");
  if (auto ok = state_->time.check(); !ok) return ok;
  if (state_->stage == chroma_stage::fetch) return state_->run_fetch(views);
  return state_->run_search(views);
}

std::optional<entry_payload> chroma_run::touch() const {
  ensure(state_->stage == chroma_stage::done, "only a finished query knows what it touched");
  if (state_->touched.empty()) return std::nullopt;
  reinforce_payload payload;
  payload.door = reinforcing_door::chroma;
  payload.actor = asker(state_->plan.request.actor, state_->context.scope).name();
  // The committer knows the strengths as they are when the entry is made.
  for (const memory_id& id : state_->touched) payload.items.push_back({id, 0, 0});
  return payload;
}

std::uint64_t chroma_run::answer_bytes() const {
  return state_->room.used();
}

chroma_result chroma_run::take() {
  ensure(state_->stage == chroma_stage::done, "only a finished query has an answer");
  state_->plan.profile->post_process(state_->answer, state_->plan.request);
  return std::move(state_->answer);
}

} // namespace mneme
