// Followers of a world that is kept in a log: what the leader writes comes to them, with the same
// roots; they write nothing, take the lead where they may, and follow again when they have lost it.
// Of: actors/log_member.cpp, actors/log_participant.cpp, state/commit/log_standing.cpp
// Of: state/commit/take_lead.cpp, state/recovery/followed_frame.cpp
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <random>
#include <thread>

#include "tests/actors/log_site.hpp"

using namespace mneme;
using namespace mneme::testing;
using namespace std::chrono_literals;

namespace {

engine follower(log_site& site, const std::string& name, bool may_lead = false) {
  auto o = site.options(name);
  o.follow = true;
  o.may_lead = may_lead;
  return opened(o);
}

/// Engines look at the log in threads of their own, by real time.
void rest_for(std::chrono::milliseconds time) {
  std::promise<void> never;
  never.get_future().wait_for(time);
}

/// Waits until it is so, for a while.
template <class Is>
bool comes(const Is& is, std::chrono::milliseconds patience = 10s) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!is()) {
    if (std::chrono::steady_clock::now() > until) return false;
    rest_for(2ms);
  }
  return true;
}

bool leads(engine& e) {
  return e.stats()->log->role == log_role::leader;
}

memory_id written_id(engine& e, const std::string& text) {
  const auto written = note(e, text);
  REQUIRE(written);
  return written->uri->id;
}

} // namespace

TEST_CASE("followers have what the leader writes, with its roots", "[log]") {
  log_site site;
  auto leader = site.open("one");
  REQUIRE(note(leader, "first"));
  auto two = follower(site, "two");
  auto three = follower(site, "three");
  for (int i = 0; i < 40; ++i) {
    REQUIRE(note(leader, "note " + std::to_string(i)));
    if (i == 20) REQUIRE(leader.checkpoint());
    const auto here = leader.position();
    REQUIRE(here);
    CHECK(here->epoch == 1);
    for (engine* e : {&two, &three}) {
      REQUIRE(code_of(e->reach(here->seq)) == "ok");
      CHECK(e->root(here->seq)->overall == here->root);
    }
  }
  const auto status = two.stats()->log;
  REQUIRE(status);
  CHECK(status->role == log_role::follower);
  CHECK(status->epoch == 1);
  CHECK(status->lag_seqs == 0);
  CHECK(leader.stats()->log->role == log_role::leader);
  CHECK(two.checkpoint());
  const auto root = root_of(leader);
  REQUIRE(leader.close());
  REQUIRE(two.close());
  // A copy of its directory is a start for another one.
  std::filesystem::copy(site.at("two"), site.at("four"), std::filesystem::copy_options::recursive);
  auto four = follower(site, "four");
  CHECK(root_of(four) == root);
  CHECK(four.opened().replayed_entries < 41);
  // Nothing of its own is in its copy, and it goes on from there.
  auto again = follower(site, "two");
  CHECK(root_of(again) == root);
  REQUIRE(again.close());
  auto led = site.open("two");
  CHECK(root_of(led) == root);
  CHECK(verify_world(site.at("three"))->ok);
}

TEST_CASE("a follower writes nothing and says who does", "[log]") {
  log_site site;
  auto o = site.options("one");
  o.advertised = "http://one.example:8765";
  auto leader = opened(o);
  REQUIRE(note(leader, "first"));
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = id_of(7);
  topic.title = "harbour";
  REQUIRE(code_of(leader.apply(topic)) == "ok");
  auto two = follower(site, "two");
  const auto frames = site.frames();
  const auto refused = note(two, "not here");
  CHECK(code_of(refused) == "read_only");
  CHECK(refused.error().message.find("epoch 1") != std::string::npos);
  CHECK(refused.error().message.find("http://one.example:8765") != std::string::npos);
  CHECK(two.stats()->log->leader_address == "http://one.example:8765");
  CHECK(code_of(two.snapshot("not here")) == "read_only");
  find_request find;
  find.types = {memory_type::note};
  find.limit = 5;
  CHECK(two.find(find)->memories.size() == 1);
  // What reinforces elsewhere does not here, unless it is asked to.
  retrieve_request harbour{.q = "harbour"};
  harbour.stages = {retrieve_stage::temporal};
  harbour.topic_ids = {id_of(7)};
  const auto retrieved = two.retrieve(harbour);
  REQUIRE(code_of(retrieved) == "ok");
  CHECK(retrieved->candidates.size() == 1);
  CHECK_FALSE(retrieved->seq.has_value());
  harbour.touch = true;
  CHECK(code_of(two.retrieve(harbour)) == "read_only");
  CHECK(two.checkpoint());
  REQUIRE(two.close());
  CHECK(site.frames() == frames);
}

TEST_CASE("what was asked for is waited for, or said to be missing", "[log]") {
  log_site site;
  auto leader = site.open("one");
  REQUIRE(note(leader, "first"));
  auto two = follower(site, "two");
  const auto missing = two.reach(seq_no{2}, 50);
  CHECK(code_of(missing) == "behind");
  CHECK(missing.error().message.find("seq 2 was asked for") != std::string::npos);
  CHECK(code_of(two.reach(seq_no{2}, 0)) == "out_of_range");
  std::thread writer([&] {
    rest_for(50ms);
    (void)note(leader, "second");
  });
  CHECK(code_of(two.reach(seq_no{2}, 10'000)) == "ok");
  writer.join();
  CHECK(code_of(leader.reach(seq_no{2})) == "ok");
  CHECK(code_of(leader.reach(seq_no{3}, 10)) == "behind");
}

TEST_CASE("an erasure reaches followers, and those that are away when they are back", "[log]") {
  log_site site;
  auto leader = site.open("one");
  REQUIRE(note(leader, "kept"));
  const auto secret = written_id(leader, "erase-me-everywhere");
  auto two = follower(site, "two");
  auto three = follower(site, "three");
  REQUIRE(two.checkpoint());
  REQUIRE(three.checkpoint());
  REQUIRE(three.close());
  REQUIRE(site.in_files("two", "erase-me-everywhere") > 0);
  erase_request r;
  r.by = "somebody";
  r.reason = "asked for";
  r.ids.push_back(secret);
  REQUIRE(code_of(leader.erase(r)) == "ok");
  REQUIRE(note(leader, "after it"));
  const auto here = *leader.position();
  REQUIRE(code_of(two.reach(here.seq)) == "ok");
  CHECK(root_of(two) == to_hex(here.root));
  CHECK(code_of(two.get(secret)) == "erased");
  CHECK(site.in_files("two", "erase-me-everywhere") == 0);
  auto back = follower(site, "three");
  REQUIRE(code_of(back.reach(here.seq)) == "ok");
  CHECK(root_of(back) == to_hex(here.root));
  CHECK(site.in_files("three", "erase-me-everywhere") == 0);
}

TEST_CASE("while the log is away a follower is read as of before", "[log]") {
  log_site site;
  auto leader = site.open("one");
  REQUIRE(note(leader, "first"));
  auto two = follower(site, "two");
  site.cut_off("two", true);
  REQUIRE(note(leader, "second"));
  CHECK(code_of(two.reach(seq_no{2}, 100)) == "behind");
  // Who is started has to erase first what was erased meanwhile.
  site.cut_off("three", true);
  auto o = site.options("three");
  o.follow = true;
  const auto started = engine::open(o);
  CHECK(code_of(started) == "busy");
  CHECK(started.error().message.contains("cannot be reached"));
  CHECK(two.root()->seq == seq_no{1});
  REQUIRE(comes([&] { return !two.stats()->log->problem.empty(); }));
  CHECK(two.stats()->log->lag_ms > 0);
  CHECK(two.stats()->log->away_ms);
  CHECK_FALSE(two.stats()->log->lag_seqs); // nobody knows
  CHECK_FALSE(two.stats()->log->is_cut_off);
  site.cut_off("two", false);
  CHECK(code_of(two.reach(seq_no{2}, 10'000)) == "ok");
  REQUIRE(comes([&] { return two.stats()->log->problem.empty(); }));
  CHECK_FALSE(two.stats()->log->away_ms);
  CHECK(two.stats()->log->lag_seqs == 0);
}

TEST_CASE("a follower takes the lead that nobody has, and follows when it has lost it", "[log]") {
  log_site site;
  {
    auto leader = site.open("one");
    REQUIRE(note(leader, "first"));
    REQUIRE(leader.close());
  }
  auto two = follower(site, "two", true);
  REQUIRE(comes([&] { return leads(two); }));
  CHECK(two.stats()->log->epoch == 2);
  REQUIRE(code_of(note(two, "second")) == "ok");
  auto three = follower(site, "three", true);
  REQUIRE(code_of(three.reach(seq_no{2})) == "ok");
  CHECK_FALSE(leads(three));
  // The leader cannot reach the log, and its lease runs out.
  site.cut_off("two", true);
  CHECK(code_of(note(two, "nowhere")) == "busy");
  const auto away = *two.stats()->log;
  CHECK(away.role == log_role::leader);
  CHECK(away.is_cut_off);
  CHECK(away.away_ms);
  CHECK_FALSE(away.lag_seqs);
  CHECK_FALSE(away.problem.empty());
  site.server.pass(1h);
  REQUIRE(comes([&] { return leads(three); }));
  CHECK(three.stats()->log->epoch == 3);
  REQUIRE(code_of(note(three, "third")) == "ok");
  CHECK(code_of(note(two, "nowhere")) == "busy");
  site.cut_off("two", false);
  REQUIRE(comes([&] { return !leads(two); }));
  CHECK(code_of(note(two, "nowhere")) == "read_only");
  REQUIRE(code_of(two.reach(seq_no{3})) == "ok");
  CHECK(root_of(two) == root_of(three));
  // And back, by a good end.
  REQUIRE(three.close());
  REQUIRE(comes([&] { return leads(two); }));
  REQUIRE(code_of(note(two, "fourth")) == "ok");
  CHECK(two.root()->seq == seq_no{4});
}

TEST_CASE("a paused leader that wakes up writes nothing, whatever it was doing", "[log]") {
  log_site site;
  auto two = follower(site, "two", true);
  REQUIRE(comes([&] { return leads(two); }));
  REQUIRE(code_of(note(two, "first")) == "ok");
  const auto tail = *site.server.connect()->tail();
  site.server.pass(1h);
  auto claimed = site.server.connect()->claim(tail.epoch, "somebody", 1h);
  REQUIRE(claimed);
  if (claimed->outcome != claim_outcome::granted) return; // it was renewed between the two
  const auto frames = site.frames();
  CHECK(code_of(note(two, "late")) == "read_only");
  CHECK(site.frames() == frames);
  CHECK(two.root()->seq == seq_no{1});
  REQUIRE(comes([&] { return two.stats()->log->leader == "somebody"; }));
}

TEST_CASE("who cannot find out what became of a write leads again by itself", "[log]") {
  log_site site;
  auto one = site.open("one");
  REQUIRE(note(one, "first"));
  for (const bool arrives : {false, true}) {
    site.change("one",
                arrives ? log_faults{.lost_answer = 1000} : log_faults{.lost_request = 1000});
    CHECK(code_of(note(one, "nobody knows")) == "outcome_unknown");
    const auto waits = note(one, "not now");
    CHECK(code_of(waits) == "busy");
    CHECK(waits.error().message.contains("leads again"));
    CHECK(one.stats()->log->leader.empty());
    site.heal("one");
    CHECK(comes([&] { return note(one, "goes on").has_value(); }));
    CHECK(one.stats()->log->role == log_role::leader);
  }
  find_request find;
  find.types = {memory_type::note};
  find.limit = 9;
  const auto found = one.find(find);
  REQUIRE(code_of(found) == "ok");
  CHECK(found->memories.size() == 4); // one of the two that nobody knew of is there
  // Where somebody else has led since, it does not.
  site.change("one", {.lost_request = 1000});
  CHECK(code_of(note(one, "nobody knows")) == "outcome_unknown");
  site.server.pass(1h);
  const auto tail = *site.server.connect()->tail();
  REQUIRE(site.server.connect()->claim(tail.epoch, "somebody", 1h));
  site.heal("one");
  CHECK(comes([&] { return code_of(note(one, "later")) == "read_only"; }));
  CHECK(one.stats()->log->leader == "somebody");
}

TEST_CASE("a log that was rolled back halts its followers", "[log]") {
  log_site site;
  std::optional<engine> leader(site.open("one"));
  REQUIRE(note(*leader, "first"));
  REQUIRE(note(*leader, "second"));
  auto two = follower(site, "two");
  const auto root = root_of(two);
  site.server.roll_back(1);
  REQUIRE(comes([&] { return !two.stats()->stopped.empty(); }));
  CHECK(two.stats()->stopped.find("rolled back") != std::string::npos);
  // So does the leader, when an append shows it.
  CHECK(code_of(note(*leader, "third")) != "ok");
  REQUIRE(comes([&] { return !leader->stats()->stopped.empty(); }));
  for (const char* said : {"in epoch 1 at seq 1", "up to seq 2", "join anew"})
    CHECK(leader->stats()->stopped.find(said) != std::string::npos);
  CHECK(root_of(two) == root); // reads go on
  CHECK(code_of(two.reach(seq_no{9}, 100)) == "corrupt");
  CHECK(code_of(note(two, "no")) == "corrupt");
}

TEST_CASE("a copy goes on with a log that has lost a seal and made the same again", "[log]") {
  log_site site;
  auto two = follower(site, "two", true);
  REQUIRE(comes([&] { return leads(two); }));
  REQUIRE(code_of(note(two, "first")) == "ok");
  REQUIRE(two.checkpoint()); // with a seal behind it
  site.cut_off("two", true);
  const log_point end = site.server.connect()->tail()->end;
  site.server.roll_back(1);
  REQUIRE(site.frames() == end.frames - 1);
  site.server.pass(1h);
  // Who has never seen it leads next, and seals the same entries.
  auto one = site.open("one");
  REQUIRE(one.checkpoint());
  REQUIRE(site.server.connect()->tail()->end == end);
  site.heal("two");
  REQUIRE(comes([&] { return !leads(two); }));
  REQUIRE(code_of(note(one, "second")) == "ok");
  REQUIRE(code_of(two.reach(seq_no{2})) == "ok");
  CHECK(two.stats()->stopped.empty());
  CHECK(root_of(two) == root_of(one));
}

TEST_CASE("a frame whose root is not that of the copy halts it", "[log]") {
  log_site site;
  std::optional<engine> leader(site.open("one"));
  REQUIRE(note(*leader, "first"));
  auto two = follower(site, "two");
  leader.reset();
  // By hand, what a leader with another state would append.
  const auto log = site.server.connect();
  const auto tail = *log->tail();
  const auto claimed = log->claim(tail.epoch, "forger", 1h);
  REQUIRE((claimed && claimed->outcome == claim_outcome::granted));
  digest other;
  other.bytes.fill(7);
  const auto seal =
      encode_frame({}, tail.last_seq.next(), true, tail.end.head, other, tail.last_seq);
  REQUIRE(*log->append(tail.end, claimed->epoch, 1h, *split_frame(seal.bytes))
          == append_outcome::appended);
  REQUIRE(comes([&] { return !two.stats()->stopped.empty(); }));
  const auto why = two.stats()->stopped;
  CHECK(why.find("in epoch 2 at seq 1") != std::string::npos);
  CHECK(why.find(to_hex(other)) != std::string::npos);
  CHECK(why.find(root_of(two)) != std::string::npos);
}

TEST_CASE("what a follower cannot be is refused", "[log]") {
  log_site site;
  auto o = site.options("one");
  o.follow = true;
  CHECK(code_of(engine::open(o)) == "not_found"); // nobody has founded it
  o.follow = false;
  o.may_lead = true;
  CHECK(code_of(engine::open(o)) == "bad_value");
  engine_options local;
  local.directory = site.at("local");
  local.follow = true;
  CHECK(code_of(engine::open(local)) == "unsupported");
}

// Three engines that may all lead, on a bad network and under leases that run out; whoever believes
// that he leads writes.
TEST_CASE("no acknowledged write is lost by takeovers and faults", "[log]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  log_site site;
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const std::vector<std::string> names{"one", "two", "three"};
  { // founds it
    auto first = site.open("one");
    REQUIRE(first.close());
  }
  std::map<std::string, engine> engines;
  for (const auto& name : names) engines.emplace(name, follower(site, name, true));
  std::map<std::string, std::uint64_t> acknowledged; ///< what was written, and its seq
  std::map<std::uint64_t, digest> roots;             ///< that somebody had there
  const auto see = [&](engine& e) {
    const auto here = *e.position();
    const auto [it, is_new] = roots.emplace(here.seq.value, here.root);
    if (!is_new) CHECK(it->second == here.root);
  };
  for (int step = 0; step < 220; ++step) {
    const auto& name = names[below(3)];
    auto& e = engines.at(name);
    switch (below(12)) {
    case 0:
      site.server.pass(std::chrono::milliseconds(below(4000)));
      rest_for(std::chrono::milliseconds(below(300)));
      break;
    case 1:
      site.cut_off(name, below(2) == 0);
      break;
    case 2:
      site.change(name,
                  {.away = 20, .lost_request = 30, .lost_answer = 50, .doubled = 50, .late = 30});
      break;
    case 3:
      if (below(3) == 0) {
        (void)e.close();
        engines.erase(name);
        if (below(2) == 0) site.lose(name);
        site.heal(name);
        engines.emplace(name, follower(site, name, true));
      }
      break;
    case 4:
      (void)e.checkpoint();
      break;
    case 5:
      rest_for(15ms);
      break;
    default: {
      const auto text = "step " + std::to_string(step);
      if (const auto written = note(e, text)) acknowledged[text] = written->seq.value;
    }
    }
    see(engines.at(names[below(3)]));
  }
  for (const auto& name : names) site.heal(name);
  site.server.pass(1h);
  REQUIRE(
      comes([&] { return std::ranges::any_of(engines, [](auto& e) { return leads(e.second); }); }));
  CHECK(acknowledged.size() > 10);
  const auto tail = *site.server.connect()->tail();
  for (auto& [name, e] : engines) {
    CAPTURE(name);
    REQUIRE(code_of(e.reach(tail.last_seq)) == "ok");
    REQUIRE(e.stats()->stopped.empty());
    see(e);
    for (const auto& [text, seq] : acknowledged) {
      const auto items = e.journal(seq_no{seq}, 1);
      REQUIRE(items);
      REQUIRE(items->front().seq.value == seq);
    }
    find_request all;
    all.limit = 1000;
    const auto found = e.find(all);
    REQUIRE(found);
    std::map<std::string, int> times;
    for (const auto& memory : found->memories)
      ++times[std::get<std::string>(memory.version->data.at("statement"))];
    for (const auto& [text, seq] : acknowledged) CHECK(times[text] == 1);
    for (const auto& [text, count] : times) CHECK(count == 1);
  }
}
