#include "tests/query/find/naive_find.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <variant>

#include <re2/re2.h>

#include "messages/math.hpp"
#include "messages/text/forms.hpp"

namespace mneme::testing {

namespace {

struct time_value {
  std::int64_t ns;
};
struct id_value {
  memory_id id;
};
using value = std::variant<std::monostate, double, std::string, bool, time_value, id_value>;

value from_field(const field_value& f) {
  if (const auto* s = std::get_if<std::string>(&f)) return *s;
  if (const auto* i = std::get_if<std::int64_t>(&f)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&f)) return *d;
  if (const auto* b = std::get_if<bool>(&f)) return *b;
  if (const auto* t = std::get_if<timestamp>(&f)) return time_value{t->ns};
  if (const auto* id = std::get_if<memory_id>(&f)) return id_value{*id};
  return {};
}

value from_meta(const meta_value& f) {
  if (const auto* s = std::get_if<std::string>(&f)) return *s;
  if (const auto* i = std::get_if<std::int64_t>(&f)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&f)) return *d;
  if (const auto* b = std::get_if<bool>(&f)) return *b;
  return {};
}

value value_of(const std::string& field, const head& h, const version& v) {
  const auto number = [](auto n) { return value(static_cast<double>(n)); };
  if (field == "head.id") return id_value{h.id};
  if (field == "head.type") return std::string(to_string(h.type));
  if (field == "head.current_version") return number(h.current_version);
  if (field == "head.actor_scope") return h.actor_scope;
  if (field == "head.visibility") return std::string(to_string(h.visibility));
  if (field == "head.declared_importance") return number(h.declared_importance);
  if (field == "head.tombstoned") return h.tombstone.has_value();
  if (field == "head.created_at") return time_value{h.created_at.ns};
  if (field == "head.last_updated_at") return time_value{h.last_updated_at.ns};
  if (field == "version.version") return number(v.number);
  if (field == "version.created_at") return time_value{v.created_at.ns};
  if (field == "version.created_by") return v.created_by;
  if (field == "version.expires_at")
    return v.expires_at ? value(time_value{v.expires_at->ns}) : value();
  if (field == "version.confidence") return v.confidence;
  if (field == "version.provenance.source" || field == "version.provenance_kind")
    return std::string(to_string(v.provenance.source));
  if (field == "version.provenance.signed_by_present") return !v.provenance.signed_by.empty();
  if (field == "version.valid_from") return time_value{v.valid_from.ns};
  if (field == "version.valid_until")
    return v.valid_until ? value(time_value{v.valid_until->ns}) : value();
  if (field.starts_with("data.")) {
    const auto found = v.data.find(field.substr(5));
    return found == v.data.end() ? value() : from_field(found->second);
  }
  if (field.starts_with("meta.")) {
    const auto found = h.metadata.find(field.substr(5));
    return found == h.metadata.end() ? value() : from_meta(found->second);
  }
  return {};
}

/// -1, 0, 1 of value against literal; nullopt if they are of different kinds.
std::optional<int> order_of(const value& left, const literal& right) {
  const auto sign = [](const auto& a, const auto& b) { return a < b ? -1 : (b < a ? 1 : 0); };
  if (const auto* n = std::get_if<double>(&left)) {
    if (const auto* i = std::get_if<std::int64_t>(&right)) return sign(*n, static_cast<double>(*i));
    if (const auto* d = std::get_if<double>(&right)) return sign(*n, *d);
  } else if (const auto* s = std::get_if<std::string>(&left)) {
    if (const auto* t = std::get_if<std::string>(&right)) return sign(*s, *t);
  } else if (const auto* b = std::get_if<bool>(&left)) {
    if (const auto* c = std::get_if<bool>(&right)) return sign(*b, *c);
  } else if (const auto* t = std::get_if<time_value>(&left)) {
    if (const auto* i = std::get_if<std::int64_t>(&right)) return sign(t->ns, *i);
    if (const auto* text = std::get_if<std::string>(&right))
      return sign(t->ns, parse_timestamp(*text)->ns);
  } else if (const auto* id = std::get_if<id_value>(&left)) {
    if (const auto* text = std::get_if<std::string>(&right))
      return sign(to_string(id->id), to_string(*parse_memory_id(*text)));
  }
  return std::nullopt;
}

bool is_of_host(const find_request& r) {
  return r.actor.value_or("").empty();
}

bool visible(const find_request& r, const head& h) {
  return is_of_host(r) || h.actor_scope == *r.actor || h.visibility == visibility::actor_public;
}

const memory_state* state_at(const small_world& world, const memory_id& id, seq_no at) {
  const auto found = world.memories.find(id);
  if (found == world.memories.end()) return nullptr;
  const memory_state* newest = nullptr;
  for (const auto& s : found->second) {
    if (s.seq <= at) newest = &s;
  }
  return newest;
}

activation activation_at(const small_world& world, const memory_id& id, seq_no at) {
  activation used;
  for (const auto& a : world.activations.at(id)) {
    if (a.seq <= at) used = a.values;
  }
  return used;
}

struct reached {
  std::int64_t hop;
  edge_key via;
};

/// Every vertex with its shortest hop, the start excluded.
std::map<memory_id, reached> walk(const small_world& world, const find_request& r, seq_no at) {
  const follow_spec f = r.follow.value_or(follow_spec{});
  std::map<memory_id, reached> seen;
  const auto enterable = [&](const memory_id& id) {
    if (is_of_host(r)) return true;
    const auto* s = state_at(world, id, at);
    return s != nullptr && visible(r, s->head);
  };
  if (state_at(world, *r.from, at) == nullptr || !enterable(*r.from)) return seen;
  std::set<memory_id> visited{*r.from};
  std::deque<std::pair<memory_id, std::int64_t>> queue{{*r.from, 0}};
  while (!queue.empty()) {
    const auto [here, hop] = queue.front();
    queue.pop_front();
    if (hop == f.max_hops) continue;
    std::vector<std::tuple<std::uint8_t, memory_id, int, edge_key>> next;
    for (const auto& [key, states] : world.edges) {
      const edge_state* newest = nullptr;
      for (const auto& s : states) {
        if (s.seq <= at) newest = &s;
      }
      if (newest == nullptr || (newest->tombstoned && !f.include_tombstoned)) continue;
      if (!f.types.empty() && std::ranges::find(f.types, key.type) == f.types.end()) continue;
      const auto type = static_cast<std::uint8_t>(key.type);
      if (f.direction != edge_direction::in && key.src == here)
        next.emplace_back(type, key.dst, 0, key);
      if (f.direction != edge_direction::out && key.dst == here)
        next.emplace_back(type, key.src, 1, key);
    }
    std::ranges::sort(next);
    for (const auto& [type, other, in, key] : next) {
      if (visited.contains(other) || !enterable(other)) continue;
      visited.insert(other);
      seen[other] = {hop + 1, key};
      queue.emplace_back(other, hop + 1);
    }
  }
  std::erase_if(seen, [&](const auto& item) { return item.second.hop < f.min_hops; });
  return seen;
}

struct row {
  memory_id id;
  const memory_state* state = nullptr;
  double distance = 0;
  double score = 0;
  std::int64_t hop = 0;
  edge_key via;
  std::string text;
  std::int64_t tokens = 0;
};

double score_of(const activation& used, bool tombstoned, std::optional<double> distance,
                timestamp now) {
  if (tombstoned) return 0;
  double days90 = 0;
  if (now > used.last_used)
    days90 = static_cast<double>(now.ns - used.last_used.ns) / (90.0 * 24 * 3600 * 1e9);
  const double recency = stable_exp(-days90);
  const double whole = stable_log(1001.0);
  const auto count = [&](std::int64_t n) {
    return n >= 1000 ? 1.0 : stable_log(1.0 + static_cast<double>(n)) / whole;
  };
  const double importance = static_cast<double>(used.importance) / 10.0;
  double part[4] = {0.25, 0.15, 0.30, 0.20};
  if (!distance) {
    const double sum = part[0] + part[1] + part[2] + part[3];
    for (double& p : part) p /= sum;
  }
  double score = part[0] * recency + part[1] * count(used.access_count)
                 + part[2] * count(used.citations) + part[3] * importance;
  if (distance) score += 0.10 * std::max(0.0, std::min(1.0, 1.0 - *distance));
  return score;
}

bool in_order(const row& a, const row& b, const std::vector<order_by>& order) {
  for (const auto& by : order) {
    double x = 0;
    double y = 0;
    std::int64_t m = 0;
    std::int64_t n = 0;
    switch (by.field) {
    case order_field::salience:
      x = a.score, y = b.score;
      break;
    case order_field::version_created_at:
      m = a.state->version.created_at.ns, n = b.state->version.created_at.ns;
      break;
    case order_field::head_last_updated_at:
      m = a.state->head.last_updated_at.ns, n = b.state->head.last_updated_at.ns;
      break;
    case order_field::head_declared_importance:
      m = a.state->head.declared_importance, n = b.state->head.declared_importance;
      break;
    case order_field::near_distance:
      x = a.distance, y = b.distance;
      break;
    case order_field::hop:
      m = a.hop, n = b.hop;
      break;
    case order_field::head_created_at:
      m = a.state->head.created_at.ns, n = b.state->head.created_at.ns;
      break;
    case order_field::head_id:
      if (a.id != b.id) return by.descending ? b.id < a.id : a.id < b.id;
      break;
    }
    if (x != y) return by.descending ? x > y : x < y;
    if (m != n) return by.descending ? m > n : m < n;
  }
  for (const auto& by : order)
    if (by.field == order_field::version_created_at || by.field == order_field::head_created_at
        || by.field == order_field::head_last_updated_at)
      return by.descending ? b.id < a.id : a.id < b.id;
  return a.id < b.id;
}

std::vector<order_by> order_of(const find_request& r, bool near) {
  if (!r.order.empty()) return r.order;
  const order_by salience{order_field::salience, true};
  const order_by distance{order_field::near_distance, false};
  if (r.rank) return {*r.rank == rank_kind::salience ? salience : distance};
  if (r.from) return {{order_field::hop, false}};
  if (near) return {distance};
  return {salience};
}

/// There, or tombstoned as superseded.
bool may_have_held(const head& h) {
  return !h.erased && (!h.tombstone || h.tombstone->cause == tombstone_cause::superseded);
}

/// What newer memories that count for who asks supersede or replace.
std::set<memory_id> superseded_in(const small_world& world, const find_request& r, seq_no at) {
  std::set<memory_id> found;
  const auto take_out = [&](const memory_state* by, const memory_id& older) {
    if (by == nullptr || !may_have_held(by->head) || !visible(r, by->head)) return;
    if (by->head.id == older || (r.as_of && *r.as_of < by->version.valid_from)) return;
    const memory_state* old = state_at(world, older, at);
    if (old != nullptr
        && (by->head.actor_scope.empty() || by->head.actor_scope == old->head.actor_scope))
      found.insert(older);
  };
  for (const auto& [key, states] : world.edges) {
    if (key.type != edge_type::supersedes) continue;
    const edge_state* newest = nullptr;
    for (const auto& s : states)
      if (s.seq <= at) newest = &s;
    if (newest != nullptr && !newest->tombstoned) take_out(state_at(world, key.src, at), key.dst);
  }
  for (const auto& [id, states] : world.memories) {
    const memory_state* by = state_at(world, id, at);
    if (by == nullptr || by->head.type != memory_type::decision) continue;
    const auto replaced = by->version.data.find("replaces");
    if (replaced != by->version.data.end()) take_out(by, std::get<memory_id>(replaced->second));
  }
  return found;
}

/// What is found is to hold, unless one walks or asks for the rest.
bool is_left_out(const find_request& r, const memory_state& of, timestamp now,
                 const std::set<memory_id>& superseded) {
  const bool is_near = r.near || r.near_uri || r.near_vector;
  const head& h = of.head;
  const bool walks = r.from && !is_near;
  if (h.tombstone && !r.include_tombstoned) {
    if (!may_have_held(h)) return true;
    const bool was_over = !r.as_of || h.tombstone->at <= *r.as_of;
    if (!r.include_ended && (walks || (was_over && !r.include_archived))) return true;
  }
  if (r.include_ended || walks || (h.tombstone && r.include_tombstoned)) return false;
  const version& v = of.version;
  const bool is_over =
      (v.valid_until && now >= *v.valid_until) || (v.expires_at && now >= *v.expires_at);
  if (!r.as_of && is_over) return true;
  return !r.include_archived && superseded.contains(of.head.id);
}

std::vector<row> matching(const small_world& world, const find_request& r, seq_no at,
                          timestamp now) {
  std::map<memory_id, reached> steps;
  if (r.from) steps = walk(world, r, at);
  const auto superseded = superseded_in(world, r, at);
  std::vector<row> rows;
  for (const auto& [id, states] : world.memories) {
    row c;
    c.id = id;
    c.state = state_at(world, id, at);
    if (c.state == nullptr) continue;
    const head& h = c.state->head;
    const version& v = c.state->version;
    if (r.from) {
      const auto step = steps.find(id);
      if (step == steps.end()) continue;
      c.hop = step->second.hop;
      c.via = step->second.via;
    }
    if (h.erased) continue;
    const bool archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived;
    if (archived && !r.include_archived) continue;
    if (!r.types.empty() && std::ranges::find(r.types, h.type) == r.types.end()) continue;
    if (!visible(r, h)) continue;
    if (r.as_of) {
      if (*r.as_of < v.valid_from) continue;
      if (v.valid_until && *r.as_of >= *v.valid_until) continue;
      if (v.expires_at && *r.as_of >= *v.expires_at) continue;
    }
    if (is_left_out(r, *c.state, now, superseded)) continue;
    if (r.where && !naive_test(*r.where, h, v)) continue;
    rows.push_back(std::move(c));
  }
  return rows;
}

/// Does the budget alone say how many nearest rows there are?
bool fills_its_budget(const find_request& r) {
  return !r.limit && !r.near_k && r.budget_tokens.has_value();
}

void keep_nearest(std::vector<row>& rows, const find_request& r, const std::vector<float>& query) {
  std::erase_if(rows, [](const row& c) { return c.state->vector.empty(); });
  for (auto& c : rows) c.distance = cosine_distance(query, c.state->vector);
  std::ranges::sort(rows, [](const row& a, const row& b) {
    return std::tie(a.distance, a.id) < std::tie(b.distance, b.id);
  });
  std::uint64_t k = 0;
  if (fills_its_budget(r))
    k = std::min<std::uint64_t>(
        1024, std::max<std::uint64_t>(16, static_cast<std::uint64_t>(*r.budget_tokens) / 8));
  const std::uint64_t end = r.limit ? static_cast<std::uint64_t>(*r.limit + r.offset) : 0;
  if (r.limit) k = 4 * end;
  if (r.near_k) k = std::max<std::uint64_t>(static_cast<std::uint64_t>(*r.near_k), end);
  if (rows.size() > k) rows.resize(k);
}

/// Of the nearest rows as many as fit, of the first 16 whatever they are.
std::int64_t keep_fitting(std::vector<row>& rows, std::int64_t budget) {
  auto nearest = rows;
  std::ranges::sort(nearest, [](const row& a, const row& b) {
    return std::tie(a.distance, a.id) < std::tie(b.distance, b.id);
  });
  std::size_t count = 0;
  for (std::int64_t sum = 0; count < nearest.size(); ++count) {
    sum += nearest[count].tokens;
    if (count >= 16 && sum > budget) break;
  }
  nearest.resize(count);
  const auto is_far = [&](const row& c) {
    return std::ranges::none_of(nearest, [&](const row& n) { return n.id == c.id; });
  };
  return static_cast<std::int64_t>(std::erase_if(rows, is_far));
}

/// Drops the least salient row, the later one of equals, until the rest fits or one is left.
std::int64_t trim(std::vector<row>& rows, std::int64_t budget) {
  std::int64_t trimmed = 0;
  for (;;) {
    std::int64_t sum = 0;
    for (const auto& c : rows) sum += c.tokens;
    if (sum <= budget || rows.size() <= 1) return trimmed;
    std::size_t worst = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].score <= rows[worst].score) worst = i;
    }
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(worst));
    ++trimmed;
  }
}

} // namespace

bool naive_test(const predicate& p, const head& h, const version& v) {
  if (const auto* c = std::get_if<compare_predicate>(&p.node)) {
    const auto order = order_of(value_of(c->field, h, v), c->value);
    if (!order) return false;
    switch (c->op) {
    case comparison::eq:
      return *order == 0;
    case comparison::ne:
      return *order != 0;
    case comparison::gt:
      return *order > 0;
    case comparison::gte:
      return *order >= 0;
    case comparison::lt:
      return *order < 0;
    case comparison::lte:
      return *order <= 0;
    }
  }
  if (const auto* i = std::get_if<in_predicate>(&p.node)) {
    const value left = value_of(i->field, h, v);
    return std::ranges::any_of(i->values, [&](const literal& l) { return order_of(left, l) == 0; });
  }
  if (const auto* t = std::get_if<has_tag_predicate>(&p.node))
    return std::ranges::find(h.tags, t->tag) != h.tags.end();
  if (const auto* m = std::get_if<matches_predicate>(&p.node)) {
    const value left = value_of(m->field, h, v);
    const auto* text = std::get_if<std::string>(&left);
    return text != nullptr && re2::RE2::PartialMatch(*text, m->pattern);
  }
  if (const auto* a = std::get_if<and_predicate>(&p.node))
    return std::ranges::all_of(a->items,
                               [&](const predicate& item) { return naive_test(item, h, v); });
  if (const auto* o = std::get_if<or_predicate>(&p.node))
    return std::ranges::any_of(o->items,
                               [&](const predicate& item) { return naive_test(item, h, v); });
  return !naive_test(*std::get<not_predicate>(p.node).item, h, v);
}

naive_answer naive_find(const small_world& world, const find_request& r,
                        const std::optional<std::vector<float>>& near_query, timestamp clock,
                        seq_no at) {
  const timestamp now = r.now.value_or(clock);
  auto rows = matching(world, r, at, now);
  if (near_query) keep_nearest(rows, r, *near_query);
  for (auto& c : rows) {
    const auto distance = near_query ? std::optional(c.distance) : std::nullopt;
    const auto& gone = c.state->head.tombstone;
    const bool was_there =
        gone && gone->cause == tombstone_cause::superseded && r.as_of && gone->at > *r.as_of;
    c.score =
        score_of(activation_at(world, c.id, at), gone.has_value() && !was_there, distance, now);
  }
  const auto order = order_of(r, near_query.has_value());
  std::ranges::sort(rows, [&](const row& a, const row& b) { return in_order(a, b, order); });
  naive_answer out;
  out.total = static_cast<std::int64_t>(rows.size());
  const auto offset = std::min<std::size_t>(rows.size(), static_cast<std::size_t>(r.offset));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(offset));
  if (r.limit && rows.size() > static_cast<std::size_t>(*r.limit))
    rows.resize(static_cast<std::size_t>(*r.limit));
  const bool rendered = r.form || r.budget_tokens;
  for (auto& c : rows) {
    const version& v = c.state->version;
    switch (r.form.value_or(form_kind::medium)) {
    case form_kind::short_form:
      c.text = v.forms.short_form;
      break;
    case form_kind::medium:
      c.text = v.forms.medium_form;
      break;
    case form_kind::full:
      c.text = full_text(v.type, v.data);
      break;
    }
    c.tokens = static_cast<std::int64_t>((c.text.size() + 3) / 4);
  }
  if (near_query && fills_its_budget(r)) out.trimmed = keep_fitting(rows, *r.budget_tokens);
  if (r.budget_tokens) out.trimmed += trim(rows, *r.budget_tokens);
  for (const auto& c : rows) {
    out.ids.push_back(c.id);
    out.scores.push_back(c.score);
    if (near_query) out.distances.push_back(c.distance);
    if (r.from) out.hops.push_back(c.hop);
    if (r.from) out.via.push_back(c.via);
    if (rendered) out.rendered.push_back(c.text);
  }
  return out;
}

} // namespace mneme::testing
