// The naive model by itself: it must be right without the engine that it judges.
// Of: sim/model_current.cpp, sim/model_find.cpp, sim/model_predicate.cpp, sim/model_write.cpp
#include <catch2/catch.hpp>

#include "messages/math.hpp"
#include "sim/model_find.hpp"
#include "sim/model_write.hpp"

using namespace mneme;
using namespace mneme::sim;

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;
constexpr timestamp start{946'684'800'000'000'000};

memory_id id_of(std::uint8_t n) {
  memory_id id;
  id.bytes[0] = 1;
  id.bytes[15] = n;
  return id;
}

struct fixture {
  model state{{.embeds = nullptr, .tokens = make_default_token_counter()}};

  write_outcome apply(const mutation& m, timestamp now = start) {
    imagined_entries entries(state, now);
    return outcome_of(state, m, now, entries);
  }
  write_request note(std::uint8_t n, std::string statement) {
    write_request r;
    r.type = memory_type::note;
    r.id = id_of(n);
    r.data["statement"] = std::move(statement);
    return r;
  }
  void link(std::uint8_t src, std::uint8_t dst, std::uint8_t type = 1) {
    add_edge_request r;
    r.src = id_of(src);
    r.dst = id_of(dst);
    r.type = type;
    apply(r);
  }
  find_result find(const find_request& r, timestamp now = start) {
    const auto found = find_in(state, r, r.at_seq.value_or(state.last()), now);
    REQUIRE(found);
    return *found;
  }
};

std::vector<memory_id> ids_of(const find_result& r) {
  std::vector<memory_id> ids;
  for (const auto& m : r.memories) ids.push_back(m.head->id);
  return ids;
}
using ids = std::vector<memory_id>;

find_request notes(std::int64_t limit = 10) {
  find_request r;
  r.types = {memory_type::note};
  r.limit = limit;
  return r;
}

predicate is(std::string field, comparison op, literal value) {
  return {compare_predicate{op, std::move(field), std::move(value)}};
}

} // namespace

TEST_CASE_METHOD(fixture, "write, update, patch and tombstone") {
  CHECK(apply(note(1, "a")).uri == memory_uri{memory_type::note, id_of(1), 1});
  CHECK(apply(note(1, "again")).refused == errc::already_exists);
  update_request u;
  u.uri = {memory_type::note, id_of(1), 1};
  u.data["statement"] = std::string("b");
  u.expect_version = 2;
  CHECK(apply(u).refused == errc::version_conflict);
  u.expect_version = 1;
  CHECK(apply(u, {start.ns + 5}).uri->version == 2);
  u.expect_version.reset();
  u.uri.type = memory_type::fact;
  CHECK(apply(u).refused == errc::type_data_mismatch);
  u.uri = {memory_type::note, id_of(9), 1};
  CHECK(apply(u).refused == errc::not_found);

  tombstone_request t;
  t.uri = {memory_type::note, id_of(1), 1};
  CHECK(apply(t).changed);
  const auto again = apply(t);
  CHECK_FALSE(again.changed);
  CHECK(again.uri->version == 2);
  u.uri = {memory_type::note, id_of(1), 1};
  CHECK(apply(u).refused == errc::tombstoned);
  CHECK(state.last() == seq_no{3});
  CHECK(state.memory_at(id_of(1), {1})->version->number == 1);
  CHECK_FALSE(state.head_at(id_of(1), {2})->tombstone);
  CHECK(state.head_at(id_of(1), {3})->tombstone);
}

TEST_CASE_METHOD(fixture, "edges are added once, tombstoned and revived") {
  add_edge_request add;
  add.src = id_of(1);
  add.dst = id_of(2);
  add.type = 3;
  CHECK(apply(add).changed);
  CHECK_FALSE(apply(add).changed);
  remove_edge_request remove;
  remove.src = add.src;
  remove.dst = add.dst;
  remove.type = 3;
  remove.reason = "old";
  CHECK(apply(remove).changed);
  CHECK_FALSE(apply(remove).changed);
  CHECK(apply(add).changed);
  const edge_key key{id_of(1), edge_type::references, id_of(2)};
  CHECK_FALSE(state.edge_at(key, {1})->tombstoned);
  CHECK(state.edge_at(key, {2})->tombstoned_reason == "old");
  CHECK_FALSE(state.edge_at(key, {3})->tombstoned);
  CHECK(state.edges_out(id_of(1), {3}) == state.edges_in(id_of(2), {3}));
  CHECK(state.edges_in(id_of(1), {3}).empty());
}

TEST_CASE_METHOD(fixture, "what is truncated was never there") {
  apply(note(1, "a"));
  link(1, 2);
  const auto before = state.edges_at(state.last());
  apply(note(2, "b"));
  link(2, 1);
  update_head_request patch;
  patch.uri = {memory_type::note, id_of(1), 1};
  patch.importance = 9;
  apply(patch);
  state.truncate({2});
  CHECK(state.last() == seq_no{2});
  CHECK(state.ids_at({9}) == ids{id_of(1)});
  CHECK(state.edges_at({9}) == before);
  CHECK(state.head_at(id_of(1), {9})->declared_importance == 5);
  CHECK(state.edges_in(id_of(1), {9}).empty());
  CHECK(apply(note(2, "b")).changed);
}

TEST_CASE_METHOD(fixture, "the first vector fixes the space") {
  auto r = note(1, "a");
  r.vector = std::vector<float>{1, 0};
  CHECK(apply(r).changed);
  r.id = id_of(2);
  r.vector = std::vector<float>{1, 0, 0};
  CHECK(apply(r).refused == errc::dim_mismatch);
  update_request u;
  u.uri = {memory_type::note, id_of(1), 1};
  u.data["statement"] = std::string("b");
  CHECK(apply(u).changed);
  CHECK(state.vector_at(id_of(1), state.last()) == std::vector<float>{1, 0});
  CHECK(state.head_at(id_of(1), state.last())->embedding == embedding_ref{2, 1});
}

TEST_CASE_METHOD(fixture, "salience by hand") {
  auto r = note(1, "a");
  r.importance = 10;
  apply(r);
  const auto later = timestamp{start.ns + 90 * day_ns};
  const auto found = find(notes(), later);
  REQUIRE(found.scores.size() == 1);
  CHECK(found.scores[0] == Approx(0.25 / 0.9 * stable_exp(-1.0) + 0.20 / 0.9).epsilon(1e-12));
  state.commit(state.last().next(), entry_kind::find_late,
               find_late_payload{.predicate = {},
                                 .types = {},
                                 .tags = {},
                                 .limit = {},
                                 .result_count = 1,
                                 .accessed = {id_of(1)},
                                 .actor = {},
                                 .nonce = {}},
               later);
  CHECK(find(notes(), later).memories[0].activation.access_count == 1);
  CHECK(
      find(notes(), later).scores[0]
      == Approx((0.25 + 0.15 * stable_log(2.0) / stable_log(1001.0) + 0.20) / 0.9).epsilon(1e-12));
  auto past = notes();
  past.at_seq = seq_no{1};
  CHECK(find(past, later).memories[0].activation.access_count == 0);
}

TEST_CASE_METHOD(fixture, "the walk: hops, directions, the order of ways, and its bound") {
  for (std::uint8_t n = 1; n <= 5; ++n) apply(note(n, "n"));
  link(1, 3, 2);
  link(1, 2, 1);
  link(2, 4);
  link(3, 4);
  link(5, 1);
  link(4, 9); // a missing end
  auto r = notes();
  r.from = id_of(1);
  CHECK(ids_of(find(r)) == ids{id_of(2), id_of(3)});
  r.follow = follow_spec{};
  r.follow->max_hops = 3;
  auto found = find(r);
  CHECK(ids_of(found) == ids{id_of(2), id_of(3), id_of(4)});
  CHECK(found.hops == std::vector<std::int64_t>{1, 1, 2});
  // 2 is expanded before 3, since its edge type comes first.
  CHECK(found.via[2] == edge_key{id_of(2), edge_type::derived_from, id_of(4)});
  r.follow->min_hops = 2;
  CHECK(ids_of(find(r)) == ids{id_of(4)});
  r.follow = follow_spec{};
  r.follow->direction = edge_direction::in;
  CHECK(ids_of(find(r)) == ids{id_of(5)});
  r.follow->direction = edge_direction::both;
  CHECK(ids_of(find(r)) == ids{id_of(2), id_of(3), id_of(5)});
  r.follow->max_visited = 1;
  found = find(r);
  CHECK(found.truncated);
  CHECK(found.memories.size() == 1);
}

TEST_CASE_METHOD(fixture, "who may see what") {
  auto r = note(1, "a");
  r.actor = "ana";
  apply(r);
  r.id = id_of(2);
  r.visibility = visibility::actor_public;
  apply(r);
  auto ask = notes();
  CHECK(find(ask).memories.size() == 2);
  ask.actor = "ana";
  CHECK(find(ask).memories.size() == 2);
  ask.actor = "bo";
  CHECK(ids_of(find(ask)) == ids{id_of(2)});
}

TEST_CASE_METHOD(fixture, "predicates") {
  auto r = note(1, "rain");
  r.tags = {"x"};
  r.metadata["level"] = std::int64_t{3};
  apply(r);
  const auto m = *state.memory_at(id_of(1), state.last());
  const std::vector<memory_type> all;
  const std::vector<memory_type> facts = {memory_type::fact};
  CHECK(holds(is("data.statement", comparison::eq, std::string("rain")), m, all));
  CHECK(holds(is("data.statement", comparison::gt, std::string("moss")), m, all));
  CHECK_FALSE(holds(is("data.label", comparison::ne, std::string("x")), m, all));
  CHECK_FALSE(holds(is("data.label", comparison::ne, std::string("x")), m, facts));
  CHECK(holds(is("meta.level", comparison::lte, 3.0), m, all));
  CHECK_FALSE(holds(is("meta.level", comparison::eq, std::string("3")), m, all));
  CHECK(holds(is("head.created_at", comparison::eq, start.ns), m, all));
  CHECK(holds(is("head.created_at", comparison::eq, to_string(start)), m, all));
  CHECK(holds(is("head.id", comparison::eq, to_string(id_of(1))), m, all));
  CHECK(holds({has_tag_predicate{"x"}}, m, all));
  CHECK(holds({in_predicate{"head.type", {std::string("Fact"), std::string("Note")}}}, m, all));
  CHECK_FALSE(holds({in_predicate{"head.type", {}}}, m, all));
  CHECK(holds({matches_predicate{"data.statement", "ai"}}, m, all));
  CHECK(holds({and_predicate{}}, m, all));
  CHECK_FALSE(holds({or_predicate{}}, m, all));
  const auto tag = std::make_shared<const predicate>(predicate{has_tag_predicate{"y"}});
  CHECK(holds({not_predicate{tag}}, m, all));
  CHECK(has_misfit_literal(is("data.strength", comparison::eq, std::int64_t{1}),
                           {memory_type::constraint}));
  CHECK_FALSE(has_misfit_literal(is("data.strength", comparison::eq, std::int64_t{1}), all));
}

TEST_CASE_METHOD(fixture, "order, page, budget and near") {
  for (std::uint8_t n = 1; n <= 4; ++n) {
    auto r = note(n, "four"); // one token
    r.importance = n == 2 ? 9 : 5;
    r.vector = std::vector<float>{1, static_cast<float>(n)};
    apply(r);
  }
  auto r = notes();
  CHECK(ids_of(find(r)) == ids{id_of(2), id_of(1), id_of(3), id_of(4)});
  r.limit = 2;
  r.offset = 1;
  r.count = true;
  CHECK(ids_of(find(r)) == ids{id_of(1), id_of(3)});
  CHECK(find(r).total == 4);
  r = notes();
  r.order = {{order_field::head_declared_importance, false}};
  r.budget_tokens = 2;
  auto found = find(r);
  CHECK(ids_of(found) == ids{id_of(1), id_of(2)});
  CHECK(found.trimmed_by_budget == 2);
  CHECK(found.form == form_kind::medium);
  CHECK(found.form_defaulted);
  r.budget_tokens = 1;
  CHECK(ids_of(find(r)) == ids{id_of(2)});
  r = notes();
  r.near_vector = std::vector<float>{0, 1};
  CHECK(ids_of(find(r)) == ids{id_of(4), id_of(3), id_of(2), id_of(1)});
  r.near_k = 2;
  r.limit = 1;
  r.count = true;
  CHECK(find(r).total == 2);
  r.near_vector = std::vector<float>{0, 1, 0};
  CHECK(find_in(state, r, state.last(), start).error() == errc::dim_mismatch);
}

TEST_CASE_METHOD(fixture, "nothing is near by a vector that was erased, whatever later heads say") {
  apply(note(1, "a"));
  head embedded = *state.head_at(id_of(1), state.last());
  embedded.embedding = embedding_ref{2, 1};
  const seq_no came = state.last().next();
  state.commit(came, entry_kind::embed,
               embed_payload{.head = embedded, .vector = spaced_vector{{"external", 2}, {1, 0}}},
               start);
  update_head_request u;
  u.uri = {memory_type::note, id_of(1), 1};
  u.importance = 3;
  CHECK(apply(u).changed);
  auto r = notes();
  r.near_vector = std::vector<float>{1, 0};
  CHECK(ids_of(find(r)) == ids{id_of(1)});
  const seq_no before = state.last();
  state.commit(
      before.next(), entry_kind::erase,
      erase_payload{.head = {}, .edge = {}, .seqs = {came}, .nonce = {}, .topic = id_of(1)}, start);
  CHECK(state.head_at(id_of(1), before)->embedding.has_value());
  for (const seq_no at : {came, before, state.last()}) {
    r.at_seq = at;
    CHECK(ids_of(find(r)).empty());
  }
}
