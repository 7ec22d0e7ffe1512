// The committer's queue, its groups, and who waits for what.
#include <catch2/catch.hpp>

#include "tests/state/site.hpp"

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

TEST_CASE("barriers and looks at the ledger pass a full queue") {
  site place;
  auto w = place.open();
  std::vector<errc> refused;
  committer core(
      *w, std::make_shared<manual_clock>(timestamp{}), make_seeded_random(1, 1),
      {.mode = commit_mode::grouped, .max_queued = 1, .max_entries = 8, .read_only = false});
  const auto note_refusal = [&](const auto& r) {
    if (!r) refused.push_back(r.error().code);
  };
  core.enqueue(mutate_command{.items = {note("x")},
                              .is_batch = false,
                              .durability = durability::durable,
                              .reply = note_refusal});
  core.enqueue(snapshot_command{"s", "", note_refusal});
  core.enqueue(checkpoint_command{.reply = note_refusal, .last = false});
  core.enqueue(inspect_command{
      .run = [](world&) {},
      .reply = [&](const std::unexpected<error>& e) { refused.push_back(e.error().code); }});
  core.enqueue(checkpoint_command{.reply = note_refusal, .last = true});
  CHECK(refused.empty());
  CHECK(core.queued() == 5);
  CHECK(w->queued == 5);
  core.enqueue(touch_command{.payload = find_late_payload{}, .reply = note_refusal});
  CHECK(refused == std::vector<errc>{errc::busy});
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
  REQUIRE(w->ledger->apply(relaxed.batch->entries));
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
