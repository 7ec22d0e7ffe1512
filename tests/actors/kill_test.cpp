// kill -9 at a random moment, many times on one world: every acknowledged write is there after
// reopening, the journal verifies, and replay gives the same root.
// Of: actors/committer_actor.cpp
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "mneme/engine.hpp"
#include "tests/sanitized.hpp"

using namespace mneme;
using mneme::testing::is_sanitized;

namespace {

struct acknowledged {
  std::map<std::string, std::string> memories; ///< uri → statement
  std::vector<std::pair<std::string, std::string>> edges;
  std::uint64_t opened_at = 0;
};

/// Runs the child until `bytes` of acknowledgements have come (and a little longer), then kills it.
/// `what`: "erase", or nothing for writes alone.
std::string run_and_kill(const std::string& directory, const std::string& name, std::size_t bytes,
                         const char* what = nullptr) {
  int fds[2];
  REQUIRE(pipe(fds) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fds[1], STDOUT_FILENO);
    close(fds[0]);
    close(fds[1]);
    execl(MNEME_KILL_CHILD, "kill_child", directory.c_str(), name.c_str(), what, nullptr);
    _exit(127);
  }
  close(fds[1]);
  std::string said;
  char buffer[4096];
  bool killed = false;
  for (;;) {
    const ssize_t n = read(fds[0], buffer, sizeof buffer);
    if (n <= 0) break;
    said.append(buffer, static_cast<std::size_t>(n));
    if (!killed && said.size() >= bytes) {
      kill(child, SIGKILL);
      killed = true;
    }
  }
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  return said;
}

void collect(const std::string& said, acknowledged& all) {
  std::istringstream lines(said);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string first;
    words >> kind >> first;
    std::string rest;
    std::getline(words >> std::ws, rest);
    if (kind == "memory") all.memories[first] = rest;
    if (kind == "edge") all.edges.emplace_back(first, rest);
    if (kind == "opened") all.opened_at = std::stoull(first);
  }
}

void check_all(engine& e, const acknowledged& all) {
  for (const auto& [text, statement] : all.memories) {
    auto m = e.resolve(*parse_memory_uri(text));
    INFO(text);
    REQUIRE(m);
    CHECK(std::get<std::string>(m->version->data.at("statement")) == statement);
  }
  for (const auto& [src, dst] : all.edges)
    REQUIRE(e.get_edge({*parse_memory_id(src), edge_type::derived_from, *parse_memory_id(dst)}));
}

} // namespace

TEST_CASE("kills lose nothing that was acknowledged") {
  constexpr int rounds = is_sanitized ? 15 : 50;
  std::string name = (std::filesystem::temp_directory_path() / "mneme-kill-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const std::string world = name + "/world";
  acknowledged all;
  std::uint64_t pseudo = 12345;
  std::uint64_t last_seq = 0;
  for (int round = 0; round < rounds; ++round) {
    pseudo = pseudo * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t bytes = 1 + (pseudo >> 33) % 12000;
    collect(run_and_kill(world, std::to_string(round), bytes), all);
    CHECK(all.opened_at >= last_seq);
    if (round % 3 == 2) continue; // the next child recovers from the crash by itself
    auto report = verify_world(world);
    REQUIRE(report);
    INFO(report->problem);
    REQUIRE(report->ok);
    engine_options o;
    o.directory = world;
    o.read_only = round % 3 == 1; // without touching a byte
    auto e = engine::open(o);
    if (!e) FAIL(e.error().message);
    check_all(*e, all);
    CHECK(*e->root() == report->roots);
    last_seq = report->roots.seq.value;
    REQUIRE(e->close());
  }
  engine_options o;
  o.directory = world;
  auto e = engine::open(o);
  REQUIRE(e);
  check_all(*e, all);
  const auto root = *e->root();
  REQUIRE(e->close());
  auto replayed = replay_world(world, name + "/copy");
  REQUIRE(replayed);
  CHECK(*replayed == root);
  CHECK(all.memories.size() > 10 * rounds);
  std::filesystem::remove_all(name);
}

namespace {

/// The files of a directory that have the text.
std::string files_with(const std::filesystem::path& directory, const std::string& text) {
  std::string found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.find(text) != std::string::npos) found += entry.path().string() + " ";
  }
  return found;
}

} // namespace

TEST_CASE("what was erased before a kill, or while it came, is nowhere once the world was open") {
  std::string name = (std::filesystem::temp_directory_path() / "mneme-kill-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const std::string world = name + "/world";
  std::map<std::string, std::string> erased; // id -> what it said
  std::uint64_t pseudo = 54321;
  for (int round = 0; round < (is_sanitized ? 4 : 8); ++round) {
    pseudo = pseudo * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t bytes = 1 + (pseudo >> 33) % 1200;
    std::istringstream lines(run_and_kill(world, std::to_string(round), bytes, "erase"));
    for (std::string kind, id, text, line; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> kind >> id >> text;
      if (kind == "erased") erased[id] = text;
    }
    engine_options o;
    o.directory = world;
    auto e = engine::open(o);
    if (!e) FAIL(e.error().message);
    for (const auto& [id, text] : erased) {
      INFO(text);
      const auto m = e->get(*parse_memory_id(id));
      REQUIRE_FALSE(m);
      CHECK(m.error().code == errc::erased);
      CHECK(files_with(world, text) == "");
    }
    const auto root = *e->root();
    REQUIRE(e->close());
    const auto report = verify_world(world);
    REQUIRE(report);
    INFO(report->problem);
    CHECK(report->ok);
    CHECK(report->roots == root);
  }
  auto replayed = replay_world(world, name + "/copy");
  REQUIRE(replayed);
  CHECK(replayed->overall == verify_world(world)->roots.overall);
  CHECK(erased.size() > 8);
  std::filesystem::remove_all(name);
}
