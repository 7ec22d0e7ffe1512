// A world whose journal is kept in a log: the directory is a copy, one process leads, and what was
// acknowledged is in the log whatever becomes of the directory.
// Of: actors/open_log.cpp, actors/lease_keeper.cpp, journal/log/log_copy.cpp, journal/journal.cpp
// Of: state/checkpoint/log_file.cpp
#include <filesystem>

#include "actors/lease_keeper.hpp"
#include "journal/log/faulty_log.hpp"
#include "journal/log/log_copy.hpp"
#include "journal/log/memory_log.hpp"
#include "mneme/retention.hpp"
#include "tests/actors/engine_site.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr const char* the_address = "memory://log";

class log_site_of_worlds {
public:
  memory_log_server server;
  std::shared_ptr<faulty_log> network; ///< of the last connection that leads
  temporary_directory root;

  [[nodiscard]] std::string at(const std::string& name) const { return root.path() + "/" + name; }

  [[nodiscard]] engine_options options(const std::string& name) {
    engine_options o;
    o.directory = at(name);
    o.seed = 1;
    o.embedder_spec = "none";
    o.log = the_address;
    o.logs = [this](std::string_view address) -> result<std::shared_ptr<log_store>> {
      if (address != the_address) return fail(errc::bad_value, "there is no such log");
      auto made = std::make_shared<faulty_log>(server.connect(), 1, log_faults{});
      // The first connection of an opening leads, the second one keeps the lease.
      if (network == nullptr) network = made;
      return made;
    };
    return o;
  }
  engine open(const std::string& name) {
    network = nullptr;
    return opened(options(name));
  }
  void lose(const std::string& name) { std::filesystem::remove_all(at(name)); }
  [[nodiscard]] std::size_t frames() { return server.connect()->read(0, 1000, 1 << 30)->size(); }
};

result<mutation_result> write(engine& e, const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = text;
  return e.apply(std::move(r));
}

std::string root_of(engine& e) {
  return to_hex(e.root()->overall);
}

template <class Answer>
std::string code_of(const result<Answer>& answer) {
  if (answer) return "ok";
  UNSCOPED_INFO(answer.error().message);
  return std::string(to_string(answer.error().code));
}

} // namespace

TEST_CASE("a directory that is lost is made again from its log", "[log]") {
  log_site_of_worlds site;
  std::string root;
  world_id id;
  {
    auto e = site.open("one");
    REQUIRE(write(e, "first"));
    REQUIRE(write(e, "second"));
    REQUIRE(e.checkpoint());
    REQUIRE(write(e, "third"));
    root = root_of(e);
    id = e.stats()->world;
    REQUIRE(e.close());
  }
  SECTION("the directory was lost") {
    site.lose("one");
  }
  SECTION("it was not") {
  }
  {
    auto e = site.open("one");
    CHECK(root_of(e) == root);
    CHECK(e.stats()->world == id);
    REQUIRE(write(e, "fourth"));
    root = root_of(e);
    REQUIRE(e.close());
  }
  // Elsewhere too, but not with other wishes than its founder had.
  site.network = nullptr;
  auto o = site.options("two");
  o.world_name = "another";
  CHECK(code_of(engine::open(o)) == "bad_value");
  o.world_name.clear();
  o.embedder_spec = "hash:64";
  const auto other = engine::open(o);
  CHECK(code_of(other) == "bad_value");
  CHECK(other.error().message.find("whose embedder is none") != std::string::npos);
  o.embedder_spec.reset();
  site.network = nullptr;
  auto e = opened(o);
  CHECK(root_of(e) == root);
  CHECK(e.stats()->world == id);
  REQUIRE(e.close());
  // The directory keeps the address.
  o.log.reset();
  o.create = false;
  auto third = opened(o);
  CHECK(root_of(third) == root);
}

TEST_CASE("what one directory lacks of what another led is fetched", "[log]") {
  log_site_of_worlds site;
  std::string root;
  for (int turn = 0; turn < 3; ++turn)
    for (const char* name : {"one", "two"}) {
      auto e = site.open(name);
      if (!root.empty()) CHECK(root_of(e) == root);
      REQUIRE(write(e, std::string(name) + std::to_string(turn)));
      if (turn == 1) REQUIRE(e.checkpoint());
      root = root_of(e);
      REQUIRE(e.close());
    }
  CHECK(site.server.connect()->tail()->epoch == log_epoch{6});
}

TEST_CASE("one process leads, and who is replaced writes nothing more", "[log]") {
  log_site_of_worlds site;
  auto one = site.open("one");
  REQUIRE(write(one, "first"));
  const auto second = engine::open(site.options("two"));
  CHECK(code_of(second) == "busy");
  site.network->cut_off(true);
  CHECK(code_of(write(one, "not now")) == "busy");
  // As if the first had stood still: its lease runs out.
  site.server.pass(std::chrono::hours{1});
  auto claimed = site.server.connect()->claim(log_epoch{1}, "somebody", std::chrono::hours{1});
  REQUIRE(claimed);
  REQUIRE(claimed->outcome == claim_outcome::granted);
  CHECK(one.stats()->log->away_ms);
  site.network->cut_off(false);
  const auto before = site.frames();
  const auto refused = write(one, "late");
  CHECK(code_of(refused) == "read_only");
  CHECK(refused.error().message.find("'somebody' leads it in epoch 2") != std::string::npos);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (one.stats()->log->leader != "somebody" && std::chrono::steady_clock::now() < until) {
  }
  const auto again = write(one, "later");
  CHECK(code_of(again) == "read_only");
  CHECK(again.error().message.find("'somebody' leads it in epoch 2") != std::string::npos);
  CHECK(one.stats()->log->leader == "somebody");
  CHECK(one.stats()->log->problem.contains("does not follow"));
  CHECK_FALSE(one.stats()->log->away_ms); // it has said so
  CHECK(one.root()->seq == seq_no{1});    // reads go on
  CHECK(site.frames() == before);
}

TEST_CASE("who loses the lead while it opens is told to open again", "[log]") {
  log_site_of_worlds site;
  {
    auto one = site.open("one");
    const auto written = write(one, "first");
    REQUIRE(written);
    erase_request r;
    r.by = "somebody";
    r.reason = "asked for";
    r.ids.push_back(written->uri->id);
    REQUIRE(one.erase(r));
    REQUIRE(one.close());
  }
  // What an opening leader has to say first is that the erasure is done.
  site.network = nullptr;
  engine_options o = site.options("two");
  o.logs = [&, connect = o.logs, connections = 0](std::string_view address) mutable {
    if (++connections == 2) { // it has claimed, and is to keep the lease
      site.server.pass(std::chrono::hours{1});
      const auto log = site.server.connect();
      const auto claimed = log->claim(log->tail()->epoch, "somebody", std::chrono::milliseconds{1});
      REQUIRE((claimed && claimed->outcome == claim_outcome::granted));
    }
    return connect(address);
  };
  const auto refused = engine::open(std::move(o));
  CHECK(code_of(refused) == "busy");
  CHECK(refused.error().message.contains("open it again"));
  CHECK(refused.error().message.contains("'somebody' leads it"));
  site.server.pass(std::chrono::hours{1});
  auto two = site.open("two");
  CHECK(code_of(write(two, "second")) == "ok");
}

TEST_CASE("the lease of an engine that has stopped is let go of", "[log]") {
  memory_log_server server;
  const auto log = server.connect();
  REQUIRE(log->create("w"));
  const auto claimed = log->claim(log_epoch{}, "one", std::chrono::hours{1});
  REQUIRE((claimed && claimed->outcome == claim_outcome::granted));
  const auto standing =
      std::make_shared<log_standing>([] { return std::int64_t{0}; }, log_role::leader, false);
  const lease_keeper keeper(server.connect(), claimed->epoch, std::chrono::milliseconds{30},
                            standing);
  const auto may_claim = [&] {
    const auto answer = log->claim(claimed->epoch, "two", std::chrono::hours{1});
    return answer && answer->outcome == claim_outcome::granted;
  };
  CHECK_FALSE(may_claim());
  standing->halt({errc::io, "the disk is broken", {}});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  bool has_claimed = false;
  while (!has_claimed && std::chrono::steady_clock::now() < until) has_claimed = may_claim();
  CHECK(has_claimed);
}

TEST_CASE("while the log is away writes are busy and reads go on", "[log]") {
  log_site_of_worlds site;
  auto e = site.open("one");
  REQUIRE(write(e, "first"));
  const auto root = root_of(e);
  site.network->cut_off(true);
  for (int i = 0; i < 3; ++i) {
    const auto refused = write(e, "not now");
    CHECK(code_of(refused) == "busy");
    CHECK(refused.error().message.find("nothing was written") != std::string::npos);
  }
  CHECK(root_of(e) == root);
  CHECK(e.checkpoint());
  site.network->cut_off(false);
  CHECK(code_of(write(e, "second")) == "ok");
  CHECK_FALSE(e.stats()->log->is_cut_off);
  CHECK_FALSE(e.stats()->log->away_ms);
  site.network->cut_off(true);
  CHECK(code_of(e.close()) == "ok");
  CHECK(site.frames() == 2);
}

TEST_CASE("lost and doubled answers lose no write and make none twice", "[log]") {
  log_site_of_worlds site;
  auto e = site.open("one");
  site.network->change(
      {.away = 50, .lost_request = 50, .lost_answer = 80, .doubled = 100, .late = 50});
  std::size_t taken = 0;
  for (int i = 0; i < 60; ++i) {
    const auto written = write(e, std::to_string(i));
    if (written) ++taken;
    if (!written) CHECK(code_of(written) == "busy");
  }
  CHECK(taken > 30);
  site.network->deliver_late();
  CHECK(e.root()->seq.value == taken);
  CHECK(site.server.connect()->tail()->last_seq.value == taken);
  site.network->change({});
  const auto root = root_of(e);
  REQUIRE(e.close());
  site.lose("one");
  auto again = site.open("one");
  CHECK(root_of(again) == root);
}

TEST_CASE("an erasure reaches the log, and copies that were away", "[log]") {
  log_site_of_worlds site;
  {
    auto two = site.open("two");
    REQUIRE(write(two, "kept"));
    REQUIRE(two.close());
  }
  std::string root;
  memory_id secret;
  {
    auto one = site.open("one");
    const auto written = write(one, "erase-me-everywhere");
    REQUIRE(written);
    secret = written->uri->id;
    REQUIRE(one.close());
  }
  {
    auto two = site.open("two"); // has it in its copy
    REQUIRE(two.checkpoint());
    REQUIRE(two.close());
  }
  const auto in_files = [&](const std::string& name) {
    std::size_t found = 0;
    for (const auto& f : std::filesystem::recursive_directory_iterator(site.at(name))) {
      if (!f.is_regular_file()) continue;
      auto bytes = read_file(*make_posix_file_system(), f.path().string());
      if (bytes && bytes->contains("erase-me-everywhere")) ++found;
    }
    return found;
  };
  REQUIRE(in_files("two") > 0);
  {
    auto one = site.open("one");
    erase_request r;
    r.by = "somebody";
    r.reason = "asked for";
    r.ids.push_back(secret);
    REQUIRE(site.server.everything().contains("erase-me-everywhere"));
    const auto erased = one.erase(r);
    CHECK(code_of(erased) == "ok");
    CHECK_FALSE(site.server.everything().contains("erase-me-everywhere"));
    root = root_of(one);
    REQUIRE(one.close());
  }
  CHECK(in_files("one") == 0);
  auto two = site.open("two");
  CHECK(root_of(two) == root);
  CHECK(in_files("two") == 0);
}

TEST_CASE("an erasure that the log cannot end ends nothing else", "[log]") {
  log_site_of_worlds site;
  auto one = site.open("one");
  const auto erased = [&](const std::string& text) {
    const auto written = write(one, text);
    REQUIRE(written);
    erase_request r;
    r.by = "somebody";
    r.reason = "asked for";
    r.ids.push_back(written->uri->id);
    return r;
  };
  const auto first = erased("read since before");
  site.server.read_since_before(true);
  const auto kept = one.erase(first);
  CHECK(code_of(kept) == "outcome_unknown");
  CHECK(kept.error().message.contains("erase again"));
  CHECK_FALSE(site.server.everything().contains("read since before"));
  CHECK(code_of(write(one, "goes on")) == "ok");
  CHECK(code_of(one.erase(first)) == "busy");
  CHECK(code_of(write(one, "goes on still")) == "ok");
  SECTION("it is asked for again") {
    site.server.read_since_before(false);
    const auto again = one.erase(first);
    REQUIRE(code_of(again) == "ok");
    CHECK_FALSE(again->changed);
  }
  SECTION("so does another process that leads") {
    REQUIRE(one.close());
    one = site.open("two");
    CHECK(code_of(write(one, "another")) == "ok");
    CHECK(code_of(one.erase(first)) == "ok"); // the last entries do not erase: nothing is owed
    const auto second = erased("read since before, too");
    CHECK(code_of(one.erase(second)) == "outcome_unknown");
    REQUIRE(one.close());
    one = site.open("three");
    CHECK(code_of(one.erase(second)) == "busy");
    site.server.read_since_before(false);
    CHECK(code_of(one.erase(second)) == "ok");
  }
}

TEST_CASE("a copy is opened with its log alone, and with no other", "[log]") {
  log_site_of_worlds site;
  {
    auto e = site.open("one");
    REQUIRE(write(e, "first"));
    REQUIRE(e.close());
  }
  auto o = site.options("one");
  o.log = "memory://another";
  CHECK(code_of(engine::open(o)) == "bad_value");
  o.log.reset();
  o.logs = {};
  const auto without = engine::open(o);
  CHECK(code_of(without) == "unsupported");
  CHECK(without.error().message.find("on a log") != std::string::npos);
  trim_options trim;
  trim.by = trim.reason = "somebody";
  CHECK(code_of(trim_world(site.at("one"), trim)) == "unsupported");
  CHECK(code_of(rewind_world(site.at("one"), seq_no{1}, {})) == "unsupported");
  // A world that was made on no log stays on none.
  engine_options local;
  local.directory = site.at("local");
  local.embedder_spec = "none";
  REQUIRE(opened(local).close());
  local.log = the_address;
  local.logs = site.options("x").logs;
  CHECK(code_of(engine::open(local)) == "unsupported");
  // A fork is a world of its own, in its directory alone.
  REQUIRE(fork_world(site.at("one"), site.at("fork"), {}));
  engine_options fork;
  fork.directory = site.at("fork");
  auto e = opened(fork);
  CHECK(code_of(write(e, "of the fork")) == "ok");
  CHECK(site.server.connect()->tail()->last_seq == seq_no{1});
  REQUIRE(e.close());
  // And what is erased of the log's world is erased there.
  auto leader = site.open("one");
  list_request all;
  const auto there = leader.list(all);
  REQUIRE(there);
  erase_request r;
  r.by = r.reason = "asked for";
  r.ids.push_back(there->memories.front().head->id);
  r.with_branches = true;
  const auto erased = leader.erase(r);
  REQUIRE(code_of(erased) == "ok");
  REQUIRE(erased->in_branches.size() == 1);
  INFO(erased->in_branches.front().note);
  CHECK(erased->in_branches.front().outcome == branch_outcome::erased);
}

TEST_CASE("a log that was rolled back is not followed", "[log]") {
  log_site_of_worlds site;
  {
    auto e = site.open("one");
    REQUIRE(write(e, "first"));
    REQUIRE(write(e, "second"));
    REQUIRE(e.close());
  }
  site.server.roll_back(1);
  const auto refused = engine::open(site.options("one"));
  CHECK(code_of(refused) == "corrupt");
  INFO(refused.error().message);
  for (const char* said : {"rolled back", "in epoch 2 at seq 1", "seq 2", "join anew"})
    CHECK(refused.error().message.find(said) != std::string::npos);
}
