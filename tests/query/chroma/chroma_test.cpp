// Spec 6.4: the door by colour as a host uses it, through the facade and the engine actor.
// Of: query/chroma/chroma_checks.cpp, query/chroma/metadata_match.cpp, query/request_numbers.cpp
// Of: state/commit/waiting_touches.cpp
#include <cmath>

#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "mneme/caf.hpp"
#include "tests/query/chroma/chroma_world.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("6.4 rows come by score, with signals from before the touch") {
  chroma_world w;
  const auto near = w.write("near", set_a);
  w.later(3);
  const auto far = w.write("far", set_b);
  const auto found = w.ask({.hashtags = set_a});
  REQUIRE(found.rows.size() == 2);
  CHECK(found.hashtags == sorted(set_a));
  CHECK(found.profile == "default");
  const auto& first = found.rows[0];
  const auto& second = found.rows[1];
  CHECK(first.score >= second.score);
  const auto& own = first.memory.head->id == near ? first : second;
  const auto& other = first.memory.head->id == near ? second : first;
  CHECK(other.memory.head->id == far);
  CHECK(own.distance == 0);
  CHECK(own.relevance == 1);
  CHECK(own.recency == Approx(std::exp(-1.0)));
  CHECK(own.strength_norm == 0);
  CHECK(own.health == Approx(std::exp(-3.0 / 90)));
  CHECK(own.score == Approx(0.5 + 0.3 * std::exp(-1.0)));
  CHECK(other.recency == 1);
  CHECK(other.relevance == Approx(std::exp(-other.distance / 20)));
  CHECK(own.memory.signals->strength_e9 == 0); // from before the touch
  CHECK(own.memory.activation.access_count == 0);
  REQUIRE(found.seq.has_value());
  const auto after = w.engine.get(near);
  CHECK(after->signals->strength_e9 == 100'000'000);
  CHECK(after->activation.access_count == 1);
  CHECK(w.engine.get(far)->signals->strength_e9 == 200'000'000);
  CHECK(w.kind_of(*found.seq) == "reinforce");
}

TEST_CASE("6.4 k best by score, not the k nearest") {
  chroma_world w;
  const auto stale = w.write("nearest, but stale", set_a);
  w.later(60);
  const auto fresh = w.write("farther, but fresh", set_b);
  const auto best =
      w.ask({.hashtags = set_a, .k = 1, .weights = score_weights{.1, .9, 0}, .touch = false});
  REQUIRE(best.rows.size() == 1);
  CHECK(best.rows[0].memory.head->id == fresh);
  chroma_request nearest{
      .hashtags = set_a, .k = 1, .weights = score_weights{1, 0, 0}, .touch = false};
  CHECK(w.ask(nearest).rows[0].memory.head->id == stale);
}

TEST_CASE("6.4 max_distance is inclusive") {
  chroma_world w;
  w.write("a", set_a);
  w.write("b", set_b);
  const auto all = w.ask({.hashtags = set_a, .touch = false});
  const double d = std::max(all.rows[0].distance, all.rows[1].distance);
  REQUIRE(d > 0);
  CHECK(w.ask({.hashtags = set_a, .max_distance = d, .touch = false}).rows.size() == 2);
  CHECK(
      w.ask({.hashtags = set_a, .max_distance = std::nextafter(d, 0.0), .touch = false}).rows.size()
      == 1);
  CHECK(w.ask({.hashtags = set_a, .max_distance = 0, .touch = false}).rows.size() == 1);
}

TEST_CASE("6.4 temporal_range is inclusive and takes created or last accessed") {
  chroma_world w;
  const auto id = w.write("a", set_a);
  const auto created = w.now();
  const auto count = [&](std::optional<timestamp> from, std::optional<timestamp> to) {
    return w.ask({.hashtags = set_a, .temporal_range = time_range{from, to}, .touch = false})
        .rows.size();
  };
  w.later(5);
  CHECK(count(created, created) == 1);
  CHECK(count(timestamp{created.ns + 1}, {}) == 0);
  CHECK(count({}, timestamp{created.ns - 1}) == 0);
  (void)w.ask({.hashtags = set_a}); // touched now
  CHECK(count(w.now(), w.now()) == 1);
  CHECK(count(created, created) == 1);
  CHECK(count(timestamp{created.ns + 1}, timestamp{w.now().ns - 1}) == 0);
  CHECK(w.engine.get(id)->signals->last_accessed == w.now());
}

TEST_CASE("6.4 metadata filters") {
  chroma_world w;
  write_request r = w.request("a", set_a);
  r.metadata = {{"room", std::string("kitchen")},
                {"size", std::int64_t{5}},
                {"ratio", 0.5},
                {"open", true},
                {"a.b", std::string("dots")},
                {"list", std::vector<scalar>{std::string("x"), std::int64_t{2}}}};
  w.write(r);
  const auto passes = [&](const std::string& key, const metadata_filter& f) {
    chroma_request q{.hashtags = set_a, .touch = false};
    q.filters[key] = f;
    return !w.ask(q).rows.empty();
  };
  const auto any = [](std::vector<scalar> values) {
    metadata_filter f;
    f.any_of = std::move(values);
    return f;
  };
  const auto text = [](const char* t) { return scalar(std::string(t)); };
  CHECK(passes("room", any({text("kitchen")})));
  CHECK_FALSE(passes("room", any({text("kitch")})));
  CHECK(passes("room", any({text("cellar"), text("kitchen")})));
  CHECK(passes("a.b", any({text("dots")})));
  CHECK_FALSE(passes("a", any({text("dots")})));
  CHECK_FALSE(passes("nothing", any({text("kitchen")})));
  CHECK(passes("size", any({5.0})));
  CHECK_FALSE(passes("open", any({std::int64_t{1}})));
  CHECK(passes("open", any({true})));
  metadata_filter range;
  range.gte = std::int64_t{5};
  range.lt = 5.5;
  CHECK(passes("size", range));
  range.gt = std::int64_t{5};
  CHECK_FALSE(passes("size", range));
  CHECK_FALSE(passes("room", range));
  metadata_filter words;
  words.gte = text("kit");
  words.lte = text("kitchen");
  CHECK(passes("room", words));
  metadata_filter contains;
  contains.contains = text("tche");
  CHECK(passes("room", contains));
  CHECK_FALSE(passes("size", contains));
  contains.contains = text("x");
  CHECK(passes("list", contains));
  contains.contains = std::int64_t{2};
  CHECK(passes("list", contains));
  contains.contains = text("y");
  CHECK_FALSE(passes("list", contains));
}

TEST_CASE("6.4 filters never underfill: rows that pass are found behind those that do not") {
  chroma_world w;
  for (int i = 0; i < 60; ++i) {
    write_request r = w.request("n" + std::to_string(i), set_a);
    r.metadata["even"] = i % 20 == 0;
    w.write(r);
  }
  chroma_request q{.hashtags = set_a, .k = 3};
  q.filters["even"].any_of = {true};
  CHECK(w.ask(q).rows.size() == 3);
}

TEST_CASE("6.4 rotten rows only when asked for, and a touch takes them back") {
  chroma_world w;
  const auto id = w.write("a", set_a);
  w.later(30);
  const auto cycle = w.engine.decay("ana");
  REQUIRE(cycle);
  CHECK(cycle->rotten == 1);
  CHECK(w.ask({.hashtags = set_a}).rows.empty());
  const auto found = w.ask({.hashtags = set_a, .include_rotten = true});
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].memory.signals->rotten);
  CHECK_FALSE(w.engine.get(id)->signals->rotten);
  CHECK(w.ask({.hashtags = set_a}).rows.size() == 1);
}

TEST_CASE("6.4 score_weights: query before engine before mode; three shares of one") {
  engine_options options;
  options.chroma.weights = score_weights{0, 0, 1};
  options.chroma.k = 1;
  chroma_world w(options);
  w.write("a", set_a);
  w.write("b", set_a);
  const auto by_engine = w.ask({.hashtags = set_a, .touch = false});
  CHECK(by_engine.rows.size() == 1);
  CHECK(by_engine.rows[0].score == 0);
  CHECK(w.ask({.hashtags = set_a, .weights = score_weights{1, 0, 0}, .touch = false}).rows[0].score
        == 1);
  const auto code = [&](score_weights s) {
    return w.refuse({.hashtags = set_a, .weights = s}).code;
  };
  CHECK(code({.5, .5, .1}) == errc::out_of_range);
  CHECK(code({1.5, -.5, 0}) == errc::out_of_range);
  CHECK(code({NAN, .5, .5}) == errc::out_of_range);
  engine_options bad;
  bad.chroma.k = 0;
  CHECK(open_in_memory(bad).error().code == errc::out_of_range);
}

TEST_CASE("6.4 what is wrong with a request is said before anything is done") {
  chroma_world w;
  w.write("a", set_a);
  const auto seq = w.engine.published();
  const auto code = [&](chroma_request r) { return w.refuse(std::move(r)).code; };
  CHECK(code({.hashtags = set_a, .k = 0}) == errc::out_of_range);
  CHECK(code({.hashtags = set_a, .max_distance = -1}) == errc::out_of_range);
  CHECK(code({.hashtags = set_a, .text = "x"}) == errc::bad_value);
  CHECK(code({.hashtags = {}}) == errc::bad_hashtags);
  CHECK(code({.hashtags = {"nobody"}}) == errc::bad_hashtags);
  CHECK(code({.hashtags = set_a, .profile = "nobody"}) == errc::query_profile_error);
  CHECK(code({.hashtags = set_a, .touch = true, .at_seq = seq}) == errc::unsupported);
  CHECK(code({.hashtags = set_a, .at_seq = seq_no{seq.value + 1}}) == errc::seq_unavailable);
  CHECK(w.engine.published() == seq);
}

TEST_CASE("6.4 at_seq shows strengths, tags and colours as they were, and touches nothing") {
  chroma_world w;
  const auto id = w.write("a", set_a);
  const auto written = w.engine.published();
  (void)w.ask({.hashtags = set_a});
  const auto after = w.engine.published();
  REQUIRE(after > written);
  const auto then = w.ask({.hashtags = set_a, .at_seq = written});
  REQUIRE(then.rows.size() == 1);
  CHECK(then.rows[0].memory.signals->strength_e9 == 0);
  CHECK_FALSE(then.seq.has_value());
  CHECK(w.ask({.hashtags = set_a, .at_seq = after}).rows[0].memory.signals->strength_e9 > 0);
  CHECK(w.ask({.hashtags = set_a, .at_seq = seq_no{written.value - 1}}).rows.empty());
  CHECK(w.engine.published() == after);
  CHECK(w.refuse({.hashtags = set_a, .at_seq = seq_no{2}}).code == errc::bad_hashtags);
  CHECK(w.engine.get(id, {.actor = {}, .at_seq = written})->signals->strength_e9 == 0);
}

TEST_CASE("6.4 nothing found is touched by no entry") {
  chroma_world w;
  const auto seq = w.engine.published();
  const auto none = w.ask({.hashtags = set_a});
  CHECK(none.rows.empty());
  CHECK_FALSE(none.seq.has_value());
  CHECK(w.engine.published() == seq);
}

TEST_CASE("6.4 a tombstoned or archived memory is found through no chroma query") {
  chroma_world w;
  const auto gone = w.write("gone", set_a);
  const auto put_away = w.write("put away", set_a);
  const auto before = w.engine.published();
  tombstone_request t;
  t.uri = {memory_type::note, gone, 1};
  REQUIRE(w.engine.apply(t));
  update_head_request archive;
  archive.uri = {memory_type::note, put_away, 1};
  archive.lifecycle.emplace().status = lifecycle_status::archived;
  REQUIRE(w.engine.apply(archive));
  CHECK(w.ask({.hashtags = set_a, .include_rotten = true}).rows.empty());
  CHECK(w.ask({.hashtags = set_a, .at_seq = before}).rows.size() == 2);
  archive.lifecycle->status = lifecycle_status::open;
  REQUIRE(w.engine.apply(archive));
  const auto back = w.ask({.hashtags = set_a});
  REQUIRE(back.rows.size() == 1);
  CHECK(back.rows[0].memory.head->id == put_away);
}

TEST_CASE("6.4 what has ended, or is superseded, only when it is asked for") {
  chroma_world w;
  const auto lasting = w.write("lasting", set_a);
  auto r = w.request("ending", set_a);
  r.valid_until = timestamp{w.now().ns + 86'400'000'000'000};
  w.write(r);
  const auto old = w.write("old", set_a);
  const chroma_request ask{.hashtags = set_a, .k = 9, .touch = false};
  CHECK(w.ask(ask).rows.size() == 3);
  const seq_no before = w.engine.published();
  add_edge_request edge;
  edge.src = lasting;
  edge.dst = old;
  edge.type = static_cast<std::uint8_t>(edge_type::supersedes);
  REQUIRE(w.engine.apply(edge));
  w.later(1);
  const auto found = w.ask(ask);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows.front().memory.head->id == lasting);
  auto more = ask;
  more.include_ended = true;
  CHECK(w.ask(more).rows.size() == 3);
  auto then = ask;
  then.touch.reset();
  then.at_seq = before;
  CHECK(w.ask(then).rows.size() == 3);
}

TEST_CASE("6.4 an asker sees its own and what others made public") {
  chroma_world w;
  const auto put = [&](const char* actor, visibility v) {
    write_request r = w.request("n", set_a);
    r.actor = actor;
    r.visibility = v;
    return w.write(r);
  };
  const auto own = put("ana", visibility::private_);
  put("bob", visibility::private_);
  put("bob", visibility::scoped);
  const auto shared = put("bob", visibility::actor_public);
  const auto found = w.ask({.hashtags = set_a, .k = 10, .touch = false, .actor = "ana"});
  REQUIRE(found.rows.size() == 2);
  for (const auto& row : found.rows)
    CHECK((row.memory.head->id == own || row.memory.head->id == shared));
  CHECK(w.ask({.hashtags = set_a, .k = 10, .touch = false}).rows.size() == 4);
}

TEST_CASE("6.4 the approximation scores the 3k nearest") {
  chroma_world w;
  for (int i = 0; i < 3; ++i) w.write("near", set_a);
  w.later(30);
  const auto fresh = w.write("fresh", set_b);
  chroma_request q{.hashtags = set_a, .k = 1, .weights = score_weights{.1, .9, 0}, .touch = false};
  CHECK(w.ask(q).rows[0].memory.head->id == fresh);
  q.approximate = true;
  const auto found = w.ask(q);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].memory.head->id != fresh);
}

TEST_CASE("6.4 chroma_many answers each, at one seq") {
  chroma_world w;
  w.write("a", set_a);
  const auto results = w.engine.chroma_many(
      {{.hashtags = set_a}, {.hashtags = {"nobody"}}, {.hashtags = set_b, .touch = false}});
  REQUIRE(results.size() == 3);
  REQUIRE(results[0]);
  CHECK(results[1].error().code == errc::bad_hashtags);
  REQUIRE(results[2]);
  CHECK(results[0]->at_seq == results[2]->at_seq);
}

TEST_CASE("6.4 both drivers give the same answers") {
  struct host_config : caf::actor_system_config {
    host_config() { configure(*this); }
  } config;
  caf::actor_system system(config);
  engine_options options = chroma_world::options();
  auto memory = mneme::spawn(system, options);
  REQUIRE(memory);
  chroma_world w;
  caf::scoped_actor self(system);
  const auto apply = [&](const mutation& m) {
    self->request(*memory, caf::infinite, apply_message{m})
        .receive([](const mutation_result&) {},
                 [](const caf::error& e) { FAIL(to_error(e).message); });
  };
  for (const auto& m : chroma_world::assignments()) apply(m);
  for (int i = 0; i < 12; ++i) {
    write_request r = w.request("n" + std::to_string(i), i % 2 == 0 ? set_a : set_b);
    r.id = memory_id{};
    r.id->bytes[15] = static_cast<std::uint8_t>(i + 1);
    w.write(r);
    apply(r);
  }
  chroma_many_message many;
  many.requests = {{.hashtags = set_a, .k = 7, .touch = false},
                   {.hashtags = {"nobody"}},
                   {.hashtags = set_b, .k = 3, .touch = false}};
  const auto inline_answers = w.engine.chroma_many(many.requests);
  self->request(*memory, caf::infinite, many)
      .receive(
          [&](const chroma_many_reply& r) {
            REQUIRE(r.results.size() == 3);
            CHECK(r.results[1].error().code == errc::bad_hashtags);
            for (const std::size_t i : {0U, 2U}) {
              REQUIRE(r.results[i]);
              const auto& rows = (*r.results[i])->rows;
              REQUIRE(rows.size() == inline_answers[i]->rows.size());
              for (std::size_t k = 0; k < rows.size(); ++k) {
                CHECK(rows[k].memory.head->id == inline_answers[i]->rows[k].memory.head->id);
                CHECK(rows[k].score == inline_answers[i]->rows[k].score);
              }
            }
          },
          [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(*memory, caf::infinite, chroma_message{{.hashtags = set_a}})
      .receive(
          [](const chroma_reply& r) {
            CHECK(r->rows.size() == 5);
            CHECK(r->seq.has_value());
          },
          [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(*memory, caf::infinite, decay_message{})
      .receive([](const decay_result& r) { CHECK(r.decayed == 0); },
               [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_error(e).message); });
}

TEST_CASE("149: batched touches become one reinforce entry after 100 queries or one second") {
  const auto driver = GENERATE(query_driver::caller, query_driver::coordinator);
  engine_options o;
  o.queries = driver;
  o.chroma.touches = touch_mode::batched;
  chroma_world w(o);
  const auto id = w.write("tea", set_a);
  const std::uint64_t before = w.engine.published().value;
  const auto accesses = [&] { return w.engine.get(id)->activation.access_count; };
  const auto ask = [&](std::string actor = {}) {
    chroma_request r{.hashtags = set_a};
    if (!actor.empty()) r.actor = std::move(actor);
    const auto found = w.ask(r);
    CHECK_FALSE(found.seq.has_value());
    return found;
  };
  /// A write that is not about the memory: whoever waits is behind everything before it.
  const auto write_something = [&] { w.write("else", {}); };

  for (int i = 0; i < 99; ++i) ask();
  write_something();
  CHECK(w.engine.published().value == before + 1);
  CHECK(accesses() == 0);
  ask();
  write_something();
  CHECK(w.engine.published().value == before + 3);
  CHECK(w.kind_of({before + 2}) == "reinforce");
  CHECK(accesses() == 100);

  // A second of the engine's clock; whoever comes next finds the touches made.
  ask();
  w.later(1.0 / 86'400);
  write_something();
  CHECK(w.kind_of({before + 4}) == "reinforce");
  CHECK(accesses() == 101);

  // Whatever looks at the whole state has them in it.
  ask();
  REQUIRE(w.engine.snapshot("now"));
  CHECK(accesses() == 102);
  ask();
  REQUIRE(w.engine.decay());
  CHECK(accesses() == 103);
  ask();
  REQUIRE(w.engine.checkpoint());
  CHECK(accesses() == 104);
}

TEST_CASE("149: batched touches give the strengths that immediate ones at that time give") {
  const auto strength = [](touch_mode mode) {
    engine_options o;
    o.chroma.touches = mode;
    chroma_world w(o);
    const auto id = w.write("tea", set_a);
    w.later(2);
    for (int i = 0; i < 5; ++i) w.ask({.hashtags = set_a});
    REQUIRE(w.engine.snapshot("now"));
    return w.engine.get(id)->signals->strength_e9;
  };
  CHECK(strength(touch_mode::batched) == strength(touch_mode::immediate));
}
