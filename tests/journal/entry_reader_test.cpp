// Entries read back by their seqs, in whatever order they are asked for.
#include "journal/entry_reader.hpp"

#include "tests/journal/journal_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

const journal_options few_bytes_each{.segment_bytes = 1500, .extend_bytes = 256};

/// A journal of several segments, and the headers of its entries.
struct long_journal {
  std::shared_ptr<memory_file_system> fs = std::make_shared<memory_file_system>();
  std::string dir = "/w/journal";
  std::vector<std::string> headers;

  explicit long_journal(int frames) {
    auto j = open_journal(fs, dir, few_bytes_each);
    for (int i = 0; i < frames; ++i) {
      for (const auto& e : entries_of(3, j->last_seq().next())) headers.push_back(e.header_bytes);
      REQUIRE(append_next(*j, 3));
      if (i % 7 == 3) REQUIRE(j->append_seal(root_at(j->last_seq())));
    }
    REQUIRE(j->sync());
    REQUIRE(j->segment_count() > 3);
  }
  [[nodiscard]] entry_reader open() const {
    auto reader = entry_reader::open(*fs, dir, test_world);
    REQUIRE(reader);
    return std::move(*reader);
  }
};

std::vector<std::string> read(entry_reader& reader, std::uint64_t first, std::uint64_t count) {
  std::vector<std::string> headers;
  REQUIRE(reader.read({first}, count, [&](const raw_entry& e) { headers.push_back(e.header); }));
  return headers;
}

std::vector<std::string> part(const std::vector<std::string>& all, std::uint64_t first,
                              std::uint64_t count) {
  const auto from = std::min<std::uint64_t>(first - 1, all.size());
  const auto to = std::min<std::uint64_t>(from + count, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(from),
          all.begin() + static_cast<std::ptrdiff_t>(to)};
}

} // namespace

TEST_CASE("an entry reader gives every range, ascending or not") {
  const long_journal journal(120);
  const std::uint64_t all = journal.headers.size();
  entry_reader ascending = journal.open();
  for (std::uint64_t first = 1; first <= all; first += 3)
    REQUIRE(read(ascending, first, 2) == part(journal.headers, first, 2));
  entry_reader any = journal.open();
  dice random(11);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t first = 1 + random.below(all);
    const std::uint64_t count = random.below(40);
    REQUIRE(read(any, first, count) == part(journal.headers, first, count));
  }
  CHECK(read(any, 1, all) == journal.headers);
}

TEST_CASE("an entry reader ends where the journal ends") {
  const long_journal journal(60);
  const std::uint64_t all = journal.headers.size();
  entry_reader reader = journal.open();
  CHECK(read(reader, all, 5).size() == 1);
  CHECK(read(reader, all + 1, 5).empty());
  CHECK(read(reader, 1, 1).size() == 1);
  const auto nowhere = std::make_shared<memory_file_system>();
  REQUIRE(nowhere->create_directories("/none"));
  auto empty = entry_reader::open(*nowhere, "/none", test_world);
  REQUIRE(empty);
  CHECK(read(*empty, 1, 1).empty());
}

TEST_CASE("an entry reader reads no damaged frame") {
  long_journal journal(120);
  const std::string first_segment = journal.dir + "/" + segment_name({1});
  auto bytes = read_file(*journal.fs, first_segment);
  REQUIRE(bytes);
  (*bytes)[bytes->size() / 2] ^= 1;
  REQUIRE(replace_file(*journal.fs, first_segment, *bytes));
  entry_reader reader = journal.open();
  const auto refused = reader.read({1}, journal.headers.size(), [](const raw_entry&) {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::corrupt);
  // Segments that nothing is asked of are not looked at.
  const std::uint64_t last = journal.headers.size();
  CHECK(read(reader, last, 1) == part(journal.headers, last, 1));
}
