// Random worlds and random requests: the engine's answer equals that of the naive model, run in
// one go, and run step by step with a write between the steps. Every case prints its seed.
// Of: query/find/find_fetch.cpp, query/find/row_filter.cpp, query/find/row_order.cpp
// Of: query/predicate/predicate_eval.cpp, query/query_run.cpp

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "query/find/find.hpp"
#include "tests/query/find/naive_find.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

constexpr std::int64_t one_day_ns = 86'400'000'000'000;

class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  bool chance(int percent) { return below(100) < percent; }
  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(std::size(list))))];
  }
  timestamp time() { return {below(6) * one_day_ns + 1}; }

private:
  std::uint64_t state_;
};

const std::vector<std::string> words = {"", "alpha", "beta", "gamma ray", "al\npha", "Zürich"};
const std::vector<std::string> tag_names = {"red", "green", "blue", "rare"};
const std::vector<std::string> actor_names = {"", "ana", "ben", "a much longer actor name"};
const std::vector<memory_type> type_names = {
    memory_type::fact,  memory_type::goal,       memory_type::pattern,  memory_type::constraint,
    memory_type::event, memory_type::capability, memory_type::decision, memory_type::note};

// --- worlds -------------------------------------------------------------------------------------

std::vector<float> random_vector(dice& d) {
  std::vector<float> v(3);
  do {
    for (auto& x : v) x = static_cast<float>(d.below(3) - 1);
  } while (v == std::vector<float>{0, 0, 0});
  return v;
}

void fill_data(memory_data& data, memory_type type, dice& d) {
  switch (type) {
  case memory_type::fact:
    if (d.chance(50)) data["source"] = d.pick(words);
    if (d.chance(50)) data["as_of"] = d.time();
    break;
  case memory_type::goal:
    data["status"] = std::string(d.chance(50) ? "active" : "paused");
    if (d.chance(50)) data["persistent"] = d.chance(50);
    break;
  case memory_type::pattern:
    data["strength"] = static_cast<double>(d.below(5)) / 4;
    data["coverage"] = d.below(4);
    break;
  case memory_type::constraint:
    data["strength"] = std::string(d.chance(50) ? "soft" : "hard");
    data["source"] = std::string(d.chance(50) ? "learned" : "inferred");
    break;
  case memory_type::event:
    if (d.chance(50)) data["duration"] = d.below(4);
    if (d.chance(50)) data["summary"] = d.pick(words);
    break;
  case memory_type::capability:
    data["verified"] = d.chance(50);
    data["last_observed"] = d.time();
    break;
  case memory_type::decision:
    if (d.chance(60)) data["replaces"] = numbered_id(static_cast<std::uint64_t>(d.below(40)));
    break;
  default:
    break;
  }
}

void fill_version(memory_state& s, dice& d) {
  version& v = s.version;
  fill_data(v.data, v.type, d);
  v.created_at = d.time();
  v.created_by = d.pick(actor_names);
  v.confidence = static_cast<double>(d.below(5)) / 4;
  v.provenance.source = static_cast<provenance_source>(1 + d.below(4));
  if (d.chance(30)) v.provenance.signed_by = "ana";
  v.valid_from = d.time();
  v.valid_until.reset();
  v.expires_at.reset();
  if (d.chance(30)) v.valid_until = timestamp{v.valid_from.ns + (1 + d.below(4)) * one_day_ns};
  if (d.chance(30)) v.expires_at = d.time();
  v.forms.short_form = std::string(static_cast<std::size_t>(d.below(30)), 's');
  v.forms.medium_form = std::string(static_cast<std::size_t>(d.below(120)), 'm');
  s.vector.clear();
  if (d.chance(70)) s.vector = random_vector(d);
}

void fill_head(memory_state& s, dice& d) {
  head& h = s.head;
  h.tags.clear();
  for (const auto& tag : tag_names) {
    if (d.chance(tag == "rare" ? 8 : 40)) h.tags.push_back(tag);
  }
  std::ranges::sort(h.tags);
  h.visibility = static_cast<visibility>(1 + d.below(3));
  h.declared_importance = static_cast<std::uint8_t>(d.below(11));
  h.last_updated_at = d.time();
  h.lifecycle.reset();
  if (d.chance(25)) {
    h.lifecycle.emplace();
    h.lifecycle->status = static_cast<lifecycle_status>(1 + d.below(6));
  }
  h.metadata.clear();
  if (d.chance(50)) h.metadata["k"] = d.below(3);
  if (d.chance(25)) h.metadata["k"] = static_cast<double>(d.below(6)) / 2;
  if (d.chance(20)) h.metadata["k"] = d.pick(words);
  if (d.chance(15)) h.metadata["k"] = d.chance(50);
  if (d.chance(10)) h.metadata["k"] = std::vector<scalar>{std::int64_t{1}};
}

activation random_use(dice& d, const head& h) {
  activation used;
  used.last_used = {d.below(400) * one_day_ns};
  used.access_count = d.chance(10) ? 5000 : d.below(4);
  used.citations = d.chance(10) ? 1000 : d.below(3);
  used.importance = h.declared_importance;
  return used;
}

memory_id random_id(const small_world& world, dice& d) {
  auto it = world.memories.begin();
  std::advance(it, d.below(static_cast<std::int64_t>(world.memories.size())));
  return it->first;
}

void create(small_world& world, dice& d) {
  std::uint64_t number = 0;
  do {
    // Some are what decisions say that they replace.
    number = static_cast<std::uint64_t>(d.below(d.chance(30) ? 40 : 100'000));
  } while (world.memories.contains(numbered_id(number)));
  auto s = small_world::draft(number, d.pick(type_names), d.pick(words) + "x");
  s.head.actor_scope = d.pick(actor_names);
  s.head.created_at = d.time();
  fill_version(s, d);
  fill_head(s, d);
  world.put(s, random_use(d, s.head));
}

void mutate(small_world& world, dice& d) {
  if (world.memories.empty() || d.chance(45)) return create(world, d);
  auto s = world.memories[random_id(world, d)].back();
  if (d.chance(20)) {
    world.touch(s.head.id, random_use(d, s.head));
  } else if (d.chance(50)) {
    // Ends that exist, and now and then one that does not (yet).
    for (auto n = 1 + d.below(6); n > 0; --n) {
      const auto dst = d.chance(10) ? numbered_id(static_cast<std::uint64_t>(d.below(100'000)))
                                    : random_id(world, d);
      if (dst != s.head.id)
        world.put_edge(s.head.id, static_cast<edge_type>(1 + d.below(3)), dst, d.chance(15));
    }
  } else if (s.head.tombstone || s.head.erased) {
    return create(world, d);
  } else if (d.chance(40)) {
    s.version.number = ++s.head.current_version;
    fill_version(s, d);
    world.put(s, random_use(d, s.head));
  } else if (d.chance(60)) {
    fill_head(s, d);
    world.put(s, random_use(d, s.head));
  } else if (d.chance(85)) {
    s.head.tombstone =
        tombstone{.reason = "done", .cause = {}, .superseded_by = {}, .at = {}, .by = {}};
    s.head.tombstone->cause = d.chance(60) ? tombstone_cause::superseded : tombstone_cause::deleted;
    s.head.tombstone->at = s.head.last_updated_at;
    world.put(s, random_use(d, s.head));
  } else {
    s.head.erased = true;
    world.put(s, random_use(d, s.head));
  }
}

// --- requests -----------------------------------------------------------------------------------

enum class sort_of : std::uint8_t { number, text, boolean, time, id };
struct field_row {
  std::string name;
  sort_of kind;
  std::vector<memory_type> owners; ///< empty = every memory
};
const std::vector<field_row> fields = {
    {"head.id", sort_of::id, {}},
    {"head.type", sort_of::text, {}},
    {"head.current_version", sort_of::number, {}},
    {"head.actor_scope", sort_of::text, {}},
    {"head.visibility", sort_of::text, {}},
    {"head.declared_importance", sort_of::number, {}},
    {"head.tombstoned", sort_of::boolean, {}},
    {"head.created_at", sort_of::time, {}},
    {"head.last_updated_at", sort_of::time, {}},
    {"version.version", sort_of::number, {}},
    {"version.created_at", sort_of::time, {}},
    {"version.created_by", sort_of::text, {}},
    {"version.expires_at", sort_of::time, {}},
    {"version.confidence", sort_of::number, {}},
    {"version.provenance.source", sort_of::text, {}},
    {"version.provenance_kind", sort_of::text, {}},
    {"version.provenance.signed_by_present", sort_of::boolean, {}},
    {"version.valid_from", sort_of::time, {}},
    {"version.valid_until", sort_of::time, {}},
    {"data.source", sort_of::text, {memory_type::fact, memory_type::constraint}},
    {"data.as_of", sort_of::time, {memory_type::fact}},
    {"data.status", sort_of::text, {memory_type::goal}},
    {"data.persistent", sort_of::boolean, {memory_type::goal}},
    {"data.strength", sort_of::number, {memory_type::pattern}},
    {"data.strength", sort_of::text, {memory_type::constraint}},
    {"data.coverage", sort_of::number, {memory_type::pattern}},
    {"data.duration", sort_of::number, {memory_type::event}},
    {"data.summary", sort_of::text, {memory_type::event, memory_type::topic}},
    {"data.verified", sort_of::boolean, {memory_type::capability}},
    {"data.last_observed", sort_of::time, {memory_type::capability}},
    {"data.replaces", sort_of::id, {memory_type::decision}},
    {"meta.k", sort_of::number, {}},
    {"meta.k", sort_of::text, {}},
    {"meta.k", sort_of::boolean, {}},
    {"meta.none", sort_of::text, {}},
};

const std::vector<std::string> texts = {
    "active",  "paused", "soft",    "hard", "learned", "alpha",  "beta",    "Fact",
    "private", "ana",    "derived", "",     "Zürich",  "scoped", "Pattern", "observed"};
const std::vector<std::string> patterns = {"a", "^al", "p$", "(?i)ALPHA", "^$", "[^a-z]", "ü"};

literal random_literal(sort_of kind, const small_world& world, dice& d) {
  switch (kind) {
  case sort_of::number:
    if (d.chance(50)) return d.below(6);
    return static_cast<double>(d.below(11)) / 4;
  case sort_of::text:
    return d.pick(texts);
  case sort_of::boolean:
    return d.chance(50);
  case sort_of::time:
    if (d.chance(50)) return d.time().ns;
    return to_string(d.time());
  case sort_of::id:
    if (d.chance(50)) return to_string(random_id(world, d));
    return to_string(numbered_id(static_cast<std::uint64_t>(d.below(40))));
  }
  return false;
}

bool asked(const field_row& f, const find_request& r) {
  if (f.owners.empty() || r.types.empty()) return true;
  return std::ranges::any_of(
      f.owners, [&](memory_type t) { return std::ranges::find(r.types, t) != r.types.end(); });
}

predicate random_leaf(const find_request& r, const small_world& world, dice& d) {
  if (d.chance(25)) return has_tag(d.chance(90) ? d.pick(tag_names) : "unknown tag");
  const field_row& f = d.pick(fields);
  bool any_kind_asked = false;
  for (const auto& other : fields) any_kind_asked |= other.name == f.name && asked(other, r);
  if (!asked(f, r) && any_kind_asked) return has_tag("red"); // would be a type_mismatch
  const bool known = asked(f, r);
  const bool ordered = known && f.kind != sort_of::boolean && f.kind != sort_of::id;
  if (known && f.kind == sort_of::text && d.chance(20)) return matches(f.name, d.pick(patterns));
  if (d.chance(20)) {
    std::vector<literal> values;
    for (auto n = d.below(4); n > 0; --n) values.push_back(random_literal(f.kind, world, d));
    return in(f.name, values);
  }
  const auto op = static_cast<comparison>(d.below(ordered ? 6 : 2));
  return compare(op, f.name, random_literal(f.kind, world, d));
}

predicate random_predicate(const find_request& r, const small_world& world, dice& d, int depth) {
  if (depth == 0 || d.chance(40)) return random_leaf(r, world, d);
  if (d.chance(20)) return negate(random_predicate(r, world, d, depth - 1));
  std::vector<predicate> items;
  for (auto n = d.below(4); n > 0; --n) items.push_back(random_predicate(r, world, d, depth - 1));
  return d.chance(60) ? all_of(std::move(items)) : any_of(std::move(items));
}

void choose_near(find_request& r, std::optional<std::vector<float>>& target,
                 const small_world& world, seq_no at, dice& d) {
  if (d.chance(20)) {
    r.near = d.chance(50) ? "north" : "up";
    target = *word_embedder().embed(*r.near);
  } else if (d.chance(30)) {
    // Any version that existed at the seq read.
    const auto id = random_id(world, d);
    std::vector<const memory_state*> seen;
    for (const auto& s : world.memories.at(id)) {
      if (s.seq <= at) seen.push_back(&s);
    }
    if (seen.empty() || seen.back()->head.erased) return;
    const auto& s = *d.pick(seen);
    if (s.vector.empty()) return;
    if (!r.actor.value_or("").empty() && seen.back()->head.actor_scope != *r.actor
        && seen.back()->head.visibility != visibility::actor_public)
      return;
    r.near_uri = memory_uri{s.head.type, id, s.version.number};
    target = s.vector;
  } else {
    target = random_vector(d);
    r.near_vector = target;
  }
  if (target && d.chance(40)) r.near_k = 1 + d.below(30);
  if (d.chance(30)) r.exact = true;
}

void choose_follow(find_request& r, dice& d) {
  if (d.chance(10)) return;
  follow_spec f;
  if (d.chance(40)) f.types = {static_cast<edge_type>(1 + d.below(3))};
  if (d.chance(20)) f.types.push_back(static_cast<edge_type>(1 + d.below(3)));
  f.direction = static_cast<edge_direction>(d.below(3));
  f.max_hops = 1 + d.below(6);
  f.min_hops = d.below(f.max_hops + 1);
  f.include_tombstoned = d.chance(20);
  r.follow = f;
}

find_request random_request(const small_world& world, std::optional<std::vector<float>>& target,
                            seq_no at, dice& d) {
  find_request r;
  if (at != world.seq()) r.at_seq = at;
  if (d.chance(40)) r.actor = d.chance(90) ? d.pick(actor_names) : "nobody knows";
  if (d.chance(50)) {
    for (auto n = 1 + d.below(3); n > 0; --n) r.types.push_back(d.pick(type_names));
  }
  if (d.chance(35)) choose_near(r, target, world, at, d);
  if (d.chance(40)) {
    r.from = d.chance(95) ? random_id(world, d) : numbered_id(999'999);
    choose_follow(r, d);
    // A walk narrows enough by itself: with types and a predicate too, little would be left.
    if (d.chance(70)) r.types.clear();
  }
  if (d.chance(r.from ? 25 : 60)) r.where = random_predicate(r, world, d, 3);
  if (r.types.empty() && !target && !r.from) {
    if (d.chance(50)) {
      std::vector<predicate> items = {has_tag(d.pick(tag_names))};
      if (r.where) items.push_back(*r.where);
      r.where = all_of({all_of(std::move(items))});
    } else {
      r.types = {d.pick(type_names), memory_type::fact};
      r.where.reset();
    }
  }
  if (d.chance(50)) {
    for (auto n = 1 + d.below(3); n > 0; --n) {
      const auto field = static_cast<order_field>(d.below(8));
      if (field == order_field::near_distance && !target) continue;
      if (field == order_field::hop && !r.from) continue;
      r.order.push_back({field, d.chance(50)});
    }
  }
  if (d.chance(20)) r.rank = d.chance(50) || !target ? rank_kind::salience : rank_kind::distance;
  if (d.chance(80)) r.limit = 1 + d.below(d.chance(80) ? 10 : 1000);
  if (!r.limit || d.chance(25)) r.budget_tokens = 1 + d.below(d.chance(25) ? 900 : 120);
  if (d.chance(30)) r.offset = d.below(6);
  if (d.chance(40)) r.form = static_cast<form_kind>(d.below(3));
  if (d.chance(30)) r.as_of = d.time();
  if (d.chance(20)) r.now = d.time();
  r.include_tombstoned = d.chance(30);
  r.include_archived = d.chance(50);
  r.include_ended = d.chance(50);
  r.count = d.chance(40);
  r.explain = d.chance(30);
  r.late_binding = !r.at_seq && d.chance(20);
  return r;
}

// --- comparison ---------------------------------------------------------------------------------

void check_records(const small_world& world, const find_result& got, seq_no at) {
  for (const auto& m : got.memories) {
    const memory_state* expected = nullptr;
    for (const auto& s : world.memories.at(m.head->id)) {
      if (s.seq <= at) expected = &s;
    }
    REQUIRE(expected != nullptr);
    REQUIRE(*m.head == expected->head);
    REQUIRE(*m.version == expected->version);
  }
}

void check_answer(const find_request& r, const find_result& got, const naive_answer& want,
                  const small_world& world, seq_no at) {
  check_records(world, got, at);
  REQUIRE(ids_of(got) == want.ids);
  REQUIRE(got.scores == want.scores);
  REQUIRE(got.distances == want.distances);
  REQUIRE(got.hops == want.hops);
  REQUIRE(got.via == std::vector<std::optional<edge_key>>(want.via.begin(), want.via.end()));
  REQUIRE(got.rendered == want.rendered);
  REQUIRE(got.rendered_tokens.size() == got.rendered.size());
  REQUIRE(got.trimmed_by_budget == want.trimmed);
  REQUIRE(got.total == (r.count ? std::optional(want.total) : std::nullopt));
  REQUIRE(got.candidates_scanned >= want.total);
  REQUIRE(got.at_seq == at);
  REQUIRE(got.form_defaulted == (r.budget_tokens && !r.form));
  REQUIRE_FALSE(got.truncated);
  REQUIRE(got.plan.has_value() == r.explain);
  const bool near = r.near || r.near_uri || r.near_vector;
  REQUIRE(got.near_mode == (near ? std::optional(near_mode::exact) : std::nullopt));
}

void check_touch(const find_request& r, const std::optional<entry_payload>& touch,
                 const naive_answer& want) {
  REQUIRE(touch.has_value() == r.late_binding);
  if (!touch) return;
  const auto* late = std::get_if<find_late_payload>(&*touch);
  REQUIRE(late != nullptr);
  REQUIRE(late->accessed == want.ids);
  REQUIRE(late->result_count == static_cast<std::int64_t>(want.ids.size()));
  REQUIRE(late->types == r.types);
  REQUIRE(late->limit == r.limit);
  REQUIRE(late->actor == r.actor.value_or(""));
  REQUIRE(late->predicate == (r.where ? to_text(*r.where) : ""));
}

/// Stage after stage, as the coordinator does, while a writer goes on.
find_result hop_by_hop(small_world& world, find_run& run, dice& d) {
  std::vector<effect_kind> stages;
  while (const auto kind = run.next()) {
    stages.push_back(*kind);
    const read_views views = world.views();
    const auto done = run.run(views);
    REQUIRE(done.has_value());
    mutate(world, d);
  }
  REQUIRE(std::ranges::is_sorted(stages));
  REQUIRE(std::set<effect_kind>(stages.begin(), stages.end()).size() == stages.size());
  return run.take();
}

/// What the random requests reached, so that a generator gone dull is noticed.
struct coverage {
  std::size_t requests = 0;
  std::size_t rows = 0;
  std::size_t several_rows = 0;
  std::size_t near_rows = 0;
  std::size_t walked_rows = 0;
  std::size_t trimmed = 0;
  std::size_t past_rows = 0;

  void add(const find_request& r, const naive_answer& a) {
    ++requests;
    rows += a.ids.size();
    several_rows += a.ids.size() > 1 ? 1U : 0U;
    near_rows += a.distances.size();
    walked_rows += a.hops.size();
    trimmed += a.trimmed > 0 ? 1U : 0U;
    past_rows += r.at_seq ? a.ids.size() : 0U;
  }
};

void one_request(small_world& world, dice& d, coverage& reached) {
  const seq_no at = d.chance(70) ? world.seq()
                                 : seq_no{static_cast<std::uint64_t>(
                                       d.below(static_cast<std::int64_t>(world.seq().value) + 1))};
  const timestamp now{d.below(500) * one_day_ns};
  std::optional<std::vector<float>> target;
  const find_request r = random_request(world, target, at, d);
  INFO("where " << (r.where ? to_text(*r.where) : "-"));
  const naive_answer want = naive_find(world, r, target, now, at);
  reached.add(r, want);

  const read_views views = world.views();
  auto run = find_run::compile(r, {at, now, {}}, views);
  if (!run) FAIL(to_string(run.error().code) << " " << run.error().at);
  const auto done = run_inline(**run, views);
  REQUIRE(done.has_value());
  const auto touch = (*run)->touch();
  check_touch(r, touch, want);
  check_answer(r, (*run)->take(), want, world, at);

  auto hopping = find_run::compile(r, {at, now, {}}, views);
  REQUIRE(hopping.has_value());
  const auto got = hop_by_hop(world, **hopping, d);
  check_answer(r, got, want, world, at);
}

TEST_CASE("random finds equal the naive model, inline and stage by stage") {
  coverage reached;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    dice d(seed * 7919);
    small_world world;
    for (auto n = 5 + d.below(120); n > 0; --n) mutate(world, d);
    for (int i = 0; i < 60; ++i) {
      INFO("seed " << seed << " request " << i);
      one_request(world, d, reached);
    }
  }
  CHECK(reached.rows > 5 * reached.requests / 4);
  CHECK(reached.several_rows > reached.requests / 5);
  CHECK(reached.near_rows > reached.requests / 10);
  CHECK(reached.walked_rows > reached.requests / 10);
  CHECK(reached.trimmed > reached.requests / 20);
  CHECK(reached.past_rows > reached.requests / 10);
}

} // namespace
} // namespace mneme::testing
