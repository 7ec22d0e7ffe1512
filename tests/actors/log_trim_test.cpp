// A world on a log is trimmed: payloads go from the log, from the leader's copy and from those of
// its followers, whether they run, were away, or join behind it.
// Of: state/retention/running_trim.cpp, state/recovery/followed_frame.cpp
// Of: state/retention/trim_in_log.cpp, journal/log/log_copy.cpp, state/commit/take_lead.cpp
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "mneme/recovery.hpp"
#include "mneme/retention.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "tests/actors/log_site.hpp"

using namespace mneme;
using namespace mneme::testing;
using namespace std::chrono_literals;

namespace {

template <class Is>
bool comes_true(const Is& is) {
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!is()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::promise<void> never;
    never.get_future().wait_for(2ms);
  }
  return true;
}

/// So many entries that a trim drops.
void use(engine& e, int times) {
  find_request r;
  r.types = {memory_type::note};
  r.limit = 10;
  r.late_binding = true;
  for (int i = 0; i < times; ++i) REQUIRE(code_of(e.find(r)) == "ok");
}

trim_report trimmed(engine& e) {
  trim_options t;
  t.reason = "a year has passed";
  t.by = "host";
  std::optional<result<trim_report>> done;
  // One that it follows may still go on.
  REQUIRE(comes_true([&] {
    done = e.trim(t);
    return *done || done->error().code != errc::busy;
  }));
  REQUIRE(code_of(*done) == "ok");
  return **done;
}

std::vector<std::uint32_t> uses_of(engine& e, const std::vector<memory_id>& ids) {
  std::vector<std::uint32_t> uses;
  for (const auto& id : ids)
    uses.push_back(static_cast<std::uint32_t>(e.get(id)->activation.access_count));
  return uses;
}

bool is_trimmed_before(engine& e, const memory_id& id, seq_no before) {
  const auto got = e.get(id, {.actor = {}, .at_seq = seq_no{before.value - 1}, .scope = {}});
  return !got && got.error().code == errc::seq_unavailable;
}

void check_whole(log_site& site, const std::string& name) {
  const auto verified = verify_world(site.at(name));
  REQUIRE(code_of(verified) == "ok");
  INFO(name << ": " << verified->problem);
  CHECK(verified->ok);
  CHECK_FALSE(std::filesystem::exists(site.at(name) + "/TRIMMING"));
}

/// A leader with ten notes that were used, long ago.
struct used_world {
  log_site site;
  std::shared_ptr<manual_clock> time =
      std::make_shared<manual_clock>(timestamp{946'684'800'000'000'000});
  std::vector<memory_id> ids;
  std::optional<engine> leader;

  used_world() : leader(opened(options("one"))) {
    for (int i = 0; i < 10; ++i) ids.push_back(note(*leader, "note")->uri->id);
    use(*leader, 200);
    pass();
  }
  engine_options options(const std::string& name) {
    auto o = site.options(name);
    o.clock = time;
    return o;
  }
  void pass() { time->set({time->now().ns + 3'600'000'000'000}); }
  void stop(const std::string& name, engine& e) {
    REQUIRE(e.close());
    check_whole(site, name);
  }
};

engine trim_follower_of(used_world& w, const std::string& name, bool may_lead = false) {
  auto o = w.options(name);
  o.follow = true;
  o.may_lead = may_lead;
  return opened(o);
}

} // namespace

TEST_CASE("a trim reaches the log, followers that run, and who joins behind it", "[log]") {
  used_world w;
  auto two = trim_follower_of(w, "two");
  const auto bytes_before = w.site.server.everything().size();
  const auto uses = uses_of(*w.leader, w.ids);
  const auto done = trimmed(*w.leader);
  CHECK(done.dropped >= 200);
  CHECK(done.journal_bytes < done.journal_bytes_before);
  CHECK(w.site.server.everything().size() < bytes_before - done.dropped_bytes / 2);
  REQUIRE(note(*w.leader, "behind it"));
  use(*w.leader, 3);
  const auto here = *w.leader->position();
  REQUIRE(code_of(two.reach(here.seq)) == "ok");
  CHECK(root_of(two) == to_hex(here.root));
  CHECK(comes_true([&] { return is_trimmed_before(two, w.ids.front(), done.before); }));
  CHECK(uses_of(two, w.ids) == uses_of(*w.leader, w.ids));
  CHECK(two.stats()->stopped.empty());
  auto three = trim_follower_of(w, "three");
  CHECK(root_of(three) == to_hex(here.root));
  CHECK(uses_of(three, w.ids) == uses_of(*w.leader, w.ids));
  CHECK(is_trimmed_before(three, w.ids.front(), done.before));
  CHECK(three.stats()->journal_bytes < done.journal_bytes_before);
  CHECK(uses.front() >= 200);
  // And once more: what is so young that followers may lack it stays in the log until the next one.
  use(*w.leader, 100);
  const auto log_bytes = w.site.server.everything().size();
  const auto again = trimmed(*w.leader);
  CHECK(again.dropped >= 100);
  CHECK(w.site.server.everything().size() > log_bytes);
  w.pass();
  use(*w.leader, 30);
  trimmed(*w.leader);
  CHECK(w.site.server.everything().size() < log_bytes);
  erase_request r;
  r.by = "somebody";
  r.reason = "asked for";
  r.ids.push_back(w.ids.front());
  REQUIRE(code_of(w.leader->erase(r)) == "ok");
  const auto last = *w.leader->position();
  for (engine* e : {&two, &three}) {
    REQUIRE(code_of(e->reach(last.seq)) == "ok");
    CHECK(root_of(*e) == to_hex(last.root));
    CHECK(code_of(e->get(w.ids.front())) == "erased");
  }
  w.stop("one", *w.leader);
  w.stop("two", two);
  w.stop("three", three);
}

TEST_CASE("an erasure takes from the log what a trim has left there, since it was young", "[log]") {
  const bool is_away_first = GENERATE(false, true);
  CAPTURE(is_away_first);
  used_world w;
  std::atomic<bool> is_away = false; // for connections that are made then
  REQUIRE(w.leader->close());
  auto o = w.options("one");
  o.logs = [&, connect = o.logs](std::string_view address) -> result<std::shared_ptr<log_store>> {
    if (is_away) return fail(errc::busy, "the log is away");
    return connect(address);
  };
  w.leader = opened(o);
  auto two = trim_follower_of(w, "two");
  const auto written = note(*w.leader, "said-at-first");
  REQUIRE(written);
  update_request u;
  u.uri = *written->uri;
  u.data["statement"] = "said-since";
  REQUIRE(code_of(w.leader->apply(u)) == "ok");
  trim_options t;
  t.by = "host";
  t.versions = true;
  REQUIRE(code_of(w.leader->trim(t)) == "ok");
  REQUIRE(w.site.server.everything().contains("said-at-first"));
  erase_request r;
  r.by = "somebody";
  r.reason = "asked for";
  r.ids.push_back(written->uri->id);
  if (is_away_first) {
    is_away = true;
    for (const char* answer : {"outcome_unknown", "busy"}) {
      CHECK(code_of(w.leader->erase(r)) == answer);
      CHECK(w.site.server.everything().contains("said-at-first"));
    }
    CHECK(code_of(note(*w.leader, "goes on")) == "ok");
    is_away = false;
  }
  REQUIRE(code_of(w.leader->erase(r)) == "ok");
  CHECK_FALSE(w.site.server.everything().contains("said-at-first"));
  CHECK_FALSE(w.site.server.everything().contains("said-since"));
  const auto here = *w.leader->position();
  auto three = trim_follower_of(w, "three");
  for (engine* e : {&two, &three}) {
    REQUIRE(code_of(e->reach(here.seq)) == "ok");
    CHECK(root_of(*e) == to_hex(here.root));
  }
  w.stop("two", two);
  w.stop("three", three);
}

TEST_CASE("who was away when a log was trimmed takes that up when it is opened", "[log]") {
  used_world w;
  {
    auto two = trim_follower_of(w, "two");
    REQUIRE(two.checkpoint());
    REQUIRE(two.close());
  }
  use(*w.leader, 50); // of which it has nothing
  w.pass();
  const auto done = trimmed(*w.leader);
  REQUIRE(note(*w.leader, "behind it"));
  const auto here = *w.leader->position();
  auto two = trim_follower_of(w, "two");
  CHECK(root_of(two) == to_hex(here.root));
  CHECK(uses_of(two, w.ids) == uses_of(*w.leader, w.ids));
  CHECK(is_trimmed_before(two, w.ids.front(), done.before));
  CHECK(two.stats()->journal_bytes < done.journal_bytes_before);
  w.stop("two", two);
  // The leader's own directory, too, if that was lost.
  REQUIRE(w.leader->close());
  w.site.lose("one");
  w.leader = opened(w.options("one"));
  CHECK(root_of(*w.leader) == to_hex(here.root));
  REQUIRE(note(*w.leader, "goes on"));
  w.stop("one", *w.leader);
}

TEST_CASE("a follower that lacks what was trimmed says what to do, and is well behind that",
          "[log]") {
  used_world w;
  auto two = trim_follower_of(w, "two");
  w.site.cut_off("two", true);
  use(*w.leader, 50);
  w.pass();
  trimmed(*w.leader);
  const auto here = *w.leader->position();
  w.site.heal("two");
  REQUIRE(comes_true([&] { return !two.stats()->stopped.empty(); }));
  CHECK(two.stats()->stopped.contains("open it again"));
  CHECK(code_of(two.reach(here.seq, 100)) == "trimmed");
  CHECK(two.get(w.ids.front())); // reads go on
  (void)two.close();
  auto again = trim_follower_of(w, "two");
  CHECK(root_of(again) == to_hex(here.root));
  CHECK(uses_of(again, w.ids) == uses_of(*w.leader, w.ids));
  w.stop("two", again);
}

TEST_CASE("a copy that ended before it had dropped what came to it goes on when it is opened",
          "[log]") {
  used_world w;
  // A trim of some begins a segment: what the next one drops is in two of them.
  trim_options some;
  some.by = "host";
  some.before = seq_no{100};
  REQUIRE(code_of(w.leader->trim(some)) == "ok");
  {
    auto two = trim_follower_of(w, "two");
    REQUIRE(two.close());
  }
  const auto first_segment = [&] {
    std::vector<std::filesystem::path> segments;
    for (const auto& entry :
         std::filesystem::directory_iterator(journal_directory(w.site.at("two"))))
      segments.push_back(entry.path());
    REQUIRE(segments.size() > 1);
    return *std::ranges::min_element(segments);
  }();
  const auto bytes_of = [&] {
    std::ifstream in(first_segment, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string whole = bytes_of();
  use(*w.leader, 50);
  w.pass();
  trimmed(*w.leader);
  REQUIRE(trim_follower_of(w, "two").close());
  const std::string dropped = bytes_of();
  REQUIRE(dropped.size() < whole.size());
  // As if the power had gone before that segment was written anew: behind it the trim's work is
  // done, since those frames came from the log without what it drops.
  std::ofstream(first_segment, std::ios::binary) << whole;
  REQUIRE(trim_follower_of(w, "two").close());
  CHECK(bytes_of() == dropped);
  check_whole(w.site, "two");
  w.stop("one", *w.leader);
}

TEST_CASE("who takes the lead of a trimmed log trims it further", "[log]") {
  used_world w;
  auto two = trim_follower_of(w, "two", true);
  trimmed(*w.leader);
  const auto refused = two.trim({});
  CHECK_FALSE(refused);
  REQUIRE(w.leader->close());
  REQUIRE(comes_true([&] { return two.stats()->log->role == log_role::leader; }));
  use(two, 60);
  const auto done = trimmed(two);
  CHECK(done.dropped >= 60);
  const auto here = *two.position();
  w.leader.reset();
  auto o = w.options("one");
  o.follow = true;
  engine one = opened(o);
  REQUIRE(code_of(one.reach(here.seq)) == "ok");
  CHECK(root_of(one) == to_hex(here.root));
  CHECK(uses_of(one, w.ids) == uses_of(two, w.ids));
  w.stop("one", one);
  w.stop("two", two);
}

TEST_CASE("a trim that its leader did not finish in the log is finished when it leads again",
          "[log]") {
  const bool follows_first = GENERATE(false, true);
  CAPTURE(follows_first);
  used_world w;
  // The log takes the trim's entry, and is away behind that for as long as anybody asks.
  std::atomic<bool> is_away = false;
  REQUIRE(w.leader->close());
  auto o = w.options("one");
  const auto connect = o.logs;
  int connections = 0;
  o.logs = [&, connect](std::string_view address) -> result<std::shared_ptr<log_store>> {
    if (is_away) return fail(errc::busy, "the log is away");
    ++connections;
    return connect(address);
  };
  w.leader = opened(o);
  is_away = true; // for the connection that a trim makes of its own
  trim_options t;
  t.by = "host";
  const auto bytes = w.site.server.everything().size();
  const auto left = w.leader->trim(t);
  CHECK(code_of(left) == "outcome_unknown");
  CHECK(left.error().message.contains("opened next"));
  CHECK(w.site.server.everything().size() >= bytes);
  REQUIRE(note(*w.leader, "goes on"));
  REQUIRE(w.leader->close());
  CHECK(std::filesystem::exists(w.site.at("one") + "/TRIMMING"));
  is_away = false;
  o.follow = o.may_lead = follows_first;
  w.leader = opened(o);
  CHECK(comes_true([&] { return w.site.server.everything().size() < bytes; }));
  CHECK(connections > 2);
  w.stop("one", *w.leader);
}

TEST_CASE("a trim that was broken off here is finished here, whoever has led meanwhile", "[log]") {
  used_world w;
  REQUIRE(w.leader->close());
  auto o = w.options("one");
  o.follow = o.may_lead = true;
  w.leader = opened(o);
  const auto leads = [&] { return w.leader->stats()->log->role == log_role::leader; };
  REQUIRE(comes_true(leads));
  // A segment cannot be written anew, as on a full disk.
  std::string first;
  for (const auto& f : std::filesystem::directory_iterator(journal_directory(w.site.at("one"))))
    if (first.empty() || f.path().string() < first) first = f.path().string();
  std::filesystem::create_directory(first + ".new");
  trim_options t;
  t.by = "host";
  const auto bytes = w.site.server.everything().size();
  const auto local_bytes = w.leader->stats()->journal_bytes;
  const auto left = w.leader->trim(t);
  REQUIRE_FALSE(left);
  CHECK(left.error().message.contains("opened next"));
  // Somebody else leads, for a moment.
  w.site.server.pass(1h);
  const auto epoch = w.leader->stats()->log->epoch;
  const auto log = w.site.server.connect();
  while (log->claim({epoch}, "somebody", 0ms)->outcome == claim_outcome::held)
    w.site.server.pass(1h);
  REQUIRE(comes_true([&] { return w.leader->stats()->log->epoch > epoch + 1 && leads(); }));
  CHECK(comes_true([&] { return w.site.server.everything().size() < bytes; }));
  REQUIRE(w.leader->close());
  CHECK(std::filesystem::exists(w.site.at("one") + "/TRIMMING"));
  std::filesystem::remove(first + ".new");
  w.leader = opened(o);
  CHECK(w.leader->stats()->journal_bytes < local_bytes - local_bytes / 4);
  REQUIRE(comes_true(leads));
  CHECK(comes_true([&] { return !std::filesystem::exists(w.site.at("one") + "/TRIMMING"); }));
  w.stop("one", *w.leader);
}
