#include "sim/model_find.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "index/vectors/vectors.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/topic_text.hpp"
#include "sim/model_current.hpp"
#include "sim/model_lineage.hpp"
#include "sim/model_physics.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

namespace {

struct step {
  std::int64_t hop = 0;
  edge_key via;
};

struct row {
  memory record;
  double distance = 0;
  double salience = 0;
  step reached;
};

/// One edge as seen from a memory that the walk expands.
struct seen_edge {
  edge_type type{};
  memory_id other;
  bool is_in = false;
  edge_key key;

  friend bool operator<(const seen_edge& a, const seen_edge& b) {
    if (a.type != b.type) return a.type < b.type;
    if (a.other != b.other) return a.other < b.other;
    return !a.is_in && b.is_in;
  }
};

class naive_walk {
public:
  naive_walk(const model& state, const find_request& r, seq_no at)
      : state_(state),
        who_(viewer_of(r)),
        from_(*r.from),
        follow_(r.follow.value_or(follow_spec{})),
        at_(at) {}

  void run() {
    if (!state_.head_at(from_, at_)) return;
    if (!who_.sees_all() && !visible(from_)) return;
    std::set<memory_id> met{from_};
    std::vector<memory_id> frontier{from_};
    for (std::int64_t hop = 1; hop <= follow_.max_hops && !truncated_; ++hop) {
      std::vector<memory_id> next;
      for (const auto& id : frontier) expand(id, hop, met, next);
      frontier = std::move(next);
    }
  }
  /// Ids within the hops asked, the missing ones too.
  [[nodiscard]] const std::map<memory_id, step>& reached() const { return reached_; }
  [[nodiscard]] bool truncated() const { return truncated_; }

private:
  void expand(const memory_id& id, std::int64_t hop, std::set<memory_id>& met,
              std::vector<memory_id>& next) {
    for (const auto& e : edges_of(id)) {
      if (truncated_) return;
      if (!met.insert(e.other).second || (!who_.sees_all() && !visible(e.other))) continue;
      if (count_ == follow_.max_visited) {
        truncated_ = true;
        return;
      }
      ++count_;
      next.push_back(e.other);
      if (hop >= follow_.min_hops) reached_[e.other] = {hop, e.key};
    }
  }

  [[nodiscard]] std::vector<seen_edge> edges_of(const memory_id& id) const {
    std::vector<seen_edge> found;
    const auto take = [&](const edge_record& e, bool is_in) {
      const auto& types = follow_.types;
      if (e.tombstoned && !follow_.include_tombstoned) return;
      if (!types.empty() && std::ranges::find(types, e.key.type) == types.end()) return;
      found.push_back({e.key.type, is_in ? e.key.src : e.key.dst, is_in, e.key});
    };
    if (follow_.direction != edge_direction::in)
      for (const auto& e : state_.edges_out(id, at_)) take(e, false);
    if (follow_.direction != edge_direction::out)
      for (const auto& e : state_.edges_in(id, at_)) take(e, true);
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] bool visible(const memory_id& id) const {
    const auto h = state_.head_at(id, at_);
    return h && sees(who_, *h);
  }

  const model& state_;
  viewer who_;
  memory_id from_;
  follow_spec follow_;
  seq_no at_;
  std::map<memory_id, step> reached_;
  std::int64_t count_ = 0;
  bool truncated_ = false;
};

bool is_near(const find_request& r) {
  return r.near || r.near_uri || r.near_vector;
}

std::expected<std::vector<float>, errc> near_target(const model& state, const find_request& r,
                                                    seq_no at) {
  const vector_space space = state.space_at(at);
  if (r.near) {
    if (state.seams().embeds == nullptr) return std::unexpected(errc::no_embedder);
    if (is_refused_text(state, *r.near)) return std::unexpected(errc::io);
    auto v = state.seams().embeds->embed(*r.near);
    if (!v || v->empty()) return std::unexpected(errc::no_vector);
    return std::move(*v);
  }
  if (r.near_vector) {
    if (space.dim != 0 && space.dim != r.near_vector->size())
      return std::unexpected(errc::dim_mismatch);
    return *r.near_vector;
  }
  const auto& uri = *r.near_uri;
  const auto h = state.head_at(uri.id, state.is_erased(uri.id) ? state.last() : at);
  if (!h || !sees(viewer_of(r), *h) || h->type != uri.type) return std::unexpected(errc::not_found);
  if (h->erased) return std::unexpected(errc::erased);
  if (uri.version > h->current_version) return std::unexpected(errc::not_found);
  // A vector that came late was not there from the start.
  auto v = uri.version == h->current_version ? state.vector_at(uri.id, at)
                                             : state.vector_of_version(uri.id, uri.version, at);
  if (v.empty()) return std::unexpected(errc::no_vector);
  return v;
}

bool valid_at(const version& v, timestamp t) {
  return v.valid_from <= t && (!v.valid_until || t < *v.valid_until)
         && (!v.expires_at || t < *v.expires_at);
}

bool passes(const find_request& r, const memory& m, const what_holds& current) {
  if (!r.types.empty() && std::ranges::find(r.types, m.head->type) == r.types.end()) return false;
  const bool walks = r.from && !is_near(r);
  // What is tombstoned is not judged where it is asked for.
  const bool is_asked_for = m.head->tombstone && r.include_tombstoned;
  const bool finds_past = r.include_ended || (!walks && (r.as_of || r.include_archived));
  if (m.head->tombstone && !is_asked_for && !(finds_past && may_have_held(m.head))) return false;
  if (is_archived(m.head) && !r.include_archived) return false;
  if (!sees(viewer_of(r), m.head)) return false;
  if (r.as_of && !valid_at(m.version, *r.as_of)) return false;
  // A walk shows what is there, unless it asks for what is near.
  if (!r.include_ended && !walks && !is_asked_for) {
    if (!r.as_of && current.is_over(m)) return false;
    if (!r.include_archived && current.is_superseded(m)) return false;
  }
  return !r.where || holds(*r.where, m, r.types);
}

double salience_of(const model& state, const find_request& r, const memory& m, seq_no at,
                   timestamp now, double distance) {
  const bool was_there =
      r.as_of && m.head->tombstone && may_have_held(m.head) && m.head->tombstone->at > *r.as_of;
  if (m.head->tombstone && !was_there) return 0.0;
  const auto w = numbers_of(state.weights_at(viewer_of(r).name(), at));
  return salience(m.activation, now, w, is_near(r) ? std::optional(distance) : std::nullopt);
}

std::vector<order_by> order_of(const find_request& r) {
  if (!r.order.empty()) return r.order;
  if (r.rank == rank_kind::salience) return {{order_field::salience, true}};
  if (r.rank == rank_kind::distance) return {{order_field::near_distance, false}};
  if (r.from) return {{order_field::hop, false}};
  if (is_near(r)) return {{order_field::near_distance, false}};
  return {{order_field::salience, true}};
}

template <class T>
int sign_of(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int compare_by(order_field field, const row& a, const row& b) {
  switch (field) {
  case order_field::salience:
    return sign_of(a.salience, b.salience);
  case order_field::version_created_at:
    return sign_of(a.record.version->created_at, b.record.version->created_at);
  case order_field::head_last_updated_at:
    return sign_of(a.record.head->last_updated_at, b.record.head->last_updated_at);
  case order_field::head_declared_importance:
    return sign_of(a.record.head->declared_importance, b.record.head->declared_importance);
  case order_field::near_distance:
    return sign_of(a.distance, b.distance);
  case order_field::head_created_at:
    return sign_of(a.record.head->created_at, b.record.head->created_at);
  case order_field::head_id:
    return sign_of(a.record.head->id, b.record.head->id);
  case order_field::hop:
    return sign_of(a.reached.hop, b.reached.hop);
  }
  return 0;
}

bool is_time(order_field field) {
  return field == order_field::version_created_at || field == order_field::head_created_at
         || field == order_field::head_last_updated_at;
}

/// Ties end by id, in the direction of the first time.
void sort_rows(std::vector<row>& rows, const std::vector<order_by>& order) {
  const auto time = std::ranges::find_if(order, is_time, &order_by::field);
  const bool ties_descend = time != order.end() && time->descending;
  std::sort(rows.begin(), rows.end(), [&](const row& a, const row& b) {
    for (const auto& by : order)
      if (const int sign = compare_by(by.field, a, b); sign != 0)
        return by.descending ? sign > 0 : sign < 0;
    return ties_descend ? b.record.head->id < a.record.head->id
                        : a.record.head->id < b.record.head->id;
  });
}

/// Does the budget alone say how many nearest rows there are?
bool fills_budget(const find_request& r) {
  return is_near(r) && !r.limit && !r.near_k;
}

void keep_nearest(std::vector<row>& rows, const find_request& r) {
  const auto page = r.limit ? *r.limit + r.offset : 0;
  std::int64_t kept = 4 * page;
  if (fills_budget(r)) kept = std::clamp<std::int64_t>(*r.budget_tokens / 8, 16, 1024);
  if (r.near_k) kept = std::max(*r.near_k, page);
  std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.record.head->id < b.record.head->id;
  });
  if (rows.size() > static_cast<std::size_t>(kept)) rows.resize(static_cast<std::size_t>(kept));
}

/// What the fields of a topic hold.
std::string told_in(const model& state, const find_request& r, const memory& m, seq_no at,
                    timestamp now) {
  if (m.head->type != memory_type::topic) return {};
  const judged_by when{.instant = r.as_of.value_or(now), .is_asked = r.as_of.has_value()};
  const auto wanted = field_asked_for(r.near.value_or(""), search_weights{}.function_words, state,
                                      m.head->id, at, when, r.include_ended);
  return told_values(told_fields(state, m.head->id, at, when, r.include_ended), 600, wanted);
}

std::string plain(const memory& m, form_kind form) {
  switch (form) {
  case form_kind::short_form:
    return m.version->forms.short_form;
  case form_kind::medium:
    return m.version->forms.medium_form;
  case form_kind::full:
    return full_text(m.version->type, m.version->data);
  }
  return {};
}

/// How the memories of one answer are told.
struct told_by {
  const model& state;
  const find_request& r;
  seq_no at;
  timestamp now;

  [[nodiscard]] std::string fields(const memory& m) const { return told_in(state, r, m, at, now); }
  [[nodiscard]] std::string rendered(const memory& m, form_kind form) const {
    return plain(m, form) + (form == form_kind::short_form ? std::string() : fields(m));
  }
};

/// The nearest rows stay as long as they fit, and the first 16 whatever they are.
std::int64_t keep_fitting(const told_by& told, std::vector<row>& rows, form_kind form,
                          std::int64_t budget) {
  const token_counter& tokens = *told.state.seams().tokens;
  std::vector<const row*> nearest;
  nearest.reserve(rows.size());
  for (const auto& r : rows) nearest.push_back(&r);
  std::ranges::sort(nearest, [](const row* a, const row* b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->record.head->id < b->record.head->id;
  });
  std::set<memory_id> kept;
  std::int64_t used = 0;
  for (const row* r : nearest) {
    used += tokens.count(told.rendered(r->record, form));
    if (kept.size() >= 16 && used > budget) break;
    kept.insert(r->record.head->id);
  }
  return static_cast<std::int64_t>(
      std::erase_if(rows, [&](const row& r) { return !kept.contains(r.record.head->id); }));
}

/// Drops the least salient row, of equals the later one, until the rest fits; one row stays.
std::int64_t trim(const told_by& told, std::vector<row>& rows, form_kind form,
                  std::int64_t budget) {
  const token_counter& tokens = *told.state.seams().tokens;
  std::int64_t dropped = 0;
  for (;;) {
    std::int64_t used = 0;
    for (const auto& r : rows) used += tokens.count(told.rendered(r.record, form));
    if (used <= budget || rows.size() <= 1) return dropped;
    auto least = rows.begin();
    for (auto it = rows.begin(); it != rows.end(); ++it)
      if (it->salience <= least->salience) least = it;
    rows.erase(least);
    ++dropped;
  }
}

std::vector<row> candidates(const model& state, const find_request& r, seq_no at, timestamp now,
                            const naive_walk* walk, const std::vector<float>& target) {
  std::vector<row> rows;
  const what_holds current(state, viewer_of(r), at,
                           {.instant = r.as_of.value_or(now), .is_asked = r.as_of.has_value()},
                           r.min_trust);
  for (const auto& id : state.ids_at(at)) {
    row one;
    if (walk != nullptr) {
      const auto found = walk->reached().find(id);
      if (found == walk->reached().end()) continue;
      one.reached = found->second;
    }
    one.record = *state.memory_at(id, at);
    if (!passes(r, one.record, current)) continue;
    if (r.min_trust && trust_in(state, id, at) < *r.min_trust) continue;
    if (r.stale && standing_in(state, id, at).stale != *r.stale) continue;
    if (is_near(r)) {
      // Not the head's word for it: heads stay as they were when an erasure takes the vector.
      const auto vector = state.vector_at(id, at);
      if (vector.empty()) continue;
      one.distance = cosine_distance(target, vector);
    }
    rows.push_back(std::move(one));
  }
  return rows;
}

} // namespace

std::expected<find_result, errc> find_in(const model& state, const find_request& r, seq_no at,
                                         timestamp clock) {
  const timestamp now = r.now.value_or(clock);
  if (r.late_binding && !viewer_of(r).may_touch()) return std::unexpected(errc::scope_violation);
  std::vector<float> target;
  if (is_near(r)) {
    auto found = near_target(state, r, at);
    if (!found) return std::unexpected(found.error());
    target = std::move(*found);
  }
  if (r.where && has_misfit_literal(*r.where, r.types)) return std::unexpected(errc::type_mismatch);
  std::optional<naive_walk> walk;
  if (r.from) walk.emplace(state, r, at).run();
  auto rows = candidates(state, r, at, now, walk ? &*walk : nullptr, target);
  if (is_near(r)) keep_nearest(rows, r);

  find_result out;
  out.at_seq = at;
  out.truncated = walk && walk->truncated();
  if (is_near(r)) out.near_mode = near_mode::exact;
  if (r.count) out.total = static_cast<std::int64_t>(rows.size());
  out.form = r.form;
  if (!r.form && r.budget_tokens) {
    out.form = form_kind::medium;
    out.form_defaulted = true;
  }
  for (auto& one : rows) one.salience = salience_of(state, r, one.record, at, now, one.distance);
  sort_rows(rows, order_of(r));
  const auto skipped = std::min<std::size_t>(static_cast<std::size_t>(r.offset), rows.size());
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (r.limit && rows.size() > static_cast<std::size_t>(*r.limit))
    rows.resize(static_cast<std::size_t>(*r.limit));
  const told_by told{state, r, at, now};
  const what_holds current(state, viewer_of(r), at,
                           {.instant = r.as_of.value_or(now), .is_asked = r.as_of.has_value()},
                           r.min_trust);
  if (fills_budget(r))
    out.trimmed_by_budget = keep_fitting(told, rows, *out.form, *r.budget_tokens);
  if (r.budget_tokens) out.trimmed_by_budget += trim(told, rows, *out.form, *r.budget_tokens);
  for (auto& one : rows) {
    if (out.form) {
      out.rendered.push_back(told.rendered(one.record, *out.form));
      out.rendered_tokens.push_back(state.seams().tokens->count(out.rendered.back()));
    } else {
      out.told.push_back(told.fields(one.record));
    }
    out.scores.push_back(one.salience);
    if (is_near(r)) out.distances.push_back(one.distance);
    if (r.from) {
      out.hops.push_back(one.reached.hop);
      out.via.emplace_back(one.reached.via);
    }
    out.past.push_back(
        {.ended = current.is_over(one.record), .superseded = current.is_superseded(one.record)});
    one.record.standing = standing_in(state, one.record.head->id, at);
    out.memories.push_back(std::move(one.record));
  }
  return out;
}

} // namespace mneme::sim
