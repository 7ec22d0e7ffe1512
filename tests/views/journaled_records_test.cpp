#include "views/journaled_records.hpp"

#include <catch2/catch.hpp>

#include "storage/memory_file_system.hpp"

using namespace mneme;

TEST_CASE("an image names the segments that its seqs are in, and no later one") {
  // A crash may take a segment that was begun while the image was written; another name follows
  // then.
  journaled_records records(std::make_shared<memory_file_system>(), "journal");
  const std::vector<std::uint64_t> firsts = {1, 10, 20};
  records.know_segments(firsts);
  CHECK(records.segments({25}) == firsts);
  CHECK(records.segments({20}) == firsts);
  CHECK(records.segments({19}) == std::vector<std::uint64_t>{1, 10});
  CHECK(records.segments({0}).empty());
}
