// What the facade proves, and what it refuses to.
#include <atomic>
#include <future>
#include <latch>

#include <catch2/catch.hpp>

#include "actors/running_engine.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("proofs against a snapshot stand while its state is retained") {
  engine e = opened(deterministic(""));
  const auto uri = *e.apply(fact("one"))->uri;
  const auto snap = e.snapshot("before");
  REQUIRE(snap);
  update_request u;
  u.uri = uri;
  u.data = fact("two").data;
  REQUIRE(e.apply(u));
  auto then = e.prove({.ids = {uri.id},
                       .edges = {},
                       .fields = {},
                       .seqs = {{1}},
                       .root = snap->manifest.overall_root,
                       .actor = {}});
  REQUIRE(then);
  CHECK(verify(*then));
  CHECK(then->roots.overall == snap->manifest.overall_root);
  auto now =
      e.prove({.ids = {uri.id}, .edges = {}, .fields = {}, .seqs = {}, .root = {}, .actor = {}});
  CHECK(now->states[0].proof.value_hash != then->states[0].proof.value_hash);
  CHECK(e.find_snapshot(snap->manifest.overall_root)->has_value());
  CHECK(
      e.prove(
           {.ids = {uri.id}, .edges = {}, .fields = {}, .seqs = {}, .root = digest{}, .actor = {}})
          .error()
          .code
      == errc::root_unavailable);
  // Absence: an id that was never written.
  memory_id unknown;
  unknown.bytes[0] = 1;
  auto absent =
      e.prove({.ids = {unknown}, .edges = {}, .fields = {}, .seqs = {}, .root = {}, .actor = {}});
  REQUIRE(absent);
  CHECK(verify(*absent));
  CHECK_FALSE(absent->states[0].proof.value_hash.has_value());
}

TEST_CASE("a proof of an entry that is not there names it") {
  engine e = opened(deterministic(""));
  REQUIRE(e.apply(fact("one")));
  const auto taken = e.snapshot("now");
  REQUIRE(taken);
  for (const bool against_root : {false, true}) {
    prove_request r;
    r.seqs = {{1}, {9}};
    if (against_root) r.root = taken->manifest.overall_root;
    const auto refused = e.prove(r);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::seq_unavailable);
    CHECK(refused.error().at == "seqs[1]");
  }
}

TEST_CASE("what is asked to be proved again is proved once, where it was asked first") {
  engine e = opened(deterministic(""));
  const memory_id a = e.apply(fact("one"))->uri->id;
  const memory_id b = e.apply(fact("two"))->uri->id;
  const edge_key edge{a, edge_type::references, b};
  prove_request r;
  r.ids = {b, a, b, b, a};
  r.edges = {edge, edge};
  r.fields = {{a, "f"}, {a, "g"}, {a, "f"}};
  r.seqs = {{2}, {1}, {2}, {2}};
  const auto bundle = e.prove(r);
  REQUIRE(bundle);
  CHECK(verify(*bundle));
  std::vector<std::string> keys;
  for (const auto& s : bundle->states) keys.push_back(s.key);
  CHECK(keys
        == std::vector<std::string>{std::string(b.raw()), std::string(a.raw()), key_bytes(edge),
                                    field_key_bytes(a, "f"), field_key_bytes(a, "g")});
  REQUIRE(bundle->entries.size() == 2);
  CHECK(bundle->entries[0].seq == seq_no{2});
  CHECK(bundle->entries[1].seq == seq_no{1});
}

TEST_CASE("a request proves at most 10,000 things, those asked again counted") {
  engine e = opened(deterministic(""));
  const memory_id a = e.apply(fact("one"))->uri->id;
  prove_request r;
  r.ids.assign(4'000, a);
  r.edges.assign(3'000, {a, edge_type::references, {}});
  r.fields.assign(2'000, {a, "f"});
  r.seqs.assign(1'000, {1});
  CHECK(e.prove(r));
  const auto refused_at = [&](const prove_request& more) {
    const auto refused = e.prove(more);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::limit_exceeded);
    return refused.error().at;
  };
  r.seqs.push_back({1});
  CHECK(refused_at(r) == "seqs");
  r.fields.resize(4'000, {a, "f"});
  CHECK(refused_at(r) == "fields");
  r.edges.resize(10'000);
  CHECK(refused_at(r) == "edges");
  r.ids.resize(10'001, a);
  CHECK(refused_at(r) == "ids");
}

namespace {

/// Once armed, it holds up whoever asks for the time until it is let go.
class held_clock final : public manual_clock {
public:
  held_clock() : manual_clock(timestamp{946'684'800'000'000'000}) {}
  timestamp now() override {
    if (armed) let_go.wait();
    return manual_clock::now();
  }
  std::atomic<bool> armed = false;
  std::latch let_go{1};
};

} // namespace

TEST_CASE("proofs that wait for their turn count with all that they ask for") {
  host_config config(4);
  caf::actor_system system(config);
  auto time = std::make_shared<held_clock>();
  engine_options o = deterministic("");
  o.clock = time;
  o.max_in_flight_bytes = 100'000;
  auto opened = start_engine(system, o);
  REQUIRE(opened);
  const auto& running = **opened;
  std::promise<bool> written;
  std::vector<std::promise<errc>> proved(3);
  time->armed = true;
  hand_over(running, mutate({fact("first")}, false, durability::durable, {}, {}, {}, {},
                            [&](const result<batch_result>& r) { written.set_value(bool(r)); }));
  // The committer is held up in that write's turn, so these arrive before the write is done.
  for (auto& p : proved) {
    prove_request r;
    r.fields.emplace_back(id_of(1), std::string(60'000, 'x'));
    hand_over(running, inspect_proofs(std::move(r), {}, [&](const result<proof_bundle>& b) {
                p.set_value(b ? errc{} : b.error().code);
              }));
  }
  time->let_go.count_down();
  CHECK(written.get_future().get());
  CHECK(proved[0].get_future().get() != errc::busy);
  CHECK(proved[1].get_future().get() == errc::busy);
  CHECK(proved[2].get_future().get() == errc::busy);
  std::promise<void> closed;
  hand_over(running, checkpoint_command{.reply = [&](const result<seq_no>&) { closed.set_value(); },
                                        .last = true});
  closed.get_future().get();
  stop_actors(running.actors);
  (*opened)->actors = {};
  system.await_all_actors_done();
}
