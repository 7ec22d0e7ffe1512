// An engine trims its world while threads write and read it, by itself too where it keeps not all
// of its history.
// Of: actors/engine_retention.cpp, actors/retention_actor.cpp

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "mneme/engine.hpp"
#include "mneme/recovery.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

engine_options options_of(const std::string& directory) {
  engine_options o;
  o.directory = directory;
  o.embedder_spec = "none";
  o.seed = 7;
  return o;
}

engine opened(const engine_options& o) {
  auto e = engine::open(o);
  if (!e) FAIL(e.error().message);
  return std::move(*e);
}

memory_uri write(engine& e, const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.actor = "ana";
  r.data["statement"] = text;
  auto done = e.apply(mutation(r));
  if (!done) FAIL(done.error().message);
  return *done->uri;
}

find_request all_late(int limit) {
  find_request r;
  r.types = {memory_type::note};
  r.limit = limit;
  r.late_binding = true;
  return r;
}

std::uint64_t store_directories(const std::string& directory) {
  std::uint64_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.is_directory() && entry.path().filename().string().starts_with("store")) ++found;
  return found;
}

} // namespace

TEST_CASE("a world is trimmed while threads write and read it, and is whole behind that") {
  const temporary_directory site;
  const std::string directory = site.path() + "/world";
  std::vector<memory_uri> uris;
  std::int64_t uses = 0;
  std::string root;
  seq_no last;
  {
    engine e = opened(options_of(directory));
    for (int i = 0; i < 50; ++i) uris.push_back(write(e, fmt::format("note {}", i)));
    for (int i = 0; i < 400; ++i) REQUIRE(e.find(all_late(10)));
    REQUIRE(e.checkpoint());
    for (int i = 0; i < 200; ++i) REQUIRE(e.find(all_late(10)));
    std::atomic<bool> stops = false;
    std::atomic<int> failed = 0;
    std::atomic<std::uint64_t> written = 0;
    std::thread writer([&] {
      while (!stops) {
        write_request r;
        r.type = memory_type::note;
        r.data["statement"] = "beside";
        if (!e.apply(mutation(r))) ++failed;
        ++written;
        if (!e.find(all_late(3))) ++failed;
      }
    });
    std::thread reader([&] {
      while (!stops)
        for (const auto& uri : uris)
          if (!e.get(uri.id)) ++failed;
    });
    trim_options t;
    t.reason = "a year has passed";
    t.by = "host";
    t.dry_run = true;
    const auto planned = e.trim(t);
    REQUIRE(planned);
    CHECK(planned->at == seq_no{0});
    t.dry_run = false;
    for (int i = 0; i < 3; ++i) {
      const auto done = e.trim(t);
      if (!done) FAIL(done.error().message);
      if (i == 0) CHECK(done->at.value > 650);
      if (i == 0) CHECK(done->dropped >= 600);
      CHECK(done->journal_bytes > 0);
      if (done->at.value == 0) continue;
      CHECK(e.get(uris.front().id, {.actor = {}, .at_seq = done->before, .scope = {}}));
      const auto before = e.get(
          uris.front().id, {.actor = {}, .at_seq = seq_no{done->before.value - 1}, .scope = {}});
      REQUIRE_FALSE(before);
      CHECK(before.error().code == errc::seq_unavailable);
    }
    stops = true;
    writer.join();
    reader.join();
    CHECK(failed == 0);
    CHECK(written > 0);
    for (const auto& uri : uris) uses += e.get(uri.id)->activation.access_count;
    CHECK(uses >= 6000);
    last = e.published();
    REQUIRE(e.close());
  }
  CHECK(store_directories(directory) == 1);
  CHECK_FALSE(std::filesystem::exists(directory + "/TRIMMING"));
  const auto verified = verify_world(directory);
  REQUIRE(verified);
  INFO(verified->problem);
  CHECK(verified->ok);
  engine e = opened(options_of(directory));
  CHECK(e.published() == last);
  CHECK_FALSE(e.opened().store_rebuilt);
  std::int64_t again = 0;
  for (const auto& uri : uris) again += e.get(uri.id)->activation.access_count;
  CHECK(again == uses);
}

TEST_CASE("a world that is open for long is trimmed by itself") {
  const temporary_directory site;
  const std::string directory = site.path() + "/world";
  engine_options o = options_of(directory);
  o.retention = {.entries = 50, .ns = 0};
  engine e = opened(o);
  for (int i = 0; i < 10; ++i) write(e, fmt::format("note {}", i));
  find_request r = all_late(10);
  // Long predicates are found out as such: it takes fewer of them.
  std::vector<find_request> many(100, r);
  const auto note = directory + "/TRIMMED";
  int rounds = 0;
  constexpr int most = 2000;
  for (; rounds < most && !std::filesystem::exists(note); ++rounds)
    for (const auto& found : e.find_many(many)) REQUIRE(found);
  REQUIRE(rounds < most);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool is_trimmed = false;
  while (!is_trimmed && std::chrono::steady_clock::now() < end) {
    const auto early =
        e.get(write(e, "again").id, {.actor = {}, .at_seq = seq_no{20}, .scope = {}});
    is_trimmed = !early && early.error().code == errc::seq_unavailable;
  }
  CHECK(is_trimmed);
  REQUIRE(e.close());
  const auto verified = verify_world(directory);
  REQUIRE(verified);
  CHECK(verified->ok);
}

TEST_CASE("what cannot be trimmed says so") {
  engine e = opened(options_of(""));
  trim_options both;
  both.before = seq_no{1};
  both.before_time = timestamp{1};
  CHECK(e.trim(both).error().code == errc::bad_value);
  const auto nothing = e.trim({});
  REQUIRE(nothing);
  CHECK(nothing->dropped == 0);
  trim_options late;
  late.before = seq_no{9};
  CHECK(e.trim(late).error().code == errc::seq_unavailable);
  for (int i = 0; i < 3; ++i) write(e, "one");
  for (int i = 0; i < 300; ++i) REQUIRE(e.find(all_late(3)));
  const auto done = e.trim({}); // in memory
  if (!done) FAIL(done.error().message);
  CHECK(done->dropped == 300);
  CHECK(e.root()->seq == done->at);
}
