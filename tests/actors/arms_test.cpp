// Arms in memory: each is the world that a fork on the disk would be, and nobody else's.
// Of: actors/arms.cpp, actors/arm_group.cpp, actors/arm_of_engine.cpp, actors/engine_home.cpp
// Of: state/branch/arm_source.cpp, state/branch/open_store.cpp, state/branch/temporary_fork.cpp
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <unistd.h>

#include "mneme/arms.hpp"
#include "mneme/tick.hpp"
#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

template <class T>
T must(result<T> made) {
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

memory_id id_number(std::uint32_t n) {
  memory_id id = id_of(static_cast<std::uint8_t>(n));
  id.bytes[14] = static_cast<std::uint8_t>(n >> 8);
  return id;
}

write_request numbered(std::uint32_t n, const std::string& statement) {
  write_request r = fact(statement);
  r.id = id_number(n);
  return r;
}

/// A closed world of `count` facts, with a checkpoint after half of them.
void make_world(const std::string& directory, std::uint32_t count) {
  engine e = opened(deterministic(directory));
  for (std::uint32_t i = 1; i <= count; ++i) {
    REQUIRE(e.apply(numbered(i, "fact " + std::to_string(i))));
    if (i == count / 2) REQUIRE(e.checkpoint());
  }
  REQUIRE(e.close());
}

tombstone_request tombstone_of(const memory_id& id, std::string reason) {
  tombstone_request r;
  r.uri.id = id;
  r.uri.type = memory_type::fact;
  r.uri.version = 1;
  r.actor = "ana";
  r.reason = std::move(reason);
  return r;
}

engine arm_of(const arm_base& base, std::uint64_t seed = 1) {
  return must(base.arm({.seed = seed, .random = {}, .clock = {}}));
}

/// Some writes that depend on the stream alone, and reads between them.
void drive(engine& e, std::uint32_t stream, int steps) {
  std::mt19937 draw(stream);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(draw() % n); };
  for (int i = 0; i < steps; ++i) {
    const memory_id known = id_number(1 + below(20));
    const std::string text = "step " + std::to_string(i) + " of " + std::to_string(stream);
    switch (below(7)) {
    case 0:
    case 1:
      (void)e.apply(fact(text));
      break;
    case 2: {
      auto there = e.get(known);
      if (!there) break;
      update_request r;
      r.uri.id = known;
      r.uri.type = memory_type::fact;
      r.uri.version = 1;
      r.data = there->version->data;
      r.data["statement"] = text;
      (void)e.apply(r);
      break;
    }
    case 3:
      (void)e.apply(tombstone_of(known, text));
      break;
    case 4: {
      add_edge_request r;
      r.src = known;
      r.type = 1;
      r.dst = id_number(1 + below(20));
      r.actor = "ana";
      (void)e.apply(r);
      break;
    }
    case 5:
      (void)e.snapshot(text, "ana");
      break;
    default:
      (void)e.write_batch({fact(text + " a"), fact(text + " b")});
      find_request f = by_type(memory_type::fact, 5);
      f.near = text;
      REQUIRE(e.find(f));
    }
  }
}

/// Everything that a door shows of both.
void check_alike(engine& a, engine& b) {
  CHECK(must(a.root()) == must(b.root()));
  const auto all = [](engine& e) {
    find_request r = by_type(memory_type::fact, 1000);
    std::vector<std::string> found;
    for (const auto& m : must(e.find(r)).memories)
      found.push_back(to_string(m.head->id)
                      + std::get<std::string>(m.version->data.at("statement")));
    return found;
  };
  CHECK(all(a) == all(b));
  find_request near = by_type(memory_type::fact, 7);
  near.near = "step 3";
  const auto texts = [&](engine& e) {
    std::vector<std::string> found;
    for (const auto& m : must(e.find(near)).memories) found.push_back(m.version->forms.short_form);
    return found;
  };
  CHECK(texts(a) == texts(b));
}

} // namespace

TEST_CASE("arms go on side by side, and change neither each other nor their base", "[arms]") {
  scratch s;
  make_world(s.world(), 20);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  CHECK(base.at() == seq_no{20});
  engine a = arm_of(base, 1);
  engine b = arm_of(base, 2);
  engine untouched = arm_of(base, 3);
  const root_set before = must(untouched.root());
  for (std::uint32_t i = 0; i < 10; ++i) {
    REQUIRE(a.apply(numbered(100 + i, "only a")));
    must(b.apply(tombstone_of(id_number(1 + i), "b has it no more")));
  }
  CHECK(a.published() == seq_no{30});
  CHECK(a.get(id_number(100)));
  CHECK(b.get(id_number(100)).error().code == errc::not_found);
  CHECK(untouched.get(id_number(100)).error().code == errc::not_found);
  CHECK(statements(must(a.find(by_type(memory_type::fact, 100)))).size() == 21);
  CHECK(must(b.find(by_type(memory_type::fact, 100))).memories.size() == 10);
  CHECK(must(untouched.find(by_type(memory_type::fact, 100))).memories.size() == 20);
  CHECK(must(untouched.root()) == before);
  // The past that they have in common, and their own.
  CHECK(must(a.root(seq_no{20})) == before);
  CHECK(must(b.root(seq_no{12})) == must(untouched.root(seq_no{12})));
  auto early = by_type(memory_type::fact, 100);
  early.at_seq = seq_no{25};
  CHECK(must(a.find(early)).memories.size() == 25);
  CHECK(must(a.journal(seq_no{19}, 10)).size() == 10);
  const auto proof = must(a.prove({.ids = {id_number(3), id_number(105)},
                                   .edges = {},
                                   .fields = {},
                                   .seqs = {{1}, {30}},
                                   .root = {},
                                   .actor = {}}));
  CHECK(verify(proof));
  REQUIRE(a.close());
  CHECK(a.get(id_number(1)).error().code == errc::shutdown);
  CHECK(must(b.stats()).seq == seq_no{30});
  engine fresh = arm_of(base, 4);
  CHECK(must(fresh.root()) == before);
}

TEST_CASE("an arm is what a fork on the disk becomes by the same writes", "[arms]") {
  const auto stream = GENERATE(range(1U, 7U));
  scratch s;
  make_world(s.world(), 20);
  const std::string forked = s.world() + "-fork";
  REQUIRE(fork_world(s.world(), forked));
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  engine arm = arm_of(base, stream);
  engine fork = opened(deterministic(forked, stream));
  drive(arm, stream, 40);
  drive(fork, stream, 40);
  check_alike(arm, fork);
  // Again from the same seed: the same arm, branch and all.
  engine again = arm_of(base, stream);
  drive(again, stream, 40);
  check_alike(again, arm);
  const std::string kept = s.world() + "-kept";
  const auto report = must(arm.fork_to(kept));
  CHECK(report.shared_segments == 0);
  REQUIRE(arm.apply(fact("behind what is kept")));
  const auto verified = must(verify_world(kept));
  CHECK(verified.ok);
  CHECK(must(replay_world(kept, s.world() + "-again")) == must(fork.root()));
  engine reopened = opened(deterministic(kept));
  CHECK(must(reopened.root()) == must(fork.root()));
  REQUIRE(reopened.apply(fact("a world like any other")));
}

TEST_CASE("a running engine is branched and goes on", "[arms]") {
  const bool in_memory = GENERATE(false, true);
  scratch s;
  std::optional<engine> running = opened(deterministic(in_memory ? "" : s.world()));
  for (std::uint32_t i = 1; i <= 20; ++i)
    REQUIRE(running->apply(numbered(i, "fact " + std::to_string(i))));
  std::optional<arm_base> base = must(arm_base::of(*running));
  const root_set then = must(running->root());
  REQUIRE(running->apply(numbered(50, "behind the arms")));
  engine a = arm_of(*base, 1);
  CHECK(must(a.root()) == then);
  REQUIRE(a.apply(numbered(60, "only a")));
  CHECK(running->get(id_number(60)).error().code == errc::not_found);
  CHECK(a.get(id_number(50)).error().code == errc::not_found);
  const auto report = must(a.diff(*running, [](const difference&) { return true; }));
  CHECK(report.common == seq_no{20});
  CHECK(report.only_a == 1);
  CHECK(report.only_b == 1);
  CHECK(report.leaves_agree);
  // Whoever goes first, the others stay.
  running.reset();
  base.reset();
  drive(a, 3, 20);
  CHECK(a.get(id_number(1)));
  engine moved = std::move(a);
  REQUIRE(moved.apply(fact("still there")));
  REQUIRE(moved.close());
}

TEST_CASE("a fork of a world that is open has its tables", "[arms]") {
  scratch s;
  make_world(s.world(), 20);
  const bool has_written = GENERATE(false, true);
  engine running = opened(deterministic(s.world()));
  REQUIRE(running.checkpoint());
  if (has_written)
    for (std::uint32_t i = 0; i < 10; ++i)
      REQUIRE(running.apply(numbered(50 + i, "behind the checkpoint")));
  const std::string forked = s.world() + "-fork";
  REQUIRE(running.fork_to(forked));
  REQUIRE(running.apply(numbered(90, "behind the fork")));
  {
    engine fork = opened(deterministic(forked));
    REQUIRE(fork.apply(fact("of the fork")));
    CHECK_FALSE(fork.opened().store_rebuilt);
    CHECK(fork.published() == seq_no{has_written ? 31U : 21U});
    CHECK(fork.get(id_number(7)));
    REQUIRE(fork.close());
  }
  CHECK(must(verify_world(forked)).ok);
  const arm_base base = must(arm_base::of(running));
  engine arm = arm_of(base);
  REQUIRE(arm.apply(fact("of the arm")));
  CHECK_FALSE(arm.opened().store_rebuilt);
  REQUIRE(running.apply(fact("and on")));
}

TEST_CASE("what a base was made in goes with its last arm", "[arms]") {
  scratch s;
  engine running = opened(deterministic(s.world()));
  REQUIRE(running.apply(fact("one")));
  const auto entries = [&] {
    std::size_t count = 0;
    for (const auto& at : std::filesystem::directory_iterator(s.path)) {
      (void)at;
      ++count;
    }
    return count;
  };
  CHECK(entries() == 1);
  std::optional<arm_base> base = must(arm_base::of(running));
  std::optional<engine> arm = arm_of(*base);
  CHECK(entries() == 2);
  base.reset();
  REQUIRE(arm->apply(fact("two")));
  CHECK(entries() == 2);
  arm.reset();
  CHECK(entries() == 1);
  CHECK(std::filesystem::is_empty(s.world() + "/forks"));
  const std::string own = s.world() + "-elsewhere";
  base = must(arm_base::of(running, own));
  CHECK(std::filesystem::exists(own));
  base.reset();
  CHECK_FALSE(std::filesystem::exists(own));
}

TEST_CASE("what a killed process left of a base goes with the next one", "[arms]") {
  scratch s;
  const std::string gone = s.world() + ".arms-999999999-00"; // no process has that number
  const std::string others = s.world() + ".arms-" + std::to_string(::getpid()) + "-00";
  const std::string unlike = s.world() + ".arms-of-mine";
  {
    engine running = opened(deterministic(s.world()));
    REQUIRE(running.apply(fact("one")));
    for (const auto& to : {gone, others, unlike}) REQUIRE(running.fork_to(to));
    const engine holds_it = opened(deterministic(gone));
    REQUIRE(arm_base::of(running));
    CHECK(std::filesystem::exists(gone));
  }
  engine running = opened(deterministic(s.world()));
  REQUIRE(arm_base::of(running));
  CHECK_FALSE(std::filesystem::exists(gone));
  CHECK(std::filesystem::exists(others));
  CHECK(std::filesystem::exists(unlike));
  std::size_t notes = 0;
  for (const auto& note : std::filesystem::directory_iterator(s.world() + "/forks"))
    if (note.is_regular_file()) ++notes;
  CHECK(notes == 2);
}

TEST_CASE("a base may be of an earlier entry", "[arms]") {
  scratch s;
  make_world(s.world(), 20);
  const std::uint64_t at = GENERATE(7U, 15U);
  const arm_base base = must(arm_base::open(deterministic(s.world()), seq_no{at}));
  CHECK(base.at() == seq_no{at});
  engine a = arm_of(base, 1);
  CHECK(must(a.find(by_type(memory_type::fact, 100))).memories.size() == at);
  REQUIRE(a.apply(numbered(20, "twenty, otherwise")));
  CHECK(a.published() == seq_no{at + 1});
  // The world itself is not held.
  engine e = opened(deterministic(s.world()));
  CHECK(must(e.find(by_type(memory_type::fact, 100))).memories.size() == 20);
  CHECK(arm_base::open(deterministic(s.world()), seq_no{99}).error().code == errc::seq_unavailable);
}

TEST_CASE("a base is held by one, and what it cannot do is refused", "[arms]") {
  scratch s;
  make_world(s.world(), 4);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  CHECK(engine::open(deterministic(s.world())).error().code == errc::busy);
  CHECK(arm_base::open(deterministic(s.world())).error().code == errc::busy);
  engine a = arm_of(base);
  CHECK(a.checkpoint().error().code == errc::unsupported);
  erase_request gone;
  gone.ids = {id_number(1)};
  CHECK(a.erase(gone).error().code == errc::unsupported);
  CHECK(arm_base::of(a).error().code == errc::unsupported);
  CHECK(arm_base::open({}).error().code == errc::bad_value);
  engine_options missing = deterministic(s.world() + "-none");
  CHECK(arm_base::open(missing).error().code == errc::not_found);
  CHECK_FALSE(std::filesystem::exists(s.world() + "-none"));
}

TEST_CASE("an empty world has arms", "[arms]") {
  scratch s;
  {
    engine e = opened(deterministic(s.world()));
  }
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  engine a = arm_of(base, 1);
  engine b = arm_of(base, 2);
  REQUIRE(a.apply(numbered(1, "first of a")));
  CHECK(a.published() == seq_no{1});
  CHECK(b.published() == seq_no{0});
  CHECK(must(a.diff(b, [](const difference&) { return true; })).only_a == 1);
}

TEST_CASE("an arm with a clock of its own reads by it", "[arms]") {
  scratch s;
  make_world(s.world(), 4);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  const timestamp later{946'684'800'000'000'000 + 86'400'000'000'000};
  const auto clock = std::make_shared<manual_clock>(later);
  engine a = must(base.arm({.seed = 1, .random = {}, .clock = clock}));
  CHECK(a.now() == later);
  CHECK(must(a.find(by_type(memory_type::fact, 100))).memories.size() == 4);
  REQUIRE(a.apply(numbered(9, "later")));
  CHECK(a.get(id_number(9))->head->created_at == later);
  engine b = arm_of(base);
  CHECK(b.now() != later);
}

TEST_CASE("a read that reinforces gives an arm a world of its own", "[arms]") {
  scratch s;
  const std::vector<std::string> tags = {"c1", "m1", "m2", "m3", "m4", "m5", "m6", "o1"};
  const auto mode = GENERATE(touch_mode::immediate, touch_mode::batched);
  {
    engine e = opened(deterministic(s.world()));
    for (const auto& tag : tags) {
      assign_tag_request r;
      r.tag = tag;
      r.zone = tag[0] == 'c'   ? colour_zone::core
               : tag[0] == 'm' ? colour_zone::mid
                               : colour_zone::outer;
      REQUIRE(e.apply(r));
    }
    write_request r = numbered(1, "coloured");
    r.hashtags = tags;
    REQUIRE(e.apply(r));
  }
  engine_options options = deterministic(s.world());
  options.chroma.touches = mode;
  const arm_base base = must(arm_base::open(options));
  engine a = arm_of(base, 1);
  engine b = arm_of(base, 2);
  chroma_request r;
  r.hashtags = tags;
  const seq_no before = base.at();
  CHECK(must(a.chroma(r)).rows.size() == 1);
  const auto answers = a.chroma_many({r, r, r, r, r});
  for (const auto& each : answers) CHECK(must(each).rows.size() == 1);
  REQUIRE(a.snapshot("what waited is there now", "ana"));
  CHECK(a.published() > before.next());
  CHECK(b.published() == before);
  // A list whose first query has the arm's world made answers all of them.
  engine c = arm_of(base, 3);
  for (const auto& each : c.chroma_many({r, r, r, r, r})) CHECK(must(each).rows.size() == 1);
  REQUIRE(c.snapshot("after the touches", "ana"));
  CHECK(c.published() > before.next());
  r.touch = false;
  CHECK(must(b.chroma(r)).rows.size() == 1);
  CHECK(b.published() == before);
}

TEST_CASE("a tick is committed in its arm", "[arms]") {
  scratch s;
  make_world(s.world(), 4);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  engine a = arm_of(base, 1);
  tick_request tick;
  tick.reads.emplace_back(by_type(memory_type::fact, 100));
  tick.writes.emplace_back(scoped_mutation{fact("of the tick")});
  const auto done = must(a.tick(std::move(tick)));
  CHECK(std::get<find_result>(must(done.reads[0])).memories.size() == 4);
  CHECK(done.writes[0]);
  CHECK(a.published() == seq_no{5});
}

TEST_CASE("arms are written to from many threads", "[arms]") {
  scratch s;
  make_world(s.world(), 20);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  std::vector<engine> arms;
  for (std::uint64_t i = 0; i < 4; ++i) arms.push_back(arm_of(base, i));
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  // Two threads in each arm: whoever comes first makes its world, while others read the base.
  for (std::uint32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      engine& mine = arms[t / 2];
      for (std::uint32_t i = 0; i < 20; ++i) {
        if (!mine.find(by_type(memory_type::fact, 100))) ++failed;
        if (!mine.apply(numbered(1000 + 100 * t + i, "by thread"))) ++failed;
        if (!mine.get(id_number(1000 + 100 * t + i))) ++failed;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(failed == 0);
  for (engine& arm : arms) CHECK(arm.published() == seq_no{60});
}

TEST_CASE("a thousand arms that have not written take next to nothing", "[arms]") {
  scratch s;
  make_world(s.world(), 20);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  const auto resident_bytes = [] {
    std::ifstream in("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    in >> all >> resident;
    return resident * 4096;
  };
  std::vector<engine> arms;
  arms.push_back(arm_of(base, 1));
  REQUIRE(arms.front().find(by_type(memory_type::fact, 100)));
  const std::uint64_t before = resident_bytes();
  for (std::uint64_t i = 2; i <= 1000; ++i) {
    arms.push_back(arm_of(base, i));
    REQUIRE(arms.back().find(by_type(memory_type::fact, 100)));
  }
  CHECK(resident_bytes() < before + (50ULL << 20));
  REQUIRE(arms[500].apply(fact("one of them")));
  CHECK(must(arms[501].find(by_type(memory_type::fact, 100))).memories.size() == 20);
}

TEST_CASE("a base whose files are gone refuses first writes, and reads go on", "[arms]") {
  scratch s;
  make_world(s.world(), 20);
  const arm_base base = must(arm_base::open(deterministic(s.world())));
  engine a = arm_of(base, 1);
  engine b = arm_of(base, 2);
  REQUIRE(a.apply(fact("before")));
  std::filesystem::remove_all(s.world() + "/images");
  std::filesystem::remove_all(s.world() + "/journal");
  const auto refused = b.apply(fact("too late"));
  REQUIRE_FALSE(refused);
  CHECK((refused.error().code == errc::corrupt || refused.error().code == errc::not_found
         || refused.error().code == errc::io));
  CHECK(must(b.find(by_type(memory_type::fact, 100))).memories.size() == 20);
  // Whoever has them open goes on.
  REQUIRE(a.apply(fact("after")));
}
