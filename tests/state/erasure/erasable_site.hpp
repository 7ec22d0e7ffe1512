#pragma once
/// A world that is erased in, and what tests look for in all that it leaves on the disk.

#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "state/open_world.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "tests/state/site.hpp"

namespace mneme::testing {

/// A site whose store can be made anew beside itself.
struct erasable_site : site {
  bool opens_store_late = false; ///< as WiredTiger's is

  world_options options() {
    world_options o = site::options();
    if (opens_store_late) o.store.is_there = [this] { return has_checkpoint(*disk); };
    o.store.open = [this]() -> result<std::unique_ptr<kv_store>> {
      return make_memory_store(disk);
    };
    o.store.remove = [this]() -> result<void> {
      disk = make_memory_disk();
      return {};
    };
    o.store.retire = [this] {
      disk = make_memory_disk();
      return std::function<void()>();
    };
    o.store.open_beside = [this]() -> result<fresh_store> {
      auto fresh = make_memory_disk();
      return fresh_store{.store = make_memory_store(fresh), .take = [this, fresh] {
                           disk = fresh;
                           return std::function<void()>();
                         }};
    };
    return o;
  }
  std::unique_ptr<world> open() {
    auto w = open_world(options());
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
};

inline result<erase_result> erase(driven& d, erase_request r) {
  if (r.reason.empty()) r.reason = "asked for";
  if (r.by.empty()) r.by = "ana";
  std::optional<result<erase_result>> answer;
  d.core.enqueue(erase_command{.request = std::move(r), .reply = [&](result<erase_result> done) {
                                 answer = std::move(done);
                               }});
  d.pump();
  REQUIRE(answer.has_value());
  return std::move(*answer);
}

inline void collect_files(file_system& fs, const std::string& dir,
                          std::vector<std::string>& files) {
  auto names = fs.list(dir);
  if (!names) return;
  for (const auto& name : *names) {
    const std::string file = std::string(dir).append("/").append(name);
    files.push_back(file);
    collect_files(fs, file, files);
  }
}

inline std::string dump_of(world& w) {
  auto dump = canonical_dump(w);
  REQUIRE(dump);
  return *dump;
}

/// A world made from the journal alone.
inline std::string dump_of_replay(erasable_site& place, const world& like) {
  erasable_site copy;
  copy.embedder = place.embedder;
  auto w = copy.open();
  auto replayed = replay_journal(*place.files, like.directory, *w, {}, {});
  if (!replayed) FAIL("replay: " << replayed.error().message);
  CHECK(w->published_roots() == like.published_roots());
  return dump_of(*w);
}

/// Calls `look` with where they are and all bytes that the world has there: its files as they are
/// and as they would be after a crash, and the rows of its store.
template <class Look>
void for_all_bytes(erasable_site& place, world& w, const Look& look) {
  std::vector<std::string> files;
  for (const std::string dir : {"world", "world/journal", "world/images"})
    collect_files(*place.files, dir, files);
  for (const auto& file : files) {
    look(file, place.files->testing_bytes(file).value_or(""));
    look(file + " (durable)", place.files->testing_durable_bytes(file).value_or(""));
  }
  const auto checkpointed = make_memory_store(place.disk);
  auto reader = checkpointed->reader();
  auto live = w.store->reader();
  REQUIRE((reader && live));
  for (kv_reader* each : {reader->get(), live->get()})
    for (std::size_t t = 0; t < kv_table_count; ++t)
      REQUIRE(each->scan(static_cast<kv_table>(t), "", "",
                         [&](std::string_view key, std::string_view value) {
                           look("a key of the store", key);
                           look("the store", value);
                           return true;
                         }));
}

} // namespace mneme::testing
