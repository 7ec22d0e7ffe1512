/// Context, over the model: every memory is looked at for each tier.

#include <algorithm>
#include <array>
#include <limits>

#include "messages/text/topic_text.hpp"
#include "sim/model_lineage.hpp"
#include "sim/model_physics.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

namespace {

struct context_entry {
  int tier = 0;
  memory record;
  double salience = 0;
};

bool is_framed(const head& h, const context_request& r) {
  return r.action && std::ranges::any_of(r.objects, [&](const auto& object) {
           return std::ranges::find(h.frames, intent_frame{*r.action, object.first, object.second})
                  != h.frames.end();
         });
}

bool newer(const memory& a, const memory& b) {
  if (a.head->created_at != b.head->created_at) return a.head->created_at > b.head->created_at;
  return a.head->id < b.head->id;
}

bool more_salient(const context_entry& a, const context_entry& b) {
  if (a.salience != b.salience) return a.salience > b.salience;
  return a.record.head->id < b.record.head->id;
}

bool wants(const context_request& r, context_tier tier) {
  return !r.tiers || std::ranges::find(*r.tiers, tier) != r.tiers->end();
}

memory_uri uri_of(const memory& m) {
  return {m.head->type, m.head->id, m.head->current_version};
}

class context_model {
public:
  context_model(const model& state, const context_request& r, seq_no at, timestamp now)
      : state_(state),
        r_(r),
        at_(at),
        now_(now),
        current_(state, viewer_of(r), at, {.instant = now}, r.min_trust) {
    const auto w = numbers_of(state.weights_at(viewer_of(r).name(), at));
    for (const auto& id : state.ids_at(at)) {
      context_entry e{.tier = 0, .record = *state.memory_at(id, at), .salience = 0};
      const head& h = e.record.head;
      if (!may_have_held(h) || is_archived(h) || !sees(viewer_of(r), h)) continue;
      if (r.min_trust && trust_in(state, id, at) < *r.min_trust) continue;
      if (!r.include_ended && !current_.holds(e.record)) continue;
      e.salience = h.tombstone ? 0 : salience(e.record.activation, now, w, {});
      visible_.push_back(std::move(e));
    }
  }

  context_result out;

  void put_tiers() {
    auto rows = rows_of_tiers();
    // The least salient goes first, of equals the smaller id; one row stays.
    std::ranges::sort(rows, [](const context_entry& a, const context_entry& b) {
      if (a.salience != b.salience) return a.salience < b.salience;
      return a.record.head->id < b.record.head->id;
    });
    std::int64_t sum = 0;
    for (const auto& e : rows) sum += item_of(e).tokens;
    while (rows.size() > 1 && sum > out.budget_tokens) {
      left_out_.insert(left_out_.begin(), uri_of(rows.front().record));
      sum -= item_of(rows.front()).tokens;
      rows.erase(rows.begin());
    }
    std::ranges::sort(rows, [](const context_entry& a, const context_entry& b) {
      if (a.tier != b.tier) return a.tier < b.tier;
      return a.tier == 1 ? newer(a.record, b.record) : more_salient(a, b);
    });
    const std::array lists = {&out.pinned, &out.outcomes, &out.frame_relevant};
    for (const auto& e : rows) show(item_of(e), *lists.at(static_cast<std::size_t>(e.tier)));
  }

  void put_notable() {
    auto rows = visible_;
    std::erase_if(rows, [&](const context_entry& e) {
      return e.record.head->type == memory_type::chunk || shown_.contains(e.record.head->id);
    });
    std::ranges::sort(rows, more_salient);
    const auto all = static_cast<std::int64_t>(rows.size());
    const auto looked_at = 64 + out.budget_tokens / 8;
    std::ranges::stable_partition(
        rows, [](const context_entry& e) { return !is_overview(*e.record.head); });
    if (all > looked_at) rows.resize(static_cast<std::size_t>(looked_at));
    // Of one time and as salient, in the order of their talk.
    for (std::size_t i = 1; i < rows.size(); ++i)
      for (std::size_t j = i; j > 0 && is_said_before(rows[j], rows[j - 1]); --j)
        std::swap(rows[j], rows[j - 1]);
    for (const auto& e : rows) offer(item_of(e), out.notable);
    out.more = all - static_cast<std::int64_t>(out.notable.size());
  }

  /// What a search found, each hit between what is right before and after it.
  void put_found(const search_result& found) {
    for (const auto& hit : found.results) {
      scores_[hit.uri.id] = hit.score;
      if (hit.older_of) older_[hit.uri.id] = *hit.older_of;
    }
    const search_request plain{.query = *r_.query,
                               .include_ended = r_.include_ended,
                               .min_trust = r_.min_trust,
                               .actor = r_.actor,
                               .scope = r_.scope};
    searched_state s{state_, plain, at_, now_, {}};
    for (const auto& id : state_.ids_at(at_))
      if (auto m = state_.memory_at(id, at_); may_have_held(m->head))
        s.live.emplace(id, std::move(*m));
    for (const auto& hit : found.results) {
      std::vector<context_item> before;
      std::vector<context_item> itself;
      std::vector<context_item> after;
      offer(found_item(hit.uri.id), itself);
      if (!shown_.contains(hit.uri.id)) continue;
      if (const auto id = newest_beside(s, hit.uri.id, true)) offer(found_item(*id), before);
      if (const auto id = newest_beside(s, hit.uri.id, false)) offer(found_item(*id), after);
      for (const auto* part : {&before, &itself, &after})
        out.found.insert(out.found.end(), part->begin(), part->end());
    }
  }

  context_result done() {
    std::erase_if(left_out_, [&](const memory_uri& uri) { return shown_.contains(uri.id); });
    if (out.more == 0) out.more = static_cast<std::int64_t>(left_out_.size());
    if (left_out_.size() > 64) left_out_.resize(64);
    out.reachable_uris = left_out_;
    return std::move(out);
  }

private:
  /// Every row in the first of its tiers that are asked for.
  std::vector<context_entry> rows_of_tiers() {
    std::vector<context_entry> rows;
    std::vector<context_entry> framed;
    const viewer who = viewer_of(r_);
    for (auto e : visible_) {
      if (wants(r_, context_tier::pinned) && is_pinned_content(e.record.version)
          && (who.sees_all() || e.record.head->actor_scope == who.owner())) {
        e.salience = std::max(e.salience, pinned_floor);
        rows.push_back(std::move(e));
      } else if (is_framed(e.record.head, r_)) {
        framed.push_back(std::move(e));
      }
    }
    std::ranges::sort(framed, [](const context_entry& a, const context_entry& b) {
      return newer(a.record, b.record);
    });
    std::int64_t outcomes = 0;
    for (auto& e : framed) {
      const bool is_outcome = wants(r_, context_tier::outcomes)
                              && e.record.head->type == memory_type::event
                              && outcomes < r_.outcome_limit;
      outcomes += is_outcome ? 1 : 0;
      e.tier = is_outcome ? 1 : 2;
      if (is_outcome || wants(r_, context_tier::frame_relevant)) rows.push_back(std::move(e));
    }
    return rows;
  }

  std::string told_text(const memory& m) const {
    const std::string text = sim::text_of(m.version, r_.form);
    if (m.head->type != memory_type::topic || r_.form == form_kind::short_form) return text;
    const judged_by when{.instant = now_};
    const memory_id& id = m.head->id;
    const auto wanted = field_asked_for(r_.query.value_or(""), search_weights{}.function_words,
                                        state_, id, at_, when, r_.include_ended);
    return text + told_values(told_fields(state_, id, at_, when, r_.include_ended), 600, wanted);
  }

  context_item item_of(const context_entry& e) const {
    const memory& m = e.record;
    const auto speaker = m.head->metadata.find("speaker");
    const auto* name =
        speaker == m.head->metadata.end() ? nullptr : std::get_if<std::string>(&speaker->second);
    const provenance& from = m.version->provenance;
    context_item item{
        .uri = uri_of(m),
        .text = told_text(m),
        .salience = e.salience,
        .by = name != nullptr && !name->empty() ? *name : m.head->actor_scope,
        .at = m.version->created_at,
        .standing = standing_in(state_, m.head->id, at_),
        .trust_told = from.trust || from.source_class,
        .source_class = from.source_class,
        .past = {.ended = current_.is_over(m), .superseded = current_.is_superseded(m)}};
    return quoted(std::move(item));
  }

  /// The workload's texts have nothing in them that a quotation must take out.
  context_item quoted(context_item item) const {
    if (item.standing.trust < 0.5)
      item.text =
          (item.source_class ? "> [untrusted, " + std::string(to_string(*item.source_class)) + "] "
                             : "> [untrusted] ")
          + item.text;
    item.tokens = state_.seams().tokens->count(item.text);
    return item;
  }

  context_item found_item(const memory_id& id) const {
    context_entry e{.tier = 0, .record = *state_.memory_at(id, at_), .salience = 0};
    e.salience = salience(e.record.activation, now_,
                          numbers_of(state_.weights_at(viewer_of(r_).name(), at_)), {});
    if (e.record.head->tombstone) e.salience = 0;
    context_item item = item_of(e);
    item.text = told_text(e.record);
    const std::string when = to_string(item.at);
    std::string head = "[" + when.substr(0, 10) + " " + when.substr(11, 5);
    if (!item.by.empty() && item.by != viewer_of(r_).owner()
        && !item.text.starts_with(item.by + ":"))
      head += ", " + item.by;
    item.text = head + "] " + item.text;
    item = quoted(std::move(item));
    if (const auto score = scores_.find(id); score != scores_.end()) item.score = score->second;
    if (const auto older = older_.find(id); older != older_.end()) item.older_of = older->second;
    return item;
  }

  /// What a search would search, too.
  static bool is_searched(const searched_state& s, const memory_id& id) {
    const memory* m = s.find(id);
    return m != nullptr && m->head->type != memory_type::chunk && sees(viewer_of(s.r), m->head)
           && !is_archived(m->head)
           && (s.r.include_ended || (!s.is_superseded(id) && !s.has_ended(m->version)))
           && !is_overview(*m->head)
           && (!s.r.min_trust || trust_in(s.state, id, s.at) >= *s.r.min_trust);
  }
  static bool is_said_before(const context_entry& a, const context_entry& b) {
    const head& left = *a.record.head;
    const head& right = *b.record.head;
    const auto place = [](const head& h) {
      const auto order = h.metadata.find("order");
      const auto* at =
          order == h.metadata.end() ? nullptr : std::get_if<std::int64_t>(&order->second);
      return at == nullptr ? std::numeric_limits<std::int64_t>::max() : *at;
    };
    return a.salience == b.salience && left.created_at == right.created_at
           && is_overview(left) == is_overview(right) && place(left) < place(right);
  }
  static bool is_overview(const head& h) {
    return h.type == memory_type::topic && std::ranges::find(h.tags, overview_tag) != h.tags.end();
  }

  std::optional<memory_id> newest_beside(const searched_state& s, const memory_id& id,
                                         bool incoming) const {
    std::optional<memory_id> best;
    for (const auto& e : incoming ? state_.edges_in(id, at_) : state_.edges_out(id, at_)) {
      const memory_id& other = incoming ? e.key.src : e.key.dst;
      if (e.tombstoned || e.key.type != edge_type::related_to
          || (e.kind != "next" && e.kind != "answer") || !is_searched(s, other))
        continue;
      if (!best || newer(*s.find(other), *s.find(*best))) best = other;
    }
    return best;
  }

  void show(context_item item, std::vector<context_item>& to) {
    out.tokens += item.tokens;
    shown_.insert(item.uri.id);
    to.push_back(std::move(item));
  }

  void offer(context_item item, std::vector<context_item>& to) {
    if (shown_.contains(item.uri.id)) return;
    if (out.tokens + item.tokens <= out.budget_tokens) return show(std::move(item), to);
    if (std::ranges::find(left_out_, item.uri) == left_out_.end()) left_out_.push_back(item.uri);
  }

  const model& state_;
  const context_request& r_;
  seq_no at_;
  timestamp now_;
  what_holds current_;
  std::vector<context_entry> visible_;
  std::set<memory_id> shown_;
  std::vector<memory_uri> left_out_;
  std::map<memory_id, double> scores_;
  std::map<memory_id, memory_id> older_; ///< as the search says
};

} // namespace

std::expected<context_result, errc> context_in(const model& state, const context_request& r,
                                               seq_no at, timestamp clock_now, bool by_words) {
  const std::int64_t most = r.scope != nullptr ? r.scope->budget_tokens : 4000;
  const std::int64_t budget = r.budget_tokens ? std::min<std::int64_t>(*r.budget_tokens, 4000)
                                              : std::min<std::int64_t>({3000, 4000, most});
  if (budget > most) return std::unexpected(errc::budget_exceeded);
  const timestamp now = r.now.value_or(clock_now);
  context_model made(state, r, at, now);
  made.out.at_seq = at;
  made.out.budget_tokens = budget;
  made.put_tiers();
  if (r.query && wants(r, context_tier::found)) {
    const search_request asked{.query = *r.query,
                               .limit = std::max<std::int64_t>(16, budget / 16),
                               .include_ended = r.include_ended,
                               .min_trust = r.min_trust,
                               .similarity_floor = 0.2,
                               .vector = r.vector,
                               .actor = r.actor,
                               .scope = r.scope};
    const auto found = search_in(state, asked, at, now, by_words);
    if (!found) return std::unexpected(found.error());
    made.out.no_good_match = found->results.empty();
    made.put_found(*found);
  }
  const bool is_asked = r.query || (r.action && !r.objects.empty());
  if (!is_asked && wants(r, context_tier::notable)) made.put_notable();
  return made.done();
}

} // namespace mneme::sim
