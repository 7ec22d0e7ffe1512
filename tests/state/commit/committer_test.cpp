// The committer's queue, its groups, and who waits for what.
// Of: state/commit/command_bytes.cpp, state/commit/commands.cpp
// Of: state/commit/committer_execution.cpp, state/commit/committer_log.cpp
#include <catch2/catch.hpp>

#include "tests/state/coloured_notes.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("a read-only committer refuses whatever would write") {
  site place;
  auto w = place.open();
  committer core(
      *w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
      {.mode = commit_mode::grouped, .max_queued = 8, .max_entries = 8, .read_only = true});
  std::optional<errc> code;
  core.enqueue(mutate_command{.items = {note("x")},
                              .is_batch = false,
                              .durability = durability::durable,
                              .reply = [&](result<batch_result> r) { code = r.error().code; }});
  CHECK(code == errc::read_only);
}

TEST_CASE("a full queue answers busy, a stopped committer what stopped it") {
  site place;
  auto w = place.open();
  committer core(
      *w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
      {.mode = commit_mode::grouped, .max_queued = 2, .max_entries = 8, .read_only = false});
  std::vector<errc> codes;
  const auto put = [&] {
    core.enqueue(mutate_command{
        .items = {note("x")},
        .is_batch = false,
        .durability = durability::durable,
        .reply = [&](result<batch_result> r) { codes.push_back(r ? errc{} : r.error().code); }});
  };
  put();
  put();
  put();
  CHECK(codes == std::vector<errc>{errc::busy});
  REQUIRE(core.next_round().batch != nullptr);
  core.fail({errc::outcome_unknown, "the disk is gone", {}}, {errc::io, "stopped", {}});
  CHECK(codes == std::vector<errc>{errc::busy, errc::outcome_unknown, errc::outcome_unknown});
  put();
  CHECK(codes.back() == errc::io);
}

TEST_CASE("a group of commands is closed by its number of entries or by their bytes") {
  site place;
  auto w = place.open();
  const auto entries_of_a_round = [&](committer_options o) {
    committer core(*w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1), o);
    for (int i = 0; i < 8; ++i)
      core.enqueue(mutate_command{.items = {note(std::string(100, 'x'))},
                                  .is_batch = false,
                                  .durability = durability::durable,
                                  .reply = [](const result<batch_result>&) {}});
    const std::size_t n = core.next_round().batch->entries.size();
    core.fail({errc::io, "enough", {}}, {errc::io, "enough", {}});
    return n;
  };
  CHECK(entries_of_a_round({}) == 8);
  CHECK(entries_of_a_round({.max_entries = 3}) == 3);
  CHECK(entries_of_a_round({.max_bytes = 1}) == 1);
}

TEST_CASE("a full queue refuses whatever is asked for, and nothing of the engine's own") {
  site place;
  auto w = place.open();
  std::vector<errc> refused;
  committer core(*w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
                 {.mode = commit_mode::grouped, .max_queued = 2, .max_entries = 8});
  const auto note_refusal = [&](const auto& r) {
    if (!r) refused.push_back(r.error().code);
  };
  const auto look = [&] {
    core.enqueue(inspect_command{
        .run = [](world&) {},
        .reply = [&](const std::unexpected<error>& e) { refused.push_back(e.error().code); }});
  };
  core.enqueue(mutate_command{.items = {note("x")}, .reply = note_refusal});
  look();
  CHECK(refused.empty());
  core.enqueue(checkpoint_command{});
  core.enqueue(late_touch_command{});
  core.enqueue(embed_command{.items = {}, .reply = note_refusal});
  core.enqueue(checkpoint_command{.reply = note_refusal, .last = true});
  CHECK(refused.empty());
  CHECK(core.queued() == 6);
  CHECK(w->queued == 6);
  core.enqueue(touch_command{.payload = find_late_payload{}, .reply = note_refusal});
  look();
  core.enqueue(snapshot_command{"s", "", note_refusal});
  core.enqueue(decay_command{"", note_refusal});
  core.enqueue(checkpoint_command{.reply = note_refusal, .last = false});
  CHECK(refused == std::vector<errc>(5, errc::busy));
}

TEST_CASE("a checkpoint that waits for another one counts as waiting until its turn") {
  site place;
  auto w = place.open();
  std::vector<errc> refused;
  committer core(*w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
                 {.mode = commit_mode::grouped, .max_queued = 1, .max_entries = 8});
  const auto note_refusal = [&](const auto& r) {
    if (!r) refused.push_back(r.error().code);
  };
  core.enqueue(checkpoint_command{.reply = note_refusal});
  REQUIRE(core.next_round().barrier);
  checkpoint_command deferred = core.defer_barrier();
  CHECK(core.queued() == 1);
  CHECK(w->queued == 1);
  core.enqueue(mutate_command{.items = {note("x")}, .reply = note_refusal});
  CHECK(refused == std::vector<errc>{errc::busy});
  core.enqueue(std::move(deferred));
  CHECK(core.queued() == 1);
  REQUIRE(core.next_round().barrier);
  core.passed_barrier()(seq_no{0});
  core.enqueue(mutate_command{.items = {note("x")}, .reply = note_refusal});
  CHECK(refused.size() == 1);
  core.fail({errc::io, "enough", {}}, {errc::io, "enough", {}});
}

TEST_CASE("whatever a request can make large counts in the bytes that wait") {
  const std::string large(100'000, 'x');
  scope tagged;
  tagged.include.tags = {large};
  scope proved;
  tree_proof proof;
  proof.siblings.resize(4'000);
  proved.proofs = {proof};
  const auto tagged_scope = std::make_shared<const scope>(tagged);
  std::vector<commit_command> commands;
  const auto add_mutation = [&](mutation item, std::shared_ptr<const scope> within) {
    mutate_command c;
    c.items = {std::move(item)};
    c.scope = std::move(within);
    commands.emplace_back(std::move(c));
  };
  add_mutation(note("x"), tagged_scope);
  add_mutation(note("x"), std::make_shared<const scope>(proved));
  write_request created = note("x");
  created.created_by = large;
  add_mutation(created, nullptr);
  update_head_request patched;
  patched.by = large;
  add_mutation(patched, nullptr);
  topic_link link{};
  link.kind = large;
  ingest_request linked;
  linked.links = {link};
  add_mutation(linked, nullptr);
  promote_command promoted;
  promoted.request.actor = large;
  commands.emplace_back(promoted);
  attest_command attested;
  attested.request.intent_id = large;
  commands.emplace_back(attested);
  attest_command scoped;
  scoped.request.scope = tagged_scope;
  commands.emplace_back(scoped);
  compact_command compacted;
  compacted.request.step_id = large;
  commands.emplace_back(compacted);
  tick_command tick;
  tick.writes = std::make_shared<std::vector<tick_write>>(
      std::vector<tick_write>{scoped_mutation{note("x"), tagged_scope}});
  commands.emplace_back(std::move(tick));
  snapshot_command snapped;
  snapped.reason = large;
  commands.emplace_back(snapped);
  decay_command decayed;
  decayed.actor = large;
  commands.emplace_back(decayed);
  scope_violation_payload violation;
  violation.target = large;
  touch_command went_outside;
  went_outside.payload = violation;
  commands.emplace_back(went_outside);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    CAPTURE(i);
    CHECK(bytes_of(commands[i]) > large.size());
  }
}

TEST_CASE("a queue is full by its bytes too, but one request is always taken") {
  site place;
  auto w = place.open();
  std::vector<std::string> answers;
  committer core(*w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
                 {.max_queued = 100, .max_queued_bytes = 20'000});
  const auto put = [&](std::size_t size) {
    core.enqueue(mutate_command{.items = {note(std::string(size, 'x'))},
                                .reply = [&](const result<batch_result>& r) {
                                  answers.emplace_back(r ? "ok" : to_string(r.error().code));
                                }});
  };
  put(100'000);
  CHECK(answers.empty());
  CHECK(core.queued_bytes() > 100'000);
  put(10);
  CHECK(answers == std::vector<std::string>{"busy"});
  REQUIRE(core.next_round().batch != nullptr);
  CHECK(core.queued_bytes() == 0);
  put(10'000);
  put(9'000);
  CHECK(answers.size() == 2);
  put(10);
  CHECK(core.queued() == 2);
  core.fail({errc::io, "enough", {}}, {errc::io, "enough", {}});
  CHECK(core.queued_bytes() == 0);
}

TEST_CASE("writes go on between looks at the ledger, which see the writes before them") {
  site place;
  auto w = place.open();
  driven d(*w);
  std::string order;
  const auto write = [&] {
    d.core.enqueue(
        mutate_command{.items = {note("x")},
                       .reply = [&](const result<batch_result>& r) { order += r ? 'w' : '!'; }});
  };
  const auto look = [&](std::uint64_t at_least) {
    d.core.enqueue(inspect_command{
        .run = [&order,
                at_least](world& of) { order += of.published_seq().value >= at_least ? 'l' : '?'; },
        .reply = [](const std::unexpected<error>&) {}});
  };
  for (int i = 0; i < 4; ++i) look(0);
  for (int i = 0; i < 3; ++i) write();
  for (int i = 0; i < 2; ++i) look(3);
  d.pump();
  CHECK(order == "lwlwlwlll");
  // Nothing but looks: one a round, so that what arrives meanwhile is seen.
  order.clear();
  look(3);
  look(3);
  look(3);
  CHECK(d.core.next_round().again);
  CHECK(order == "l");
  write();
  d.pump();
  CHECK(order == "llwl");
}

TEST_CASE("a write whose deadline has passed before its turn leaves nothing") {
  site place;
  auto w = place.open();
  std::int64_t shown = 0;
  committer core(*w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
                 {.stopwatch = [&] { return shown; }});
  std::vector<std::string> answers;
  const auto put = [&](write_deadline until) {
    core.enqueue(mutate_command{
        .items = {note("x")}, .deadline = until, .reply = [&](const result<batch_result>& r) {
          answers.emplace_back(r ? "ok" : to_string(r.error().code));
        }});
  };
  put(10);
  put(11);
  put({});
  core.enqueue(tick_command{.touches = {},
                            .writes = std::make_shared<std::vector<tick_write>>(
                                std::vector<tick_write>{scoped_mutation{note("y")}}),
                            .deadline = 10,
                            .reply = [&](const result<tick_commit>& r) {
                              answers.emplace_back(r ? "ok" : to_string(r.error().code));
                            }});
  shown = 10;
  const auto round = core.next_round();
  REQUIRE(round.batch != nullptr);
  CHECK(round.batch->entries.size() == 2);
  CHECK(answers == std::vector<std::string>{"deadline_exceeded", "deadline_exceeded"});
  // Executed in time: answered with what became of it, however late.
  shown = 1'000'000;
  core.fail({errc::outcome_unknown, "the disk is gone", {}}, {errc::io, "stopped", {}});
  CHECK(answers.size() == 4);
  CHECK(answers.back() == "outcome_unknown");
}

TEST_CASE("a refusal that rests on a command of the same batch is answered with the batch") {
  site place;
  auto w = place.open();
  committer core(
      *w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
      {.mode = commit_mode::grouped, .max_queued = 8, .max_entries = 8, .read_only = false});
  std::vector<std::string> answers;
  const auto put = [&](mutation m) {
    core.enqueue(mutate_command{.items = {std::move(m)},
                                .is_batch = false,
                                .durability = durability::durable,
                                .reply = [&](result<batch_result> r) {
                                  answers.emplace_back(r ? "ok" : to_string(r.error().code));
                                }});
  };
  write_request r = note("x");
  r.id = id_of(1);
  put(r);
  put(r);
  REQUIRE(core.next_round().batch != nullptr);
  CHECK(answers.empty());
  core.fail({errc::outcome_unknown, "the disk is gone", {}}, {errc::io, "stopped", {}});
  CHECK(answers == std::vector<std::string>{"outcome_unknown", "outcome_unknown"});
}

TEST_CASE("a durable no-op waits for the relaxed write that it rests on") {
  site place;
  auto w = place.open();
  driven d(*w);
  add_edge_request add;
  add.src = id_of(1);
  add.type = 3;
  add.dst = id_of(2);
  const auto put = [&](durability how) {
    d.core.enqueue(mutate_command{
        .items = {add}, .is_batch = false, .durability = how, .reply = [](const auto&) {}});
  };
  put(durability::relaxed);
  const auto relaxed = d.core.next_round();
  REQUIRE(relaxed.batch != nullptr);
  CHECK_FALSE(relaxed.batch->durable);
  REQUIRE(w->journal->append(relaxed.batch->entries, w->ledger->roots().overall));
  REQUIRE(apply_to_ledger(*w, relaxed.batch->entries));
  REQUIRE(w->store->apply(relaxed.batch->writes, relaxed.batch->last_seq));
  apply_to(w->graph, relaxed.batch->deltas);
  d.core.complete();
  put(durability::relaxed);
  CHECK_FALSE(d.core.next_round().sync);
  put(durability::durable);
  CHECK(d.core.next_round().sync);
  REQUIRE(w->journal->sync());
  d.core.complete();
  put(durability::durable);
  CHECK_FALSE(d.core.next_round().sync);
}

namespace {

/// Has a committer whose stopwatch moves with each look at it run one command.
template <class Answer, class Make>
result<Answer> run_in_time(world& w, const Make& make, std::int64_t until, std::int64_t& looks) {
  looks = 0;
  committer core(w, std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000}),
                 make_seeded_random(1, 1), {.stopwatch = [&] { return looks++; }});
  std::optional<result<Answer>> answer;
  auto command = make([&](result<Answer> r) { answer = std::move(r); });
  command.deadline = until;
  core.enqueue(std::move(command));
  const auto round = core.next_round();
  if (answer) return std::move(*answer); // refused: nothing is on its way
  CHECK((round.batch != nullptr || round.barrier));
  core.fail({errc::io, "enough", {}}, {errc::io, "stopped", {}});
  return std::move(*answer);
}

} // namespace

TEST_CASE("every command that has a deadline is refused at its turn, and leaves nothing") {
  site place;
  auto w = place.open();
  driven d(*w);
  REQUIRE(d.apply(note("x")));
  std::vector<errc> codes;
  const auto refused = [&](const auto& r) { codes.push_back(r ? errc{} : r.error().code); };
  std::int64_t shown = 10;
  committer core(*w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
                 {.stopwatch = [&] { return shown; }});
  core.enqueue(promote_command{{.chunk = id_of(1), .memory = id_of(2), .actor = ""}, refused, 10});
  core.enqueue(
      attest_command{{.intent_id = "i", .reason = "", .cited = {"u"}, .actor = ""}, refused, 10});
  core.enqueue(compact_command{
      {.in_context = {}, .load_bearing = {}, .intent_id = "i", .step_id = "s", .actor = ""},
      refused,
      10});
  core.enqueue(snapshot_command{"reason", "", refused, 10});
  core.enqueue(decay_command{"", refused, 10});
  core.enqueue(checkpoint_command{.reply = refused, .deadline = 10});
  CHECK(codes.empty());
  const auto round = core.next_round();
  CHECK(round.batch == nullptr);
  CHECK_FALSE(round.barrier);
  CHECK(codes == std::vector<errc>(6, errc::deadline_exceeded));
  CHECK(core.queued() == 0);
}

TEST_CASE("a command that gathers much looks at its deadline, and leaves nothing when it is late") {
  site place;
  auto w = place.open();
  driven d(*w);
  std::vector<std::string> uris;
  for (std::uint8_t n = 1; n <= 20; ++n) {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.topic_id = id_of(n);
    r.title = n % 2 == 0 ? "even" : "odd";
    r.salience = 0.01;
    r.actor = "ana";
    auto done = d.apply(std::move(r));
    REQUIRE(done);
    uris.push_back(to_string(*done->uri));
  }
  assign_eight(d);
  for (int n = 0; n < 20; ++n) REQUIRE(d.apply(coloured("x")));
  const auto sweeps = [&](mutation m) {
    return [m = std::move(m)](auto reply) {
      return mutate_command{.items = {m},
                            .is_batch = false,
                            .durability = durability::durable,
                            .reply = std::move(reply)};
    };
  };
  const auto compacts = [&](auto reply) {
    compact_request r;
    r.in_context = uris;
    r.intent_id = "i";
    r.step_id = "s";
    return compact_command{std::move(r), std::move(reply)};
  };
  const memory_id drawn = w->last_drawn_id;
  const auto check = [&]<class Answer>(std::type_identity<Answer>, const auto& make) {
    std::int64_t looks = 0;
    CHECK(run_in_time<Answer>(*w, make, 1'000'000, looks).error().code == errc::io);
    const std::int64_t all = looks;
    CHECK(all >= 20); // once for each memory
    for (std::int64_t until = 0; until < all; ++until) {
      const auto late = run_in_time<Answer>(*w, make, until, looks);
      REQUIRE_FALSE(late);
      REQUIRE(late.error().code == errc::deadline_exceeded);
      REQUIRE(looks == until + 1);
    }
    CHECK(w->last_drawn_id == drawn);
  };
  check(std::type_identity<batch_result>{}, sweeps(revise_request{.actor = "ana"}));
  check(std::type_identity<batch_result>{}, sweeps(forget_request{.actor = "ana"}));
  check(std::type_identity<compact_result>{}, compacts);
  check(std::type_identity<decay_result>{}, [](auto reply) {
    decay_command c;
    c.reply = std::move(reply);
    return c;
  });
}
