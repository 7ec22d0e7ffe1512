#include "tests/postgres/postgres_cluster.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <catch2/catch.hpp>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mneme::testing {

namespace {

const std::string programs = MNEME_POSTGRES_PROGRAMS;

/// Who may run a server: not root.
struct plain_user {
  uid_t user = ::getuid();
  gid_t group = ::getgid();

  plain_user() {
    if (user != 0) return;
    const passwd* found = ::getpwnam("postgres");
    if (found == nullptr) found = ::getpwnam("nobody");
    REQUIRE(found != nullptr);
    user = found->pw_uid;
    group = found->pw_gid;
  }
};

/// The process, as that user, which ends when this one does; what it says goes to `out`.
pid_t spawn(const std::vector<std::string>& arguments, int out) {
  const plain_user who;
  std::vector<char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process > 0) return process;
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  if (::getuid() == 0 && (::setgid(who.group) != 0 || ::setuid(who.user) != 0 || ::chdir("/") != 0))
    ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  ::execv(pointers.front(), pointers.data());
  ::_exit(127);
}

/// Reads until the end, or until `last` has been said.
std::string listen(int in, const std::string& last) {
  std::string said;
  char piece[4096];
  while (last.empty() || said.find(last) == std::string::npos) {
    const auto size = ::read(in, piece, sizeof piece);
    if (size <= 0) break;
    said.append(piece, static_cast<std::size_t>(size));
  }
  return said;
}

/// What a process and its children are, the children first.
std::vector<pid_t> family(pid_t parent) {
  std::vector<pid_t> all;
  const std::string process = std::to_string(parent);
  std::ifstream children("/proc/" + process + "/task/" + process + "/children");
  for (pid_t child = 0; children >> child;) all.push_back(child);
  all.push_back(parent);
  return all;
}

/// To its end, which must be a good one.
void run_program(const std::vector<std::string>& arguments) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t process = spawn(arguments, ends[1]);
  ::close(ends[1]);
  const auto said = listen(ends[0], {});
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  INFO(said);
  REQUIRE(status == 0);
}

/// Where a sync costs nothing, if there is such a place: what a test shows of a disk it shows by
/// stopping processes.
std::filesystem::path room_for_clusters() {
  constexpr std::uintmax_t enough = 1ULL << 30;
  const std::filesystem::path memory = "/dev/shm";
  std::error_code none;
  const auto space = std::filesystem::space(memory, none);
  if (!none && space.available > enough && ::access(memory.c_str(), W_OK) == 0) return memory;
  return std::filesystem::temp_directory_path();
}

std::string in_url(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '/' ? std::string("%2F") : std::string(1, c);
  return text;
}

} // namespace

postgres_cluster::postgres_cluster(const std::string& settings, int port, bool on_disk)
    : port_(port) {
  std::string pattern =
      ((on_disk ? std::filesystem::temp_directory_path() : room_for_clusters()) / "mneme-pg-XXXXXX")
          .string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  directory_ = pattern;
  data_ = directory_ + "/data";
  const plain_user who;
  REQUIRE(::chown(directory_.c_str(), who.user, who.group) == 0);
  run_program({programs + "/initdb", "-D", data_, "-A", "trust", "-U", "postgres", "-N",
               "--no-instructions", "--locale=C", "-E", "UTF8"});
  std::ofstream(data_ + "/postgresql.conf", std::ios::app)
      << "listen_addresses = ''\nport = " << port_ << "\nunix_socket_directories = '" << directory_
      << "'\nshared_buffers = 16MB\nmax_wal_senders = 0\nwal_level = minimal\nautovacuum = off\n"
      << "jit = off\n"
      << settings << "\n";
  start();
}

postgres_cluster::~postgres_cluster() {
  if (server_ != 0) {
    signal(SIGCONT);
    signal(SIGKILL);
    ::waitpid(server_, nullptr, 0);
    listener_.join();
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void postgres_cluster::start() {
  REQUIRE(server_ == 0);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  server_ = spawn({programs + "/postgres", "-D", data_}, ends[1]);
  ::close(ends[1]);
  const std::string ready = "ready to accept connections";
  const auto said = listen(ends[0], ready);
  // What it says later is read too, or it would wait for that.
  listener_ = std::thread([in = ends[0]] {
    listen(in, {});
    ::close(in);
  });
  INFO(said);
  REQUIRE(said.find(ready) != std::string::npos);
}

void postgres_cluster::stop(const std::string& mode) {
  REQUIRE(server_ != 0);
  if (mode == "kill")
    signal(SIGKILL);
  else
    ::kill(server_, mode == "immediate" ? SIGQUIT : SIGINT);
  REQUIRE(::waitpid(server_, nullptr, 0) == server_);
  server_ = 0;
  listener_.join();
}

void postgres_cluster::signal(int number) {
  for (const pid_t process : family(server_)) ::kill(process, number);
}

namespace {

/// What was said, or why nothing was.
std::expected<std::string, std::string> run_in(const std::string& directory, int port,
                                               const std::string& sql) {
  const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(
      PQconnectdb(("host=" + directory + " port=" + std::to_string(port)
                   + " user=postgres dbname=postgres"
                     " options='-c synchronous_commit=local -c client_min_messages=warning'")
                      .c_str()),
      PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK)
    return std::unexpected(PQerrorMessage(connection.get()));
  const std::unique_ptr<PGresult, void (*)(PGresult*)> answer(PQexec(connection.get(), sql.c_str()),
                                                              PQclear);
  const auto status = PQresultStatus(answer.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    return std::unexpected(PQresultErrorMessage(answer.get()));
  return PQntuples(answer.get()) > 0 ? PQgetvalue(answer.get(), 0, 0) : std::string();
}

} // namespace

std::string postgres_cluster::run(const std::string& sql) {
  auto said = run_in(directory_, port_, sql);
  INFO(sql << "\n" << (said ? "" : said.error()));
  REQUIRE(said);
  return *said;
}

void postgres_cluster::set(const std::string& setting, const std::string& value) {
  run("ALTER SYSTEM SET " + setting + " = '" + value + "'");
  run("SELECT pg_reload_conf()");
  while (run("SHOW " + setting) != value) {
  }
}

bool postgres_cluster::try_to_run(const std::string& sql) {
  return run_in(directory_, port_, sql).has_value();
}

std::string postgres_cluster::address(const std::string& log, const std::string& role,
                                      const std::string& more) const {
  return address_in(directory_, log, role, more);
}

std::string postgres_cluster::address_in(const std::string& directory, const std::string& log,
                                         const std::string& role, const std::string& more) {
  return "postgresql://" + role + "@" + in_url(directory) + "/postgres" + more + "#" + log;
}

std::string postgres_cluster::offer_tls() {
  const std::string certificate = data_ + "/server.crt";
  run_program({"/usr/bin/openssl", "req", "-new", "-x509", "-days", "2", "-nodes", "-newkey", "ec",
               "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost", "-addext",
               "subjectAltName=IP:127.0.0.1", "-keyout", data_ + "/server.key", "-out",
               certificate});
  std::ofstream(data_ + "/pg_hba.conf")
      << "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
  stop("fast");
  std::ofstream(data_ + "/postgresql.conf", std::ios::app)
      << "ssl = on\nlisten_addresses = '127.0.0.1'\n";
  start();
  return certificate;
}

int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  REQUIRE(::bind(probe, reinterpret_cast<const sockaddr*>(&at), size) == 0);
  REQUIRE(::getsockname(probe, reinterpret_cast<sockaddr*>(&at), &size) == 0);
  ::close(probe);
  return ntohs(at.sin_port);
}

postgres_cluster& shared_cluster() {
  static postgres_cluster cluster;
  return cluster;
}

std::string fresh_log() {
  static std::atomic<int> made = 0;
  return "log-" + std::to_string(++made);
}

} // namespace mneme::testing
