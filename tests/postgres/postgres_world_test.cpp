// A world kept in a log in PostgreSQL, on a server that the test starts and kills.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <iostream>
#include <thread>

#include <catch2/catch.hpp>
#include <libpq-fe.h>

#include "journal/log/log_leader.hpp"
#include "mneme/engine.hpp"
#include "mneme/postgres_log.hpp"
#include "mneme/retention.hpp"
#include "tests/journal/log/log_rules.hpp"
#include "tests/postgres/postgres_cluster.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

engine world_on(const std::string& address, const std::string& directory,
                std::shared_ptr<mneme::clock> time = nullptr) {
  engine_options o;
  o.clock = std::move(time);
  o.directory = directory;
  o.embedder_spec = "none";
  o.log = address;
  o.logs = make_postgres_log;
  auto e = engine::open(std::move(o));
  if (!e) FAIL(e.error().message);
  return std::move(*e);
}

result<mutation_result> note(engine& e, const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = text;
  return e.apply(std::move(r));
}

/// In microseconds, of so many calls.
double median_of(int times, const std::function<void()>& call) {
  std::vector<double> took;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    took.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::ranges::sort(took);
  return took[took.size() / 2];
}

/// A conditional append of nobody's: libpq and two statements of one transaction, prepared.
class raw_session {
public:
  explicit raw_session(postgres_cluster& cluster)
      : connection_(PQconnectdb(
            ("host=" + cluster.directory() + " user=postgres dbname=postgres").c_str())) {
    cluster.run("CREATE TABLE raw_tail (n bigint)");
    cluster.run("INSERT INTO raw_tail VALUES (0)");
    cluster.run("CREATE TABLE raw_frame (n bigint PRIMARY KEY, bytes text)");
    PQclear(PQprepare(connection_, "a",
                      "WITH moved AS (UPDATE raw_tail SET n = n + 1 WHERE n = $1::bigint"
                      " RETURNING n) INSERT INTO raw_frame SELECT n, $2::text FROM moved",
                      2, nullptr));
  }
  ~raw_session() { PQfinish(connection_); }
  raw_session(const raw_session&) = delete;
  raw_session& operator=(const raw_session&) = delete;

  void append(const std::string& bytes) {
    const std::string at = std::to_string(at_++);
    const char* const values[2]{at.c_str(), bytes.c_str()};
    PGresult* const done = PQexecPrepared(connection_, "a", 2, values, nullptr, nullptr, 0);
    REQUIRE(std::string(PQcmdTuples(done)) == "1");
    PQclear(done);
  }

private:
  PGconn* connection_;
  std::uint64_t at_ = 0;
};

} // namespace

TEST_CASE("a world in PostgreSQL is the same in another directory", "[postgres]") {
  const auto address = shared_cluster().address(fresh_log());
  temporary_directory root;
  digest before;
  {
    auto e = world_on(address, root.path() + "/one");
    for (int i = 0; i < 20; ++i) REQUIRE(note(e, "note " + std::to_string(i)));
    REQUIRE(e.checkpoint());
    REQUIRE(note(e, "the last"));
    before = e.root()->overall;
    REQUIRE(e.close());
  }
  std::filesystem::remove_all(root.path() + "/one");
  auto e = world_on(address, root.path() + "/two");
  CHECK(e.root()->overall == before);
  CHECK(e.root()->seq == seq_no{21});
}

TEST_CASE("a world in PostgreSQL is trimmed, and made again of what is left", "[postgres]") {
  const auto name = fresh_log();
  const auto address = shared_cluster().address(name);
  temporary_directory root;
  auto time = std::make_shared<manual_clock>(timestamp{946'684'800'000'000'000});
  digest before;
  trim_options how;
  how.by = "host";
  {
    auto e = world_on(address, root.path() + "/one", time);
    REQUIRE(note(e, "used"));
    find_request find;
    find.types = {memory_type::note};
    find.limit = 5;
    find.late_binding = true;
    for (int i = 0; i < 100; ++i) REQUIRE(e.find(find));
    time->set({time->now().ns + 3'600'000'000'000});
    const auto done = e.trim(how);
    INFO((done ? std::string() : done.error().message));
    REQUIRE(done);
    CHECK(done->dropped == 100);
    REQUIRE(note(e, "behind it"));
    before = e.root()->overall;
    REQUIRE(e.close());
  }
  std::filesystem::remove_all(root.path() + "/one");
  std::size_t lack = 0;
  const auto left = (*make_postgres_log(address))->read(0, 1000, 1ULL << 30);
  REQUIRE(left);
  for (const auto& frame : *left)
    if (check_log_frame(frame)->trimmed_by.value != 0) ++lack;
  CHECK(lack == 100);
  auto e = world_on(address, root.path() + "/two", time);
  CHECK(e.root()->overall == before);
  // Programs from before do not read it, and are told so.
  CHECK(shared_cluster().run("SELECT format FROM mneme.log WHERE name = '" + name + "'") == "2");
}

TEST_CASE("what was acknowledged outlives the server's crashes and the directory", "[postgres]") {
  postgres_cluster cluster;
  const auto address = cluster.address("main");
  temporary_directory root;
  std::uint64_t acknowledged = 0;
  for (int turn = 0; turn < 3; ++turn) {
    auto e = world_on(address, root.path() + "/world");
    REQUIRE(e.root()->seq.value >= acknowledged);
    for (int i = 0; i < 10; ++i) REQUIRE(note(e, std::to_string(turn) + "." + std::to_string(i)));
    acknowledged = e.root()->seq.value;
    cluster.stop("kill");
    // Nobody says yes while it is gone, and what is there can be read.
    CHECK(e.root()->seq.value == acknowledged);
    cluster.start();
    // The session was lost before anything was sent, or the answer is looked for.
    auto written = note(e, "behind the crash");
    if (!written && written.error().code == errc::busy) written = note(e, "behind the crash");
    INFO((written ? std::string() : written.error().message));
    REQUIRE(written);
    acknowledged = e.root()->seq.value;
    (void)e.close();
    std::filesystem::remove_all(root.path() + "/world");
  }
  auto e = world_on(address, root.path() + "/world");
  CHECK(e.root()->seq.value == acknowledged);
}

TEST_CASE("a leader refuses writes while the server's settings lose commits", "[postgres]") {
  temporary_directory root;
  auto e = world_on(shared_cluster().address(fresh_log()), root.path() + "/world");
  REQUIRE(note(e, "before"));
  CHECK_FALSE(e.stats()->log->is_cut_off);
  shared_cluster().set("fsync", "off");
  const auto refused = note(e, "not kept");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::unsupported);
  CHECK(refused.error().message.find("fsync = off") != std::string::npos);
  CHECK(e.checkpoint());
  const auto log = e.stats()->log;
  CHECK(log->role == log_role::leader);
  CHECK(log->is_cut_off);
  CHECK(log->away_ms);
  CHECK_FALSE(log->lag_seqs);
  CHECK(log->problem.find("fsync = off") != std::string::npos);
  shared_cluster().set("fsync", "on");
  const auto written = note(e, "after");
  INFO((written ? std::string() : written.error().message));
  CHECK(written);
  CHECK_FALSE(e.stats()->log->is_cut_off);
  CHECK(e.stats()->log->problem.empty());
  CHECK(e.root()->seq == seq_no{2});
}

TEST_CASE("a leader whose right to append is gone says so until it is back", "[postgres]") {
  const auto name = fresh_log();
  temporary_directory root;
  world_on(shared_cluster().address(name), root.path() + "/founded");
  for (const char* statement :
       {"CREATE ROLE appends LOGIN", "GRANT USAGE ON SCHEMA mneme TO appends",
        "GRANT SELECT, INSERT, UPDATE ON mneme.log TO appends",
        "GRANT SELECT, INSERT ON mneme.frame, mneme.blob TO appends"})
    shared_cluster().run(statement);
  auto e = world_on(shared_cluster().address(name, "appends"), root.path() + "/world");
  REQUIRE(note(e, "before"));
  shared_cluster().run("REVOKE INSERT ON mneme.frame FROM appends");
  const auto refused = note(e, "not kept");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::unsupported);
  // Its lease is renewed all the same.
  std::promise<void>().get_future().wait_for(std::chrono::milliseconds{1000});
  CHECK(e.stats()->log->is_cut_off);
  CHECK(e.stats()->log->away_ms);
  CHECK_FALSE(e.stats()->log->problem.empty());
  shared_cluster().run("GRANT INSERT ON mneme.frame TO appends");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (e.stats()->log->is_cut_off && std::chrono::steady_clock::now() < until)
    std::promise<void>().get_future().wait_for(std::chrono::milliseconds{20});
  CHECK_FALSE(e.stats()->log->is_cut_off);
  CHECK(note(e, "after"));
  // Nor does it end where a relation is not there for a while.
  shared_cluster().run("ALTER TABLE mneme.frame RENAME TO elsewhere");
  const auto gone = note(e, "nowhere");
  shared_cluster().run("ALTER TABLE mneme.elsewhere RENAME TO frame");
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == errc::busy);
  const auto back = note(e, "again");
  INFO((back ? std::string() : back.error().message));
  CHECK(back);
  REQUIRE(e.close());
  // Damage of the log is told as that, and by a row that lacks its payloads, too.
  shared_cluster().run("UPDATE mneme.frame SET payloads = NULL WHERE log = '" + name
                       + "' AND at = (SELECT max(at) FROM mneme.frame WHERE log = '" + name
                       + "' AND octet_length(payloads) > 0)");
  engine_options o;
  o.directory = root.path() + "/joins";
  o.embedder_spec = "none";
  o.log = shared_cluster().address(name);
  o.logs = make_postgres_log;
  const auto joined = engine::open(std::move(o));
  REQUIRE_FALSE(joined);
  CHECK(joined.error().code == errc::corrupt);
  INFO(joined.error().message);
  CHECK(joined.error().message.starts_with("the log '" + name + "' has a frame "));
  shared_cluster().run("REVOKE ALL ON mneme.log, mneme.frame, mneme.blob FROM appends");
  shared_cluster().run("REVOKE ALL ON SCHEMA mneme FROM appends");
  shared_cluster().run("DROP ROLE appends");
}

TEST_CASE("an erasure beside an older transaction is busy, and nothing has changed", "[postgres]") {
  postgres_cluster cluster;
  const auto address = cluster.address("main");
  temporary_directory root;
  auto e = world_on(address, root.path() + "/world");
  const auto written = note(e, "to be erased");
  REQUIRE(written);
  PGconn* const reader =
      PQconnectdb(("host=" + cluster.directory() + " user=postgres dbname=postgres").c_str());
  PQclear(PQexec(reader, "BEGIN ISOLATION LEVEL REPEATABLE READ"));
  PQclear(PQexec(reader, "SELECT count(*) FROM mneme.frame"));
  erase_request r;
  r.by = "somebody";
  r.reason = "asked for";
  r.ids.push_back(written->uri->id);
  const auto busy = e.erase(r);
  REQUIRE_FALSE(busy);
  CHECK(busy.error().code == errc::busy);
  CHECK(e.root()->seq == seq_no{1});
  CHECK(note(e, "goes on"));
  PQclear(PQexec(reader, "COMMIT"));
  PQfinish(reader);
  const auto erased = e.erase(r);
  INFO((erased ? std::string() : erased.error().message));
  CHECK(erased);
  CHECK(note(e, "and on"));
}

// By hand: how far a follower is behind one who writes all the time, and how fast it replays.
TEST_CASE("what following costs", "[.measure]") {
  postgres_cluster cluster({}, 5432, true);
  const auto address = cluster.address("world");
  temporary_directory root;
  auto leader = world_on(address, root.path() + "/one");
  const std::string text(700, 'x');
  REQUIRE(note(leader, text));
  engine_options o;
  o.directory = root.path() + "/two";
  o.log = address;
  o.logs = make_postgres_log;
  o.follow = true;
  auto opened = engine::open(o);
  if (!opened) FAIL(opened.error().message);
  using clock = std::chrono::steady_clock;
  constexpr int writes = 3000;
  std::vector<clock::time_point> there(writes + 2);
  std::thread reader([&] {
    for (std::uint64_t seq = 2; seq < there.size(); ++seq) {
      if (!opened->reach(seq_no{seq}, 60'000)) return;
      there[seq] = clock::now();
    }
  });
  std::vector<double> lags;
  std::vector<clock::time_point> acknowledged(writes + 2);
  const auto began = clock::now();
  for (int i = 0; i < writes; ++i) {
    const auto written = note(leader, text + std::to_string(i));
    REQUIRE(written);
    acknowledged[written->seq.value] = clock::now();
  }
  const std::chrono::duration<double> wrote = clock::now() - began;
  reader.join();
  for (std::size_t seq = 2; seq < there.size(); ++seq)
    lags.push_back(
        std::chrono::duration<double, std::milli>(there[seq] - acknowledged[seq]).count());
  std::ranges::sort(lags);
  std::cout << "leader " << writes / wrote.count() << " writes/s, follower behind by "
            << lags[lags.size() / 2] << " ms (p50), " << lags[lags.size() * 99 / 100]
            << " ms (p99), " << lags.back() << " ms (most)\n";
  REQUIRE(opened->close());
  const std::uint64_t from = leader.root()->seq.value;
  o.directory = root.path() + "/three";
  const auto joins = clock::now();
  auto three = engine::open(o);
  REQUIRE(three);
  const std::chrono::duration<double> joined = clock::now() - joins;
  std::cout << "a join of " << from
            << " frames from nothing: " << static_cast<double>(from) / joined.count()
            << " frames/s\n";
}

// By hand: on the disk, what an append costs through each layer, in turns over one server.
TEST_CASE("what an append costs", "[.measure]") {
  postgres_cluster cluster({}, 5432, true);
  const auto raw_name = fresh_log();
  auto raw = make_postgres_log(cluster.address(raw_name));
  REQUIRE(raw);
  REQUIRE((*raw)->create("w"));
  auto leader = log_leader::claim(*make_postgres_log(cluster.address(raw_name)),
                                  {.holder = "one", .lease = std::chrono::milliseconds{60'000}});
  REQUIRE(leader);
  temporary_directory root;
  auto e = world_on(cluster.address("world"), root.path() + "/world");
  const std::string text(700, 'x');
  raw_session plain(cluster);
  for (int turn = 0; turn < 5; ++turn) {
    const double by_hand = median_of(200, [&] { plain.append(std::string(1024, 'x')); });
    const double by_leader = median_of(200, [&] {
      REQUIRE((*leader)->append(frame_behind((*leader)->tail(), {std::string(1024, 'x')})));
    });
    const double by_engine = median_of(200, [&] { REQUIRE(note(e, text)); });
    std::cout << "raw " << by_hand << " us, leader " << by_leader << " us, engine " << by_engine
              << " us\n";
  }
}
