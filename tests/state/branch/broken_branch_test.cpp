// Branches that were broken off while something was erased, or by a disk that goes on in part: no
// world, or a whole one, and in the end nothing of what was erased.
// Of: state/branch/backup.cpp, state/branch/beside.cpp, state/branch/unfinished.cpp
// Of: state/branch/fork.cpp

#include <catch2/catch.hpp>

#include "state/branch/backup.hpp"
#include "state/recovery/verify.hpp"
#include "tests/sanitized.hpp"
#include "tests/state/branch/disk_of_worlds.hpp"
#include "tests/state/erasure/erasable_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::string_view needle = "zyxneedle";
const memory_id needle_id = id_of(9);

void write_needle(const disk_of_worlds& d) {
  {
    auto w = d.open("world", true);
    driven run(*w, 1);
    write_request secret = note("the " + std::string(needle) + " of all");
    secret.id = needle_id;
    REQUIRE(run.apply(secret));
    REQUIRE(close_world(*w));
  }
  d.write("world", "behind it ", 30); // over several segments
  auto w = d.open("world");
  driven run(*w, 2);
  update_request again;
  again.uri = {memory_type::note, needle_id, 1};
  again.data["statement"] = "once more " + std::string(needle);
  REQUIRE(run.apply(again));
  REQUIRE(close_world(*w));
}

void erase_needle(const disk_of_worlds& d, const std::string& directory,
                  std::uint64_t segment_bytes = 4096) {
  erasable_site place;
  auto options = place.options();
  options.files = d.files;
  options.directory = directory;
  options.create = false;
  options.journal.segment_bytes = segment_bytes;
  auto w = open_world(options);
  REQUIRE(w);
  driven run(**w, 5);
  REQUIRE(erase(run, {.ids = {needle_id}}));
  REQUIRE(close_world(**w));
}

std::string files_with_needle(const disk_of_worlds& d, const std::string& directory) {
  std::vector<std::string> all;
  for (const std::string part : {"", "/journal", "/images"})
    collect_files(*d.files, directory + part, all);
  std::string found;
  for (const auto& file : all)
    if (d.files->testing_bytes(file).value_or("").contains(needle)
        || d.files->testing_durable_bytes(file).value_or("").contains(needle))
      found += file + " ";
  return found;
}

} // namespace

TEST_CASE("a backup that takes an erasure over is whole at every moment, and then has none of it") {
  const disk_of_worlds start;
  write_needle(start);
  REQUIRE(backup_files(*start.files, "world", "copy"));
  // In a segment of its own, and in the last one that the backup has.
  erase_needle(start, "world", GENERATE(4096U, 1U << 20));
  REQUIRE(files_with_needle(start, "world") == "");
  REQUIRE(files_with_needle(start, "copy") != "");
  const auto disk = start.files->image();
  const io_operation kind = GENERATE(io_operation::any, io_operation::directory);
  bool is_done = false;
  for (std::uint64_t nth = 1; !is_done; nth += operations_apart) {
    disk_of_worlds d{std::make_shared<memory_file_system>(disk)};
    INFO("operation " << nth << " of kind " << static_cast<int>(kind));
    d.files->fail_nth(kind, nth, true);
    is_done = backup_files(*d.files, "world", "copy").has_value();
    d.files->clear_faults();
    d.files->crash(nth, nth % 3 == 0 ? crash_mode::drop : crash_mode::random);
    if (is_done) CHECK(files_with_needle(d, "copy") == "");
    const auto as_left = verify_journal(*d.files, "copy", {});
    REQUIRE(as_left);
    INFO(as_left->problem);
    CHECK(as_left->ok);
    CHECK(d.open("copy")->published_seq().value >= 31);
    REQUIRE(backup_files(*d.files, "world", "copy"));
    CHECK(files_with_needle(d, "copy") == "");
    CHECK(verify_journal(*d.files, "copy", {})->ok);
    CHECK(d.dump_of("copy") == d.dump_of("world"));
  }
}

TEST_CASE("what a fork left that failed and then lost its power is made anew") {
  const disk_of_worlds start;
  write_needle(start);
  const auto disk = start.files->image();
  for (const io_operation kind :
       {io_operation::write, io_operation::sync, io_operation::directory}) {
    bool is_done = false;
    for (std::uint64_t nth = 1; !is_done; nth += operations_apart)
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        disk_of_worlds d{std::make_shared<memory_file_system>(disk)};
        INFO("operation " << nth << " of kind " << static_cast<int>(kind) << ", crash " << seed);
        d.files->fail_nth(kind, nth, seed % 2 == 0);
        is_done = fork(d, "world", "fork").has_value();
        d.files->clear_faults();
        d.files->crash(seed * 31 + nth);
        if (!*d.files->exists("fork/WORLD")) REQUIRE(fork(d, "world", "fork"));
        CHECK(verify_journal(*d.files, "fork", {})->ok);
        CHECK(verify_journal(*d.files, "world", {})->ok);
      }
  }
}
