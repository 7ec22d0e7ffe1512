#pragma once
/// A simulated disk with worlds on it that are opened one by one, each with tables that are made
/// anew from its journal.

#include <catch2/catch.hpp>

#include "state/branch/fork.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/recovery/dump.hpp"
#include "tests/state/site.hpp"

namespace mneme::testing {

inline std::string dump(world& w) {
  auto text = canonical_dump(w);
  REQUIRE(text);
  return *text;
}

struct disk_of_worlds {
  std::shared_ptr<memory_file_system> files = std::make_shared<memory_file_system>();

  [[nodiscard]] world_options options(const std::string& directory, bool create) const {
    site s;
    auto o = s.options();
    o.files = files;
    o.directory = directory;
    o.create = create;
    o.journal.segment_bytes = 4096;
    return o;
  }
  [[nodiscard]] std::unique_ptr<world> open(const std::string& directory,
                                            bool create = false) const {
    auto w = open_world(options(directory, create));
    if (!w) FAIL("open " << directory << ": " << w.error().message);
    return std::move(*w);
  }
  void write(const std::string& directory, const std::string& text, int count) const {
    auto w = open(directory);
    driven d(*w, text.size() + w->published_seq().value);
    for (int i = 0; i < count; ++i) REQUIRE(d.apply(note(text + std::to_string(i))));
    REQUIRE(close_world(*w));
  }
  [[nodiscard]] std::string dump_of(const std::string& directory) const {
    auto w = open(directory);
    return dump(*w);
  }
};

inline result<branch_report> fork(const disk_of_worlds& d, const std::string& from,
                                  const std::string& to, std::optional<seq_no> at = {},
                                  std::uint64_t seed = 7) {
  return fork_files(*d.files, from, to, {.at_seq = at, .random = make_seeded_random(seed, 1)},
                    {.own = to, .parent = from, .is_locked = false});
}

} // namespace mneme::testing
