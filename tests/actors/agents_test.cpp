// Context and learned weights in every ranking: through the facade and through the actors.
// Of: query/context/context.cpp, query/context/context_tiers.cpp, query/context/compact_record.cpp
// Of: query/context/context_fill.cpp, query/search/search_found.cpp, views/pinned.cpp
#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "actors/engine_actor.hpp"
#include "mneme/tick.hpp"
#include "tests/actors/world_at_noon.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request goal(std::uint8_t n, std::string status, std::string actor = "ana") {
  return of_type(memory_type::goal, n,
                 {{"statement", std::string("g")}, {"status", std::move(status)}},
                 std::move(actor));
}
write_request constraint(std::uint8_t n, std::string strength) {
  return of_type(memory_type::constraint, n,
                 {{"statement", std::string("c")},
                  {"strength", std::move(strength)},
                  {"source", std::string("learned")}});
}
write_request event(std::uint8_t n) {
  return of_type(memory_type::event, n,
                 {{"kind", std::string("interaction")}, {"outcome", std::string("success")}});
}

const intent_frame kitchen{verb::find, object_kind::service, "kitchen"};

context_request kitchen_context(std::string actor = "ana") {
  context_request r;
  r.action = verb::find;
  r.objects = {{object_kind::service, "kitchen"}};
  r.actor = std::move(actor);
  return r;
}

void link(engine& e, std::uint8_t src, edge_type type, std::uint8_t dst, std::string kind = {}) {
  add_edge_request r;
  r.src = id_of(src);
  r.type = static_cast<std::uint8_t>(type);
  r.dst = id_of(dst);
  r.actor = "ana";
  r.kind = std::move(kind);
  REQUIRE(e.apply(std::move(r)));
}

/// A turn of a talk, next after the one before it.
void say(engine& e, std::uint8_t n, std::string speaker, std::string text, bool follows = true) {
  auto r = note_by(n, std::move(text));
  r.metadata["speaker"] = std::move(speaker);
  put(e, r);
  if (follows) link(e, static_cast<std::uint8_t>(n - 1), edge_type::related_to, n, "next");
}

context_request asked(std::string query, std::string actor = "ana") {
  return {.query = std::move(query), .actor = std::move(actor)};
}

std::vector<int> numbers(const std::vector<context_item>& items) {
  std::vector<int> found;
  for (const auto& i : items) found.push_back(i.uri.id.bytes[15]);
  return found;
}
using ints = std::vector<int>;

} // namespace

TEST_CASE("8 context: Pinned is every Identity, hard Constraint and active Goal of the actor") {
  engine e = world_of();
  put(e, of_type(memory_type::identity, 1, {{"name", std::string("Ana")}}));
  put(e, constraint(2, "hard"));
  put(e, constraint(3, "soft"));
  put(e, goal(4, "active"));
  put(e, goal(5, "paused"));
  put(e, goal(6, "active", "ben"));
  put(e, note_by(7));
  auto made = e.context({.actor = "ana"});
  REQUIRE(made);
  CHECK(numbers(made->pinned) == ints{1, 2, 4}); // equal salience: by id
  for (const auto& i : made->pinned) CHECK(i.salience >= 0.7);
  CHECK(made->outcomes.empty());
  CHECK(made->frame_relevant.empty());
  // The host's context has everybody's.
  CHECK(numbers(e.context({})->pinned) == ints{1, 2, 4, 6});
}

TEST_CASE("8 context: tiers, and a memory stays in the first of them") {
  auto clock = noon();
  engine e = world_of(at_noon(clock));
  for (std::uint8_t n = 1; n <= 5; ++n) {
    auto r = event(n);
    r.frames = {kitchen};
    put(e, r);
    clock->set({clock->now().ns + 1'000'000'000});
  }
  auto pinned = goal(6, "active");
  pinned.frames = {kitchen};
  put(e, pinned);
  auto framed = note_by(7);
  framed.frames = {kitchen};
  put(e, framed);
  auto elsewhere = note_by(8);
  elsewhere.frames = {{verb::find, object_kind::service, "garden"}};
  put(e, elsewhere);
  auto hidden = note_by(9, "text", "ben");
  hidden.frames = {kitchen};
  put(e, hidden);
  auto made = e.context(kitchen_context());
  REQUIRE(made);
  CHECK(numbers(made->pinned) == ints{6});
  CHECK(numbers(made->outcomes) == ints{5, 4, 3}); // newest first, at most outcome_limit
  CHECK(numbers(made->frame_relevant) == ints{7, 2, 1});
  auto r = kitchen_context();
  r.tiers = {context_tier::frame_relevant};
  // Whatever is framed, where the tiers before it are not asked for; by plain salience.
  made = e.context(r);
  REQUIRE(made);
  ints all = numbers(made->frame_relevant);
  for (const auto& i : made->frame_relevant) CHECK(i.salience < 0.7);
  std::ranges::sort(all);
  CHECK(all == ints{1, 2, 3, 4, 5, 6, 7});
  CHECK(made->pinned.empty());
  r.tiers = {context_tier::outcomes, context_tier::frame_relevant};
  made = e.context(r);
  REQUIRE(made);
  CHECK(numbers(made->outcomes) == ints{5, 4, 3});
  all = numbers(made->frame_relevant);
  std::ranges::sort(all);
  CHECK(all == ints{1, 2, 6, 7});
  r = kitchen_context();
  r.outcome_limit = 0;
  CHECK(e.context(r)->outcomes.empty());
  r = kitchen_context();
  r.objects.clear();
  CHECK(e.context(r)->frame_relevant.empty()); // no objects: Pinned only
}

TEST_CASE("8 compact: pinned is what is pinned in the actor's context, its own") {
  engine e = world_of();
  auto bens = constraint(1, "hard");
  bens.actor = "ben";
  bens.visibility = visibility::actor_public;
  put(e, bens);
  put(e, constraint(2, "hard"));
  compact_request c{.in_context = {"mneme://Constraint/" + to_string(id_of(1)) + "#1",
                                   "mneme://Constraint/" + to_string(id_of(2)) + "#1"},
                    .load_bearing = {},
                    .intent_id = "i",
                    .step_id = "s",
                    .actor = "ana"};
  auto done = e.compact(c);
  REQUIRE(done);
  REQUIRE(done->kept.size() == 1);
  CHECK(done->kept[0].uri.id == id_of(2));
  REQUIRE(done->compacted.size() == 1);
  CHECK(done->compacted[0].uri.id == id_of(1));
  CHECK(done->compacted[0].salience < 0.7);
  c.actor.clear();
  CHECK(e.compact(c)->kept.size() == 2); // the host's has everybody's
}

TEST_CASE("8 context: trims by salience over all tiers, one row stays, the rest is reachable") {
  engine e = world_of();
  for (std::uint8_t n = 1; n <= 100; ++n) {
    auto r = note_by(n, std::string(400, 'x'));
    r.frames = {kitchen};
    r.importance = n <= 50 ? 5 : 6;
    put(e, r);
  }
  put(e, goal(200, "active"));
  auto r = kitchen_context();
  r.budget_tokens = 1000;
  auto made = e.context(r);
  REQUIRE(made);
  CHECK(numbers(made->pinned) == ints{200});
  CHECK(made->tokens <= 1000);
  CHECK(made->frame_relevant.size() == 9);
  // Of equal salience the smaller id is cut first.
  CHECK(numbers(made->frame_relevant).front() == 92);
  CHECK(made->reachable_uris.size() == 64);
  r.budget_tokens = 1;
  made = e.context(r);
  CHECK(made->pinned.size() + made->frame_relevant.size() == 1);
  r.budget_tokens = 1'000'000;
  CHECK(e.context(r)->budget_tokens == 4000); // clamped
  CHECK(e.context(r)->tokens <= 4000);
}

TEST_CASE("context without a question: pinned first, then the most salient, then how many more") {
  engine e = world_of();
  for (std::uint8_t n = 1; n <= 100; ++n) {
    auto r = note_by(n, std::string(36, 'x')); // 9 tokens
    r.importance = n == 70 ? 10 : 5;
    put(e, r);
  }
  put(e, note_by(101, "somebody else's", "ben"));
  put(e, goal(102, "active"));
  auto made = e.context({.budget_tokens = 30, .actor = "ana"});
  REQUIRE(made);
  CHECK(numbers(made->pinned) == ints{102});
  CHECK(numbers(made->notable) == ints{70, 1, 2}); // of equal salience by id
  CHECK(made->tokens <= 30);
  CHECK(made->more == 97);
  CHECK(made->reachable_uris.size() == 64);
  CHECK(made->reachable_uris.front().id == id_of(3));
  // What is too long is passed over.
  auto longer = note_by(103, std::string(400, 'x'));
  longer.importance = 10;
  put(e, longer);
  made = e.context({.budget_tokens = 30, .actor = "ana"});
  CHECK(numbers(made->notable) == ints{70, 1, 2});
  CHECK(made->reachable_uris.front().id == id_of(103));
  // A verb with an object is a question, and so are words.
  CHECK(e.context(kitchen_context())->notable.empty());
  CHECK(e.context(asked("x"))->notable.empty());
  auto pinned_alone = context_request{.tiers = {{context_tier::pinned}}, .actor = "ana"};
  CHECK(e.context(pinned_alone)->notable.empty());
  CHECK(e.context(pinned_alone)->more == 0);
}

TEST_CASE("context with a query: what is found, between what was said before and after it") {
  engine e = world_of();
  say(e, 1, "Mel", "good morning", false);
  say(e, 2, "Ana", "where is the kettle");
  say(e, 3, "Mel", "in the cellar, as ever");
  say(e, 4, "Ana", "thank you");
  put(e, note_by(5, "boats leave at noon"));
  put(e, goal(6, "active"));
  auto made = e.context(asked("kettle"));
  REQUIRE(made);
  CHECK(numbers(made->pinned) == ints{6});
  REQUIRE(numbers(made->found) == ints{1, 2, 3});
  CHECK(made->notable.empty());
  CHECK(made->found[0].score == 0);
  CHECK(made->found[1].score == 1);
  CHECK(made->found[1].by == "Ana");
  CHECK(made->found[1].text == "[2000-01-01 00:00, Ana] where is the kettle");
  CHECK(made->found[1].tokens == 11);
  CHECK(made->tokens == made->pinned[0].tokens + 9 + 11 + 12);
  CHECK(made->more == 0);

  SECTION("nothing is there twice") {
    CHECK(numbers(e.context(asked("kettle cellar"))->found).size() == 4);
  }
  SECTION("what does not fit is reachable, best first") {
    auto r = asked("kettle");
    r.tiers = {context_tier::found};
    r.budget_tokens = 20;
    made = e.context(r);
    REQUIRE(made);
    CHECK(numbers(made->found) == ints{1, 2});
    CHECK(made->more == 1);
    REQUIRE(made->reachable_uris.size() == 1);
    CHECK(made->reachable_uris[0].id == id_of(3));
    r.budget_tokens = 10; // nothing stands beside what is not there itself
    CHECK(e.context(r)->found.empty());
    CHECK(e.context(r)->more == 1);
  }
  SECTION("what hides a memory from a search hides it here") {
    put(e, note_by(7, "it is in the shed now"));
    link(e, 7, edge_type::supersedes, 3);
    CHECK(numbers(e.context(asked("kettle"))->found) == ints{1, 2});
    CHECK(e.context(asked("kettle", "ben"))->found.empty());
    auto r = asked("kettle");
    r.at_seq = made->at_seq;
    CHECK(numbers(e.context(r)->found) == ints{1, 2, 3});
  }
  SECTION("what a tier shows is not found again, and what stands beside it is") {
    auto r = note_by(8, "the kettle leaks");
    r.frames = {kitchen};
    put(e, r);
    auto both = kitchen_context();
    both.query = "kettle";
    made = e.context(both);
    REQUIRE(made);
    CHECK(numbers(made->frame_relevant) == ints{8});
    CHECK(numbers(made->found) == ints{1, 2, 3});
    both.tiers = {context_tier::found};
    CHECK(e.context(both)->found.size() == 4);
  }
}

TEST_CASE("context with a query: its errors") {
  engine e = world_of();
  CHECK(e.context(asked("  ")).error().code == errc::empty_query);
  CHECK(e.context(asked("  ")).error().at == "query");
  context_request r{.vector = std::vector<float>{1, 0}};
  CHECK(e.context(r).error().code == errc::bad_value);
  r.query = "tea";
  r.vector = std::vector<float>{};
  CHECK(e.context(r).error().at == "vector");
}

TEST_CASE("8 context: a pure read, also of the past; its errors") {
  engine e = world_of();
  put(e, goal(1, "active"));
  put(e, goal(2, "active"));
  const auto root = e.root();
  REQUIRE(e.context(kitchen_context()));
  CHECK(*e.root() == *root);
  CHECK(e.published().value == 2);
  auto r = kitchen_context();
  r.at_seq = seq_no{1};
  CHECK(numbers(e.context(r)->pinned) == ints{1});
  r = kitchen_context();
  r.budget_tokens = 0;
  CHECK(e.context(r).error().code == errc::out_of_range);
  r = kitchen_context();
  r.outcome_limit = -1;
  CHECK(e.context(r).error().code == errc::out_of_range);
  r = kitchen_context();
  r.action = static_cast<verb>(99);
  CHECK(e.context(r).error().code == errc::bad_value);
  r = kitchen_context();
  r.at_seq = seq_no{99};
  CHECK(e.context(r).error().code == errc::seq_unavailable);
}

TEST_CASE("129: the asker's weights as of the seq read rank everywhere") {
  auto clock = noon();
  engine e = world_of(at_noon(clock));
  // 1 is important, 2 is recent and used; ana's weights come to prefer the second.
  auto important = note_by(1);
  important.importance = 10;
  put(e, important);
  const auto used = put(e, note_by(2));
  const auto order = [&](const std::string& actor, std::optional<seq_no> at = {}) {
    find_request r = notes(actor);
    r.actor = actor;
    r.at_seq = at;
    std::vector<double> scores = e.find(r)->scores;
    return scores;
  };
  const auto before = order("ana");
  const seq_no at = e.published();
  for (int i = 0; i < 20; ++i) {
    clock->set({clock->now().ns + 2'000'000'000});
    REQUIRE(e.attest({.intent_id = "i",
                      .outcome = attest_outcome::success,
                      .reason = {},
                      .cited = {to_string(used)},
                      .actor = "ana"}));
  }
  find_request as_ana = notes("ana");
  find_request as_host = notes("ana");
  as_host.actor.reset();
  const auto mine = e.find(as_ana)->scores;
  const auto theirs = e.find(as_host)->scores;
  CHECK(mine != theirs); // the host has learned nothing
  CHECK(order("ana", at).size() == 2);
  as_ana.at_seq = at;
  as_host.at_seq = at;
  CHECK(e.find(as_ana)->scores == e.find(as_host)->scores); // then nobody had
}

TEST_CASE("agents inside a host's actor system") {
  host_config config(2);
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, at_noon());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  const auto failed = [](const caf::error& e) { FAIL(to_error(e).message); };
  self->request(*memory, caf::infinite, apply_message{goal(1, "active")})
      .receive([](const mutation_result&) {}, failed);
  self->request(*memory, caf::infinite, context_message{kitchen_context()})
      .receive([](const context_reply& c) { CHECK(c->pinned.size() == 1); }, failed);
  const std::string uri = "mneme://Goal/" + to_string(id_of(1)) + "#1";
  self->request(*memory, caf::infinite,
                attest_message{{.intent_id = "i",
                                .outcome = attest_outcome::success,
                                .reason = {},
                                .cited = {uri},
                                .actor = "ana"}})
      .receive([](const attest_result& a) { CHECK(a.learned); }, failed);
  self->request(*memory, caf::infinite,
                compact_message{{.in_context = {uri},
                                 .load_bearing = {},
                                 .intent_id = "i",
                                 .step_id = "s",
                                 .actor = "ana"}})
      .receive([](const compact_reply& c) { CHECK(c->kept.size() == 1); }, failed);
  self->request(*memory, caf::infinite,
                load_compact_message{{.intent_id = "i", .step_id = "s", .actor = {}, .at_seq = {}}})
      .receive([](const compact_reply& c) { CHECK(c->kept.size() == 1); }, failed);
  auto t = std::make_shared<tick_request>();
  t->reads.emplace_back(get_read{id_of(1), {}});
  t->writes.emplace_back(scoped_mutation{.request = note_by(2)});
  self->request(*memory, caf::infinite, tick_message{t})
      .receive([](const tick_reply& r) { CHECK(r->writes[0].has_value()); }, failed);
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, failed);
}
