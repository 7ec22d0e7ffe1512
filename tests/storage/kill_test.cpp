// The real thing: a process that writes to a WiredTiger store is killed at a random point, over and
// over on the same directory. Each time the store reopens at exactly the model's state of
// recovered(), which is at least the last checkpoint that the process reported.
// Of: storage/wiredtiger_store.cpp
#include <csignal>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/storage/kv_model.hpp"
#include "tests/storage/store_sites.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::uint64_t data_seed = 77;
constexpr int rounds = 20;

struct report {
  std::uint64_t applied = 0;
  std::uint64_t checkpointed = 0;
};

/// The child: writes until it is killed. Exit codes tell the parent what went wrong.
[[noreturn]] void write_until_killed(const std::string& dir, int out, std::uint64_t seed) {
  auto opened = open_wiredtiger_store(dir, {.cache_bytes = 16ULL << 20});
  if (!opened) ::_exit(2);
  auto& store = **opened;
  dice roll(seed);
  std::atomic<std::uint64_t> stable = store.recovered().value;
  std::atomic<std::uint64_t> checkpointed = 0;
  std::thread checkpoints([&] {
    for (;;) {
      const auto at_least = stable.load();
      if (!store.checkpoint()) ::_exit(3);
      checkpointed = at_least;
    }
  });
  for (std::uint64_t seq = store.recovered().value + 1;; ++seq) {
    if (!store.apply(batch_of(data_seed, seq_no{seq}), seq_no{seq})) ::_exit(4);
    const auto lag = roll.below(6);
    if (seq > lag && seq - lag > stable) {
      if (!store.set_stable(seq_no{seq - lag})) ::_exit(5);
      stable = seq - lag;
    }
    const report now{seq, checkpointed};
    if (::write(out, &now, sizeof now) != sizeof now) ::_exit(6);
  }
}

/// Starts the child, kills it after `reports` of its reports (and a checkpoint, if it is to reach
/// one), and returns the last one it made.
report run_and_kill(const std::string& dir, std::uint64_t seed, std::uint64_t reports,
                    bool reaches_checkpoint) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(dir, ends[1], seed);
  }
  ::close(ends[1]);
  report last;
  report got;
  for (std::uint64_t i = 0; ::read(ends[0], &got, sizeof got) == sizeof got; ++i) {
    last = got;
    if (i >= reports && (got.checkpointed > 0 || !reaches_checkpoint)) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  INFO("exit code " << (WIFEXITED(status) ? WEXITSTATUS(status) : 0));
  REQUIRE(WIFSIGNALED(status));
  return last;
}

} // namespace

TEST_CASE("a killed process leaves exactly a stable state", "[wiredtiger][kill]") {
  temporary_directory root;
  dice roll(2024);
  store_contents model;
  std::uint64_t model_at = 0;
  std::uint64_t floor = 0;
  for (int round = 0; round < rounds; ++round) {
    INFO("round " << round);
    // The first ones may be killed before any checkpoint, however slow the disk; later ones not.
    const bool reaches_checkpoint = model_at == 0 && round > rounds / 4;
    const report last =
        run_and_kill(root.path(), roll.next(), roll.below(2500), reaches_checkpoint);
    floor = std::max(floor, last.checkpointed);
    auto store = open_wiredtiger_store(root.path(), {.cache_bytes = 16ULL << 20});
    if (!store) FAIL(store.error().message);
    const auto recovered = (*store)->recovered().value;
    REQUIRE(recovered >= floor);
    // One batch may have been applied whose report was not sent.
    REQUIRE(recovered <= last.applied + 1);
    REQUIRE(recovered >= model_at);
    while (model_at < recovered) {
      ++model_at;
      apply_to(model, batch_of(data_seed, seq_no{model_at}));
    }
    REQUIRE(contents_of(**store) == model);
    REQUIRE((*store)->verify());
    floor = recovered;
  }
  CHECK(model_at > 0);
}
