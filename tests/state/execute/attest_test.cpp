// Attest with learned weights, on the state machine.
// Of: state/execute/compact.cpp, state/execute/pending_records.cpp, state/commit/rate_limit.cpp
// Of: messages/validate/validate_agents.cpp, query/context/compact_record.cpp, views/learning.cpp
// Of: views/salience.cpp

#include <array>
#include <cmath>
#include <memory>

#include "query/context/compact_record.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "tests/state/site.hpp"
#include "views/learning.hpp"
#include "views/salience.hpp"

namespace mneme::testing {
namespace {

template <class Answer, class Command, class Request>
result<Answer> run_one(driven& d, Request request) {
  std::optional<result<Answer>> answer;
  d.core.enqueue(Command{std::move(request), [&](result<Answer> r) { answer = std::move(r); }});
  d.pump();
  REQUIRE(answer.has_value());
  return std::move(*answer);
}
result<attest_result> attest(driven& d, attest_request r) {
  return run_one<attest_result, attest_command>(d, std::move(r));
}

attest_request about(std::vector<std::string> cited, std::string actor = "ana") {
  attest_request r;
  r.intent_id = "trip";
  r.cited = std::move(cited);
  r.actor = std::move(actor);
  return r;
}

struct small_world {
  site place;
  std::unique_ptr<world> w = place.open();
  driven d{*w};

  memory_uri write(std::string actor = "ana", std::int64_t importance = 5) {
    write_request r = note("text", std::move(actor));
    r.importance = importance;
    auto done = d.apply(std::move(r));
    REQUIRE(done);
    return *done->uri;
  }
  activation used(const memory_uri& uri) {
    return w->attributes().activation_of(w->nodes.find(uri.id), w->published_seq());
  }
  learned_weights weights(std::string_view actor, seq_no at) {
    return w->attributes().weights_of(actor, at);
  }
  std::vector<std::string> kinds() {
    std::vector<std::string> names;
    REQUIRE(read_journal(*w->files, journal_directory(w->directory), w->info.id, seq_no{1}, true,
                         [&](const journal_frame& f) -> result<bool> {
                           std::string frame;
                           for (const auto& e : f.entries)
                             frame += (frame.empty() ? "" : "+")
                                      + std::string(to_string(decode_entry_header(e.header)->kind));
                           if (!frame.empty()) names.push_back(frame);
                           return true;
                         }));
    return names;
  }
};

} // namespace

TEST_CASE("8 attest: always followed by learn_weights, in one frame, also when skipped",
          "[attest]") {
  small_world s;
  const auto uri = s.write();
  REQUIRE(attest(s.d, about({to_string(uri)})));
  auto nothing = attest(s.d, about({"mneme://Note/00000000000000000000000009#1"}));
  REQUIRE(nothing);
  CHECK_FALSE(nothing->learned);
  CHECK(nothing->skipped.size() == 1);
  CHECK(nothing->seq == s.w->published_seq());
  CHECK(s.kinds()
        == std::vector<std::string>{"write", "attest+learn_weights", "attest+learn_weights"});
}

TEST_CASE("8 attest: activation by the table of 1.6", "[attest]") {
  small_world s;
  const auto uri = s.write();
  const std::string cited = to_string(uri);
  s.d.time->set({s.d.time->now().ns + 10'000'000'000});
  REQUIRE(attest(s.d, about({cited, cited, "junk"})));
  CHECK(s.used(uri).access_count == 1); // once, though cited twice
  CHECK(s.used(uri).citations == 1);
  CHECK(s.used(uri).last_used == s.d.time->now());
  auto r = about({cited});
  r.outcome = attest_outcome::failure;
  r.reason = "bad luck";
  s.d.time->set({s.d.time->now().ns + 10'000'000'000});
  REQUIRE(attest(s.d, r));
  CHECK(s.used(uri).access_count == 1);
  CHECK(s.used(uri).citations == 1);
  CHECK(s.used(uri).last_used == s.d.time->now());
  for (const char* reason : {"factual_error", "wrong_assumption"}) {
    r.reason = reason;
    REQUIRE(attest(s.d, r));
    CHECK(s.used(uri).citations == 0); // never below 0
  }
  // The past keeps what it had.
  CHECK(s.w->attributes().activation_of(s.w->nodes.find(uri.id), seq_no{1}).citations == 0);
  CHECK(s.w->attributes().activation_of(s.w->nodes.find(uri.id), seq_no{2}).citations == 1);
}

TEST_CASE("8 attest: weights move by 0.05 of the distance to the profile and sum to one",
          "[attest]") {
  const learned_weights before;
  activation a;
  a.last_used = {1'000'000'000};
  a.access_count = 1000;
  a.citations = 1000;
  a.importance = 10;
  const std::array cited = {a};
  // Profile: R = A = C = D = 1, made to sum 1.
  const double moved[] = {0.25, 0.15 + 0.05 * 0.10, 0.30 - 0.05 * 0.05, 0.20 + 0.05 * 0.05};
  const double whole = moved[0] + moved[1] + moved[2] + moved[3] + 0.10;
  auto towards = learn(before, cited, false, {1'000'000'000});
  REQUIRE(towards.learned);
  CHECK(std::abs(static_cast<double>(towards.weights.access) - moved[1] / whole * 1e9) <= 1);
  CHECK(std::abs(static_cast<double>(towards.weights.similarity) - 0.10 / whole * 1e9) <= 1);
  const auto sum = [](const learned_weights& w) {
    return w.recency + w.access + w.citations + w.importance + w.similarity;
  };
  CHECK(std::abs(sum(towards.weights) - 1'000'000'000) <= 3);
  auto away = learn(before, cited, true, {1'000'000'000});
  CHECK(away.weights.access < before.access);
  CHECK(towards.weights.access > before.access);
  // Repeated steps stay in range and sum to one.
  learned_weights w = before;
  for (int i = 0; i < 500; ++i) w = learn(w, cited, i % 3 == 0, {1'000'000'000}).weights;
  CHECK(std::abs(sum(w) - 1'000'000'000) <= 3);
  CHECK(w.recency >= 0);
  CHECK_FALSE(learn(before, {}, false, {0}).learned);
  CHECK(learn(before, {}, false, {0}).weights == before);
}

TEST_CASE("8 attest: weights are the actor's own, exact under at_seq", "[attest]") {
  small_world s;
  const auto uri = s.write("ana", 9);
  const seq_no before = s.w->published_seq();
  auto done = attest(s.d, about({to_string(uri)}));
  REQUIRE((done && done->learned));
  const learned_weights defaults;
  CHECK(s.weights("ana", s.w->published_seq()) == done->weights);
  CHECK(done->weights != defaults);
  CHECK(s.weights("ana", before) == defaults);
  CHECK(s.weights("ana", {done->seq.value - 1}) == defaults);
  CHECK(s.weights("ben", s.w->published_seq()) == defaults);
  CHECK(s.weights("", s.w->published_seq()) == defaults);
  CHECK(s.weights("an", s.w->published_seq()) == defaults);
}

TEST_CASE("8 attest: the order of checks", "[attest]") {
  small_world s;
  const std::string uri = to_string(s.write());
  const auto code = [&](const attest_request& r) {
    auto done = attest(s.d, r);
    return done ? std::string("ok") : std::string(to_string(done.error().code));
  };
  auto r = about({});
  r.intent_id = " ";
  CHECK(code(r) == "missing_field");
  r.intent_id = "trip";
  r.outcome = static_cast<attest_outcome>(9);
  CHECK(code(r) == "empty_citations");
  r.cited.assign(257, uri);
  CHECK(code(r) == "too_many_citations"); // counted before duplicates are dropped
  r.cited.assign(256, uri);
  CHECK(code(r) == "bad_value");
  r.outcome = attest_outcome::success;
  CHECK(code(r) == "ok");
}

TEST_CASE("8 attest: one a second and five at once for each actor and intent", "[attest]") {
  small_world s;
  const std::string uri = to_string(s.write());
  for (int i = 0; i < 5; ++i) REQUIRE(attest(s.d, about({uri})));
  const seq_no at = s.w->published_seq();
  auto sixth = attest(s.d, about({uri}));
  REQUIRE_FALSE(sixth);
  CHECK(sixth.error().code == errc::rate_limited);
  CHECK(s.w->published_seq() == at); // no side effect
  auto other = about({uri});
  other.intent_id = "another";
  CHECK(attest(s.d, other));
  CHECK(attest(s.d, about({uri}, "ben")));
  s.d.time->set({s.d.time->now().ns + 999'999'999});
  CHECK_FALSE(attest(s.d, about({uri})));
  s.d.time->set({s.d.time->now().ns + 1});
  CHECK(attest(s.d, about({uri})));
  CHECK_FALSE(attest(s.d, about({uri})));
}

TEST_CASE("8 attest: what is hidden, tombstoned or of another type is skipped", "[attest]") {
  small_world s;
  const auto own = s.write("ana");
  const auto hidden = s.write("ben");
  const auto gone = s.write("ana");
  tombstone_request t;
  t.uri = gone;
  REQUIRE(s.d.apply(t));
  memory_uri of_type = own;
  of_type.type = memory_type::fact;
  memory_uri of_version = own;
  of_version.version = 2;
  auto done = attest(s.d, about({to_string(hidden), to_string(gone), to_string(of_type),
                                 to_string(of_version), to_string(own)}));
  REQUIRE(done);
  CHECK(done->skipped.size() == 4);
  CHECK(done->learned);
  CHECK(s.used(hidden).citations == 0);
  CHECK(s.used(own).citations == 1);
  // The host sees everybody's.
  CHECK(attest(s.d, about({to_string(hidden)}, ""))->learned);
}

TEST_CASE("8 attest: entries of one batch see those before them", "[attest]") {
  small_world s;
  const auto uri = s.write();
  std::vector<std::optional<result<attest_result>>> answers(3);
  tick_command tick;
  tick.writes = std::make_shared<std::vector<tick_write>>(3, about({to_string(uri)}));
  std::optional<result<tick_commit>> done;
  tick.reply = [&](result<tick_commit> r) { done = std::move(r); };
  s.d.core.enqueue(std::move(tick));
  s.d.pump();
  REQUIRE((done && *done));
  CHECK(s.used(uri).citations == 3);
  // The same three one after the other teach the same.
  small_world t;
  const auto same = t.write();
  std::optional<result<attest_result>> last;
  for (int i = 0; i < 3; ++i) last = attest(t.d, about({to_string(same)}));
  CHECK(std::get<attest_result>(*(*done)->writes[2]).weights == (*last)->weights);
}

TEST_CASE("8 compact: load_bearing and pinned stay, the rest becomes short", "[compact]") {
  small_world s;
  const auto bearing = s.write();
  const auto plain = s.write();
  write_request goal;
  goal.type = memory_type::goal;
  goal.actor = "ana";
  goal.data["statement"] = std::string("be there");
  goal.data["status"] = std::string("active");
  const auto pinned = *s.d.apply(goal)->uri;
  const std::string root = to_hex(s.w->published_roots().state_roots[2]);
  compact_request r;
  r.in_context = {to_string(plain), to_string(pinned), to_string(bearing), "junk", "junk"};
  r.load_bearing = {to_string(bearing)};
  r.intent_id = "trip";
  r.step_id = "1";
  r.actor = "ana";
  const auto before = s.used(plain);
  auto done = run_one<compact_result, compact_command>(s.d, r);
  REQUIRE(done);
  REQUIRE(done->kept.size() == 2);
  CHECK(done->kept[0].uri == bearing);
  CHECK(done->kept[1].uri == pinned);
  CHECK(done->kept[1].salience >= 0.7);
  REQUIRE(done->compacted.size() == 1);
  CHECK(done->compacted[0].uri == plain);
  CHECK(done->skipped == std::vector<std::string>{"junk"});
  CHECK(done->tokens == done->kept[0].tokens + done->kept[1].tokens + done->compacted[0].tokens);
  CHECK(s.used(plain) == before); // no bump
  CHECK(to_hex(s.w->published_roots().state_roots[2]) == root);

  load_compact_request load{.intent_id = "trip", .step_id = "1", .actor = "ana", .at_seq = {}};
  const auto load_at = [&](std::optional<seq_no> at) {
    load.at_seq = at;
    return read_compact_record(s.w->views(), load);
  };
  auto loaded = load_at({});
  REQUIRE(loaded);
  CHECK(loaded->seq == done->seq);
  CHECK(loaded->kept[0].text == done->kept[0].text);
  CHECK(loaded->compacted[0].short_form == done->compacted[0].short_form);
  load.actor = "ben";
  CHECK(load_at({}).error().code == errc::not_found);
  load.actor.reset();
  CHECK(load_at({}));
  CHECK(load_at(seq_no{done->seq.value - 1}).error().code == errc::not_found);

  // The same step again replaces.
  r.load_bearing.clear();
  auto again = run_one<compact_result, compact_command>(s.d, r);
  REQUIRE(again);
  CHECK(load_at({})->kept.size() == 1);
  CHECK(load_at(done->seq)->kept.size() == 2);

  r.budget_tokens = 1;
  const seq_no at = s.w->published_seq();
  CHECK(run_one<compact_result, compact_command>(s.d, r).error().code == errc::budget_unreachable);
  CHECK(s.w->published_seq() == at);
}

TEST_CASE("2.3 open: learned weights come back from the images and the tail", "[attest]") {
  site place;
  learned_weights early;
  learned_weights late;
  seq_no then;
  {
    auto w = place.open();
    driven d(*w);
    write_request r = note("text", "ana");
    r.importance = 9;
    const auto uri = d.apply(std::move(r))->uri.value();
    REQUIRE(attest(d, about({to_string(uri)})));
    then = w->published_seq();
    early = w->attributes().weights_of("ana", then);
    CHECK(early != learned_weights{});
    REQUIRE(d.checkpoint());
    d.time->set({d.time->now().ns + 2'000'000'000});
    REQUIRE(attest(d, about({to_string(uri)})));
    late = w->attributes().weights_of("ana", w->published_seq());
    CHECK(late != early);
  }
  auto w = place.open();
  CHECK(w->report.checkpoint >= then);
  CHECK(w->attributes().weights_of("ana", then) == early);
  CHECK(w->attributes().weights_of("ana", w->published_seq()) == late);
  CHECK(w->attributes().weights_of("ana", {1}) == learned_weights{});
}

TEST_CASE("8 compact: what is pinned is what the memory is now, whichever version is cited",
          "[compact]") {
  small_world s;
  write_request goal;
  goal.type = memory_type::goal;
  goal.actor = "ana";
  goal.data["statement"] = std::string("be there");
  goal.data["status"] = std::string("active");
  const auto cited = *s.d.apply(goal)->uri;
  const auto becomes = [&](const char* status) {
    update_request u;
    u.uri = cited;
    u.actor = "ana";
    u.data = goal.data;
    u.data["status"] = std::string(status);
    REQUIRE(s.d.apply(u));
  };
  const auto kept = [&] {
    compact_request r;
    r.in_context = {to_string(cited)};
    r.intent_id = "trip";
    r.step_id = "1";
    r.actor = "ana";
    const auto done = run_one<compact_result, compact_command>(s.d, r);
    REQUIRE(done);
    REQUIRE(done->kept.size() + done->compacted.size() == 1);
    // The cited version is the one that is shown.
    CHECK((done->kept.empty() ? done->compacted[0].uri : done->kept[0].uri) == cited);
    return !done->kept.empty();
  };
  CHECK(kept());
  becomes("completed");
  CHECK_FALSE(kept());
  becomes("active");
  CHECK(kept());
}

TEST_CASE("2.3 replay: attest, weights and compact records come back byte for byte", "[attest]") {
  small_world s;
  const auto uri = s.write();
  REQUIRE(attest(s.d, about({to_string(uri)})));
  compact_request r;
  r.in_context = {to_string(uri)};
  r.intent_id = "trip";
  r.step_id = "1";
  REQUIRE(run_one<compact_result, compact_command>(s.d, r));
  site other;
  auto into = other.open();
  REQUIRE(replay_journal(*s.place.files, "world", *into, {}, {}));
  CHECK(into->published_roots() == s.w->published_roots());
  CHECK(*canonical_dump(*into) == *canonical_dump(*s.w));
  CHECK(into->attributes().weights_of("ana", into->published_seq())
        == s.weights("ana", s.w->published_seq()));
  CHECK(into->attributes().activation_of(into->nodes.find(uri.id), into->published_seq())
        == s.used(uri));
  CHECK(read_compact_record(into->views(),
                            {.intent_id = "trip", .step_id = "1", .actor = {}, .at_seq = {}}));
}

} // namespace mneme::testing
