// A log in PostgreSQL, on a server that the test starts: the rules of every log, and what happens
// when the server stops, stands still, is killed, or is not to be trusted.
// Of: postgres/connection.cpp, postgres/schema.cpp
#include "postgres/postgres_log.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include <catch2/catch.hpp>

#include "journal/log/log_leader.hpp"
#include "mneme/postgres_log.hpp"
#include "tests/journal/log/log_rules.hpp"
#include "tests/postgres/answer_thief.hpp"
#include "tests/postgres/postgres_cluster.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

using std::chrono::milliseconds;

std::shared_ptr<log_store> log_at(const std::string& address) {
  auto log = make_postgres_log(address);
  REQUIRE(log);
  return std::move(*log);
}

/// Whether any file of the database, without its write-ahead log, has these bytes.
bool is_on_disk(postgres_cluster& cluster, const std::string& bytes) {
  cluster.run("CHECKPOINT");
  for (const auto& file : std::filesystem::recursive_directory_iterator(cluster.data() + "/base")) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(in), {});
    if (content.find(bytes) != std::string::npos) return true;
  }
  return false;
}

class postgres_site final : public log_site {
public:
  std::shared_ptr<log_store> connect() override { return log_at(shared_cluster().address(name_)); }
  void pass(milliseconds time) override {
    shared_cluster().run("UPDATE mneme.log SET lease_until = lease_until - interval '"
                         + std::to_string(time.count()) + " ms' WHERE name = '" + name_ + "'");
  }
  bool holds(const std::string& bytes) override { return is_on_disk(shared_cluster(), bytes); }

private:
  std::string name_ = fresh_log();
};

/// Of a server that does not answer soon.
std::shared_ptr<log_store> hasty_log_at(const std::string& address) {
  auto at = parse_postgres_address(address);
  REQUIRE(at);
  return postgres_log_at(*at, {.connect = milliseconds{2000}, .answer = milliseconds{250}});
}

std::unique_ptr<log_leader> leader_of(const std::string& address) {
  auto leader = log_leader::claim(log_at(address),
                                  {.holder = "one", .lease = milliseconds{60'000}, .attempts = 4});
  INFO((leader ? std::string() : leader.error().message));
  REQUIRE(leader);
  return std::move(*leader);
}

std::size_t frames_of(const std::string& address) {
  auto frames = log_at(address)->read(0, 1000, 1ULL << 30);
  INFO((frames ? std::string() : frames.error().message));
  REQUIRE(frames);
  return frames->size();
}

std::string code_of(const auto& outcome) {
  if (outcome) return "ok";
  UNSCOPED_INFO(outcome.error().message);
  return std::string(to_string(outcome.error().code));
}

} // namespace

TEST_CASE("a log in PostgreSQL keeps the rules of every log", "[postgres]") {
  for (const auto& rule : log_rules()) {
    DYNAMIC_SECTION(rule.says) {
      postgres_site site;
      rule.check(site);
    }
  }
}

TEST_CASE("a database that was never used for logs has none", "[postgres]") {
  shared_cluster().run("DROP DATABASE IF EXISTS empty");
  shared_cluster().run("CREATE DATABASE empty");
  auto address = shared_cluster().address("main");
  address.replace(address.find("/postgres#"), 10, "/empty#");
  auto log = log_at(address);
  CHECK(code_of(log->tail()) == "not_found");
  CHECK(code_of(log->founding()) == "not_found");
  CHECK(code_of(log->read(0, 1, 1)) == "not_found");
  CHECK(code_of(log->get_blob(digest{})) == "not_found");
  CHECK(code_of(log->put_blob("x")) == "not_found");
  CHECK(code_of(log->create("w")) == "ok");
  CHECK(code_of(log->tail()) == "ok");
}

TEST_CASE("a schema of that name that is another's is left as it is", "[postgres]") {
  shared_cluster().run("DROP DATABASE IF EXISTS anothers");
  shared_cluster().run("CREATE DATABASE anothers");
  auto address = shared_cluster().address("main");
  address.replace(address.find("/postgres#"), 10, "/anothers#");
  postgres_connection owner(parse_postgres_address(address)->database, {});
  const auto says = [&](const std::string& statement) {
    REQUIRE(owner.run(statement, {}, sql_kind::change));
  };
  says("CREATE SCHEMA mneme");
  says("CREATE TABLE mneme.log (name text PRIMARY KEY, frames integer, said text)");
  for (const bool has_blob : {false, true}) {
    if (has_blob) says("CREATE TABLE mneme.blob (id bigint)");
    auto log = log_at(address);
    CHECK(code_of(log->create("w")) == "format_unsupported");
    CHECK(code_of(log->founding()) == "format_unsupported");
    const auto tail = log->tail();
    CHECK(code_of(tail) == "format_unsupported");
    CHECK(tail.error().message.find("schema 'mneme'") != std::string::npos);
  }
}

TEST_CASE("logs of one database do not know each other", "[postgres]") {
  const auto one = shared_cluster().address(fresh_log());
  const auto two = shared_cluster().address(fresh_log());
  REQUIRE(log_at(one)->create("1"));
  REQUIRE(log_at(two)->create("2"));
  auto leader = leader_of(one);
  REQUIRE(leader->append(frame_behind(leader->tail(), {"a"})));
  CHECK(frames_of(two) == 0);
  CHECK(log_at(two)->tail()->epoch == log_epoch{0});
  REQUIRE(log_at(two)->put_blob("blob of the second"));
  const std::vector<seq_no> seqs{{1}};
  REQUIRE(leader->erase(seqs));
  CHECK(log_at(two)->get_blob(*log_at(two)->put_blob("blob of the second")));
}

TEST_CASE("a log of another format is not touched", "[postgres]") {
  const auto name = fresh_log();
  auto log = log_at(shared_cluster().address(name));
  REQUIRE(log->create("w"));
  shared_cluster().run("UPDATE mneme.log SET format = 3 WHERE name = '" + name + "'");
  CHECK(code_of(log->tail()) == "format_unsupported");
  CHECK(code_of(log_leader::claim(log, {.holder = "one"})) == "format_unsupported");
}

TEST_CASE("a server whose commits are not on its disk is refused", "[postgres]") {
  const auto address = shared_cluster().address(fresh_log());
  REQUIRE(log_at(address)->create("w"));
  shared_cluster().run("CREATE ROLE careless SUPERUSER LOGIN");
  shared_cluster().run("ALTER ROLE careless SET synchronous_commit = off");
  const auto name = address.substr(address.find('#') + 1);
  const auto refused = log_at(shared_cluster().address(name, "careless"))->tail();
  CHECK(code_of(refused) == "unsupported");
  CHECK(refused.error().message.find("synchronous_commit = off") != std::string::npos);
  // A session that is there keeps what it was checked with.
  auto log = log_at(address);
  REQUIRE(log->tail());
  shared_cluster().run("ALTER SYSTEM SET synchronous_commit = off");
  shared_cluster().run("SELECT pg_reload_conf()");
  auto leader = log_leader::claim(log, {.holder = "one"});
  REQUIRE(leader);
  CHECK((*leader)->append(frame_behind((*leader)->tail(), {"a"})));
  shared_cluster().run("ALTER SYSTEM RESET synchronous_commit");
  shared_cluster().run("SELECT pg_reload_conf()");
  shared_cluster().run("DROP ROLE careless");
}

TEST_CASE("a server without fsync, or without whole pages, is refused", "[postgres]") {
  const auto address = shared_cluster().address(fresh_log());
  REQUIRE(log_at(address)->create("w"));
  auto leader = leader_of(address);
  for (const std::string setting : {"fsync", "full_page_writes"}) {
    REQUIRE(leader->append(frame_behind(leader->tail(), {"before"})));
    shared_cluster().set(setting, "off");
    const auto refused = log_at(shared_cluster().address(fresh_log()))->create("w");
    CHECK(code_of(refused) == "unsupported");
    CHECK(refused.error().message.find(setting + " = off") != std::string::npos);
    // A session that is there hears of it, and writes nothing.
    const auto frame = frame_behind(leader->tail(), {setting});
    CHECK(code_of(leader->append(frame)) == "unsupported");
    CHECK(code_of(leader->renew()) == "unsupported");
    shared_cluster().set(setting, "on");
    CHECK(code_of(leader->append(frame)) == "ok");
    CHECK(code_of(leader->renew()) == "ok");
  }
  // A renewal that changes nothing, while nobody else leads, is not the end of a lead.
  shared_cluster().run("CREATE RULE none AS ON UPDATE TO mneme.log DO INSTEAD NOTHING");
  CHECK(code_of(leader->store().renew(leader->epoch(), milliseconds{60'000})) == "busy");
  shared_cluster().run("DROP RULE none ON mneme.log");
  CHECK(frames_of(address) == 4);
  // Nor one whose crash empties the log.
  shared_cluster().run("ALTER TABLE mneme.blob SET UNLOGGED");
  CHECK(code_of(log_at(address)->tail()) == "unsupported");
  shared_cluster().run("ALTER TABLE mneme.blob SET LOGGED");
}

TEST_CASE("a commit that no standby has is refused where one is to have it", "[postgres]") {
  const auto name = fresh_log();
  REQUIRE(log_at(shared_cluster().address(name))->create("w"));
  shared_cluster().run("CREATE ROLE local SUPERUSER LOGIN");
  shared_cluster().run("ALTER ROLE local SET synchronous_commit = local");
  auto leader = leader_of(shared_cluster().address(name, "local"));
  REQUIRE(leader->append(frame_behind(leader->tail(), {"nobody else is to have it"})));
  shared_cluster().set("synchronous_standby_names", "nobody");
  const auto refused = log_at(shared_cluster().address(name, "local"))->tail();
  CHECK(code_of(refused) == "unsupported");
  CHECK(refused.error().message.find("synchronous_standby_names = 'nobody'") != std::string::npos);
  CHECK(code_of(leader->append(frame_behind(leader->tail(), {"not here"}))) == "unsupported");
  shared_cluster().set("synchronous_standby_names", "");
  CHECK(code_of(leader->append(frame_behind(leader->tail(), {"again"}))) == "ok");
  shared_cluster().run("DROP ROLE local");
}

TEST_CASE("a log is reached over TLS, and only with the certificate that was given", "[postgres]") {
  const int port = free_port();
  postgres_cluster cluster({}, port);
  const auto certificate = cluster.offer_tls();
  cluster.run("SET password_encryption = 'scram-sha-256'; CREATE ROLE leader LOGIN PASSWORD 'pw'");
  cluster.run("GRANT CREATE ON DATABASE postgres TO leader");
  const auto over = [&](const std::string& password, const std::string& mode,
                        const std::string& root) {
    return log_at("postgresql://leader:" + password + "@127.0.0.1:" + std::to_string(port)
                  + "/postgres?sslmode=" + mode + "&sslrootcert=" + root);
  };
  CHECK(code_of(over("pw", "verify-full", certificate)->create("w")) == "ok");
  CHECK(code_of(over("pw", "verify-full", certificate)->tail()) == "ok");
  const auto other = cluster.data() + "/PG_VERSION";
  CHECK(code_of(over("pw", "verify-full", other)->tail()) == "bad_value");
  CHECK(code_of(over("pw", "hardly", certificate)->tail()) == "bad_value");
  auto without = std::string("postgresql://leader@127.0.0.1:") + std::to_string(port)
                 + "/postgres?passfile=/nonexistent&sslmode=require";
  CHECK(code_of(log_at(without)->tail()) == "bad_value");
  CHECK(code_of(over("pw", "disable", certificate)->tail()) == "bad_value");
  const auto refused = over("wrong", "verify-full", certificate)->tail();
  CHECK(code_of(refused) == "bad_value");
  CHECK(refused.error().message.find("wrong") == std::string::npos);
}

TEST_CASE("a session that is ended under an append is no end of the leader", "[postgres]") {
  const auto address = shared_cluster().address(fresh_log());
  REQUIRE(log_at(address)->create("w"));
  auto leader = leader_of(address);
  for (int i = 0; i < 5; ++i) {
    REQUIRE(leader->append(frame_behind(leader->tail(), {std::to_string(i)})));
    shared_cluster().run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                         " WHERE application_name = 'mneme'");
  }
  REQUIRE(leader->append(frame_behind(leader->tail(), {"last"})));
  CHECK(frames_of(address) == 6);
}

TEST_CASE("a session that ends before the commit leaves nothing", "[postgres]") {
  const auto name = fresh_log();
  const auto address = shared_cluster().address(name);
  REQUIRE(log_at(address)->create("w"));
  auto leader = leader_of(address);
  // A deferred trigger is the last that happens before a commit.
  shared_cluster().run("CREATE FUNCTION fall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                       " PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$");
  shared_cluster().run("CREATE CONSTRAINT TRIGGER falls AFTER INSERT ON mneme.frame DEFERRABLE"
                       " INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fall()");
  CHECK(code_of(leader->append(frame_behind(leader->tail(), {"never"}))) == "outcome_unknown");
  shared_cluster().run("DROP TRIGGER falls ON mneme.frame");
  shared_cluster().run("DROP FUNCTION fall()");
  CHECK(frames_of(address) == 0);
}

TEST_CASE("an append whose answer is lost is found in the log", "[postgres]") {
  const auto name = fresh_log();
  const auto direct = shared_cluster().address(name);
  REQUIRE(log_at(direct)->create("w"));
  answer_thief thief(shared_cluster().directory());
  auto leader = leader_of(shared_cluster().address_in(thief.directory(), name));
  for (int i = 0; i < 3; ++i)
    REQUIRE(leader->append(frame_behind(leader->tail(), {std::to_string(i)})));
  SECTION("at once") {
    thief.steal(1);
    REQUIRE(leader->append(frame_behind(leader->tail(), {"answered by nobody"})));
    CHECK(thief.left() == 0);
    CHECK(frames_of(direct) == 4);
  }
  SECTION("when the server can be asked again") {
    thief.steal(3); // the append, and two sessions that would have looked
    REQUIRE(leader->append(frame_behind(leader->tail(), {"answered by nobody"})));
    CHECK(frames_of(direct) == 4);
  }
  SECTION("a claim's too") {
    leader->let_go();
    leader.reset();
    thief.steal(3);
    const auto next = log_leader::claim(
        log_at(shared_cluster().address_in(thief.directory(), name)), {.holder = "two"});
    REQUIRE(next);
    CHECK((*next)->epoch() > log_epoch{1});
    CHECK(log_at(direct)->tail()->holder == "two");
  }
}

TEST_CASE("an append that comes late, from a session that stood still, changes nothing",
          "[postgres]") {
  const auto name = fresh_log();
  const auto address = shared_cluster().address(name);
  REQUIRE(log_at(address)->create("w"));
  auto leader =
      log_leader::claim(hasty_log_at(address), {.holder = "one", .lease = milliseconds{60'000}});
  REQUIRE(leader);
  REQUIRE((*leader)->append(frame_behind((*leader)->tail(), {"a"})));
  const auto session =
      shared_cluster().run("SELECT pid FROM pg_stat_activity WHERE application_name = 'mneme'"
                           " AND query LIKE '%moved%' ORDER BY query_start DESC LIMIT 1");
  ::kill(std::stoi(session), SIGSTOP);
  const auto appended = (*leader)->append(frame_behind((*leader)->tail(), {"b"}));
  ::kill(std::stoi(session), SIGCONT);
  REQUIRE(appended);
  REQUIRE((*leader)->append(frame_behind((*leader)->tail(), {"c"})));
  // It has done what it had before it ends.
  while (shared_cluster().run("SELECT count(*) FROM pg_stat_activity WHERE pid = " + session)
         != "0") {
  }
  CHECK(frames_of(address) == 3);
  CHECK(*log_at(address)->tail() == (*leader)->tail());
}

TEST_CASE("a server that stands still is not waited for", "[postgres]") {
  postgres_cluster cluster("");
  const auto address = cluster.address("main");
  REQUIRE(log_at(address)->create("w"));
  auto leader =
      log_leader::claim(hasty_log_at(address), {.holder = "one", .lease = milliseconds{60'000}});
  REQUIRE(leader);
  REQUIRE((*leader)->append(frame_behind((*leader)->tail(), {"a"})));
  const int session =
      std::stoi(cluster.run("SELECT pid FROM pg_stat_activity WHERE application_name = 'mneme'"
                            " AND query LIKE '%moved%' ORDER BY query_start DESC LIMIT 1"));
  int parent = 0; // who takes what is asked of a session besides
  std::ifstream of_session("/proc/" + std::to_string(session) + "/status");
  for (std::string line; std::getline(of_session, line);)
    if (line.starts_with("PPid:")) parent = std::stoi(line.substr(5));
  REQUIRE(parent > 1);
  std::promise<void> answered;
  bool was_woken = false;
  ::kill(session, SIGSTOP);
  ::kill(parent, SIGSTOP);
  std::thread waker([&, done = answered.get_future()] {
    was_woken = done.wait_for(std::chrono::minutes(2)) == std::future_status::timeout;
    ::kill(parent, SIGCONT);
    ::kill(session, SIGCONT);
  });
  const auto appended = (*leader)->append(frame_behind((*leader)->tail(), {"b"}));
  answered.set_value();
  waker.join();
  CHECK_FALSE(was_woken);
  CHECK_FALSE(appended);
}

TEST_CASE("a commit whose standby was not waited for is not acknowledged", "[postgres]") {
  postgres_cluster cluster("wal_level = replica\nmax_wal_senders = 2");
  const auto address = cluster.address("main");
  // Neither sessions that begin under these hear less, nor those that are there.
  cluster.run("ALTER ROLE postgres SET client_min_messages = error");
  auto log = log_at(address);
  REQUIRE(log->create("w"));
  auto leader = leader_of(address);
  REQUIRE(leader->append(frame_behind(leader->tail(), {"a"})));
  cluster.run("ALTER SYSTEM SET client_min_messages = error");
  cluster.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  cluster.run("SELECT pg_reload_conf()");
  // Whoever waits for the standby is told to go on without it, which is a warning.
  std::atomic<bool> is_over = false;
  std::thread impatient([&] {
    while (!is_over)
      cluster.try_to_run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                         " WHERE wait_event = 'SyncRep'");
  });
  // Commits begin to wait some time after the server was told, when all of its processes know.
  std::size_t frames = 1;
  result<append_outcome> outcome = append_outcome::appended;
  for (int i = 0; i < 1'000 && outcome && *outcome == append_outcome::appended; ++i) {
    const auto tail = *log->tail();
    outcome = log->append(tail.end, tail.epoch, milliseconds{60'000}, frame_behind(tail, {"b"}));
    ++frames;
  }
  REQUIRE(outcome);
  CHECK(*outcome == append_outcome::unknown);
  CHECK(frames_of(address) == frames);
  // Nor is anything else that was to be committed.
  CHECK(code_of(log_at(cluster.address("another"))->create("w")) == "outcome_unknown");
  CHECK(code_of(leader->renew()) == "outcome_unknown");
  leader->let_go();
  CHECK(code_of(log_leader::claim(log_at(address), {.holder = "two", .attempts_to_claim = 3}))
        == "outcome_unknown");
  const std::vector<seq_no> seqs{{1}};
  CHECK(code_of(log->erase(seqs, log->tail()->epoch)) == "outcome_unknown");
  is_over = true;
  impatient.join();
  // Who waits for it is told in time, and why.
  auto at = parse_postgres_address(address);
  auto hasty = postgres_log_at(
      *at,
      {.connect = milliseconds{2000}, .answer = milliseconds{250}, .question = milliseconds{400}});
  const auto began = std::chrono::steady_clock::now();
  const auto waits = log_leader::claim(hasty, {.holder = "two"});
  CHECK(code_of(waits) == "outcome_unknown");
  CHECK(waits.error().message.find("synchronous_standby_names = 'nobody'") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - began < milliseconds{5000});
  cluster.run("ALTER SYSTEM RESET synchronous_standby_names");
  cluster.run("SELECT pg_reload_conf()");
}

TEST_CASE("while the server is stopped nothing is written, and later it goes on", "[postgres]") {
  postgres_cluster cluster;
  const auto address = cluster.address("main");
  REQUIRE(log_at(address)->create("w"));
  auto leader = leader_of(address);
  REQUIRE(leader->append(frame_behind(leader->tail(), {"a"})));
  for (const std::string mode : {"fast", "immediate", "kill"}) {
    INFO(mode);
    auto log = log_at(address);
    const auto before = log->tail();
    REQUIRE(before);
    cluster.stop(mode);
    // It has closed the line before anything was sent.
    CHECK(code_of(leader->append(frame_behind(leader->tail(), {"b"}))) == "busy");
    CHECK(code_of(log->tail()) == "busy");
    cluster.start();
    CHECK(*log->tail() == *before);
    CHECK(code_of(leader->append(frame_behind(leader->tail(), {"c"}))) == "ok");
  }
  CHECK(frames_of(address) == 4);
}

TEST_CASE("a server that is started again under a leader is waited for", "[postgres]") {
  postgres_cluster cluster;
  const auto address = cluster.address("main");
  REQUIRE(log_at(address)->create("w"));
  auto leader = log_leader::claim(log_at(address), {.holder = "one"});
  REQUIRE(leader);
  REQUIRE((*leader)->append(frame_behind((*leader)->tail(), {"a"})));
  cluster.stop("immediate");
  const auto frame = frame_behind((*leader)->tail(), {"b"});
  result<void> appended;
  std::thread appends([&] { appended = (*leader)->append(frame); });
  cluster.start(); // it would end with a thread that has started it
  appends.join();
  // The session had ended before anything was sent: then nothing was, and it is tried again.
  if (!appended && appended.error().code == errc::busy) appended = (*leader)->append(frame);
  CHECK(code_of(appended) == "ok");
  CHECK(frames_of(address) == 2);
}

TEST_CASE("a role that may append need not be able to do anything else", "[postgres]") {
  const auto name = fresh_log();
  REQUIRE(log_at(shared_cluster().address(name))->create("w"));
  for (const char* statement : {"DROP ROLE IF EXISTS writer", "CREATE ROLE writer LOGIN",
                                "GRANT USAGE ON SCHEMA mneme TO writer",
                                "GRANT SELECT, INSERT, UPDATE ON mneme.log TO writer",
                                "GRANT SELECT, INSERT ON mneme.frame, mneme.blob TO writer"})
    shared_cluster().run(statement);
  const auto address = shared_cluster().address(name, "writer");
  CHECK(code_of(log_at(address)->may_lead()) == "ok");
  CHECK(code_of(log_at(address)->create("w")) == "already_exists");
  auto leader = leader_of(address);
  const auto frame = frame_behind(leader->tail(), {"kept"});
  REQUIRE(leader->append(frame));
  REQUIRE(leader->renew());
  REQUIRE(log_at(address)->put_blob("image"));
  // Nothing that was acknowledged can be taken away by it.
  const std::vector<seq_no> seqs{{1}};
  const auto erased = leader->erase(seqs);
  CHECK(code_of(erased) == "unsupported");
  CHECK(erased.error().message.find("does not own them") != std::string::npos);
  CHECK(code_of(leader->store().may_trim()) == "unsupported");
  REQUIRE(leader->append(frame_behind(leader->tail(), {"second"})));
  journaled_trim trim{.at = {2}, .trim = {}};
  trim.trim.before = {2};
  trim.trim.drop({1});
  CHECK(code_of(leader->store().trim(trim, 0, leader->epoch())) == "unsupported");
  CHECK(log_at(address)->read(0, 1, 1)->front() == frame);
  shared_cluster().run("DROP ROLE IF EXISTS watcher");
  shared_cluster().run("CREATE ROLE watcher LOGIN");
  shared_cluster().run("GRANT USAGE ON SCHEMA mneme TO watcher");
  shared_cluster().run("GRANT SELECT ON mneme.log, mneme.frame, mneme.blob TO watcher");
  const auto watches = log_at(shared_cluster().address(name, "watcher"));
  CHECK(code_of(watches->tail()) == "ok");
  CHECK(code_of(watches->may_lead()) == "unsupported");
  const auto founds = log_at(shared_cluster().address(fresh_log(), "watcher"))->create("w");
  CHECK(code_of(founds) == "unsupported");
  CHECK(founds.error().message.find("INSERT on mneme.log") != std::string::npos);
  auto elsewhere = shared_cluster().address("main", "watcher");
  elsewhere.replace(elsewhere.find("/postgres#"), 10, "/template1#");
  const auto makes = log_at(elsewhere)->create("w");
  CHECK(code_of(makes) == "unsupported");
  CHECK(makes.error().message.find("CREATE on the database") != std::string::npos);
  for (const char* relation : {"frame", "blob"})
    shared_cluster().run(std::string("REVOKE ALL ON mneme.") + relation + " FROM writer");
  // Nor does it look like a log that is away.
  CHECK(code_of(leader->append(frame_behind(leader->tail(), {"refused"}))) == "unsupported");
}

TEST_CASE("an erasure says so while an older transaction can read what was erased", "[postgres]") {
  const auto name = fresh_log();
  const auto address = shared_cluster().address(name);
  REQUIRE(log_at(address)->create("w"));
  auto leader = leader_of(address);
  REQUIRE(leader->append(frame_behind(leader->tail(), {"still-to-be-read"})));
  postgres_connection reader(parse_postgres_address(address)->database, {});
  REQUIRE(reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ", {}, sql_kind::look));
  REQUIRE(reader.run("SELECT 1::bigint", {}, sql_kind::look));
  const std::vector<seq_no> seqs{{1}};
  const auto may = leader->store().may_erase();
  CHECK(code_of(may) == "busy");
  CHECK(may.error().message.find("is open since before") != std::string::npos);
  const auto erased = leader->store().erase(seqs, leader->epoch());
  REQUIRE(code_of(erased) == "ok");
  CHECK(*erased == erase_outcome::kept);
  REQUIRE(reader.run("COMMIT", {}, sql_kind::look));
  CHECK(code_of(leader->store().may_erase()) == "ok");
  const auto again = leader->erase(seqs);
  REQUIRE(code_of(again) == "ok");
  CHECK(*again == erase_outcome::done);
  CHECK_FALSE(is_on_disk(shared_cluster(), "still-to-be-read"));
}

TEST_CASE("an erasure beside who reads all of the log keeps no append waiting", "[postgres]") {
  const auto address = shared_cluster().address(fresh_log());
  const auto other = shared_cluster().address(fresh_log());
  REQUIRE(log_at(address)->create("w"));
  REQUIRE(log_at(other)->create("w"));
  auto leader = leader_of(address);
  auto beside = leader_of(other);
  REQUIRE(leader->append(frame_behind(leader->tail(), {"to be erased"})));
  // As a dump does, whose statements come one after the other: it has no snapshot between them.
  postgres_connection reader(parse_postgres_address(address)->database, {});
  REQUIRE(reader.run("BEGIN", {}, sql_kind::look));
  REQUIRE(reader.run("LOCK TABLE mneme.frame IN ACCESS SHARE MODE", {}, sql_kind::look));
  const std::vector<seq_no> seqs{{1}};
  result<void> may;
  result<erase_outcome> erased = erase_outcome::done;
  std::atomic<bool> is_over = false;
  std::thread erases([&] {
    may = leader->store().may_erase();
    erased = leader->erase(seqs);
    is_over = true;
  });
  milliseconds longest{};
  while (!is_over) {
    const auto began = std::chrono::steady_clock::now();
    CHECK(code_of(beside->append(frame_behind(beside->tail(), {"b"}))) == "ok");
    longest = std::max(longest, std::chrono::duration_cast<milliseconds>(
                                    std::chrono::steady_clock::now() - began));
  }
  erases.join();
  CHECK(code_of(may) == "busy");
  REQUIRE(code_of(erased) == "ok");
  CHECK(*erased == erase_outcome::kept);
  CHECK(longest < milliseconds{2000}); // 300 and what the machine adds
  REQUIRE(reader.run("COMMIT", {}, sql_kind::look));
  CHECK(*leader->erase(seqs) == erase_outcome::done);
}
