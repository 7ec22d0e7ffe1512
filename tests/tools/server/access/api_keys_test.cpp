// Keys of a server while their file changes.

#include "tools/server/access/api_keys.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unistd.h>

using namespace mneme;
using namespace mneme::server;

namespace {

struct key_file {
  std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("mneme_keys_{}.json", ::getpid()))
          .string();
  ~key_file() { std::filesystem::remove(path); }

  /// Answers the secret.
  std::string add(const std::string& actor) {
    auto made = make_key({.actor = actor});
    REQUIRE(change_key_file(path, [&](std::vector<api_key>& keys) -> result<void> {
      keys.push_back(made.key);
      return {};
    }));
    return made.secret;
  }
};

} // namespace

TEST_CASE("a change of the file counts from the next request on, for all who ask") {
  key_file file;
  const std::string ana = file.add("ana");
  auto ring = key_ring::open(file.path);
  REQUIRE(ring);
  std::atomic<bool> is_over = false;
  std::atomic<int> strangers = 0;
  std::vector<std::thread> asking;
  for (int i = 0; i < 3; ++i)
    asking.emplace_back([&] {
      while (!is_over) {
        const auto who = ring->find(ana);
        if (!who || who->actor != "ana") ++strangers;
      }
    });
  for (int i = 0; i < 20; ++i) {
    const std::string actor = fmt::format("actor {}", i);
    const auto who = ring->find(file.add(actor));
    CHECK((who && who->actor == actor));
  }
  is_over = true;
  for (auto& t : asking) t.join();
  CHECK(strangers == 0);

  std::ofstream(file.path) << "{";
  CHECK_FALSE(ring->find(ana));
  std::filesystem::remove(file.path);
  CHECK_FALSE(ring->find(ana));
  CHECK(ring->find(file.add("ben")));
}
