// The journal while nothing goes wrong, on both file systems: what is appended is read back, over
// segments, seals and reopenings; and journals that are not this world's, or not whole, are refused
// by name.
// Of: journal/segment.cpp, journal/segment_walk.cpp
#include "journal/journal.hpp"

#include <filesystem>
#include <thread>

#include <stdlib.h>

#include "tests/journal/journal_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct memory_place {
  std::shared_ptr<memory_file_system> fs = std::make_shared<memory_file_system>();
  std::string dir = "/w/journal";
};

struct posix_place {
  posix_place() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mneme-test-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = pattern;
    dir = root + "/journal";
  }
  ~posix_place() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  posix_place(const posix_place&) = delete;
  posix_place& operator=(const posix_place&) = delete;
  std::shared_ptr<file_system> fs = make_posix_file_system();
  std::string root;
  std::string dir;
};

const journal_options tiny_segments{.segment_bytes = 1500, .extend_bytes = 256};

/// A journal of `frames` frames, synced after each, closed without a seal.
void write_frames(std::shared_ptr<file_system> fs, const std::string& dir, int frames,
                  const journal_options& options) {
  auto j = open_journal(std::move(fs), dir, options);
  for (int i = 0; i < frames; ++i) {
    REQUIRE(append_next(*j, 1));
    REQUIRE(j->sync());
  }
}

std::uint64_t size_of(file_system& fs, const std::string& path) {
  auto opened = fs.open(path, open_mode::read);
  REQUIRE(opened);
  return (*opened)->size().value();
}

result<void> try_open(std::shared_ptr<file_system> fs, const std::string& dir,
                      seq_no checked_through = {}, const world_id& world = test_world) {
  auto opened = journal::open(std::move(fs), dir, world, test_branch, checked_through);
  if (!opened) return propagate(opened);
  return {};
}

void copy_file(file_system& fs, const std::string& from, const std::string& to) {
  const auto bytes = read_file(fs, from);
  REQUIRE(bytes);
  REQUIRE(replace_file(fs, to, *bytes));
}

} // namespace

TEMPLATE_TEST_CASE("an empty journal has no segment", "[journal]", memory_place, posix_place) {
  TestType place;
  {
    auto j = open_journal(place.fs, place.dir);
    CHECK(j->last_seq() == seq_no{0});
    CHECK(j->durable_through() == seq_no{0});
    CHECK(j->segment_count() == 0);
    CHECK(j->bytes() == 0);
    CHECK(j->tail().last_frame.is_zero());
    // There is nothing to seal.
    CHECK(j->append_seal(root_at(seq_no{0})));
    CHECK(j->sync());
    CHECK(j->trim());
  }
  CHECK(place.fs->list(place.dir).value().empty());
  CHECK(read_frames(*place.fs, place.dir).value().empty());
  CHECK(read_frames(*place.fs, place.dir + "/none").value().empty());
}

TEST_CASE("the frame of an erasure vouches for all before it", "[journal]") {
  memory_place place;
  auto j = open_journal(place.fs, place.dir);
  for (int i = 0; i < 3; ++i) REQUIRE(append_next(*j, 1));
  const seq_no before = j->last_seq();
  REQUIRE(j->durable_through() < before);
  entry erasure = raw_bytes_entry(before.next(), "a header", "a payload");
  erasure.header.kind = entry_kind::erase;
  REQUIRE(j->append(std::vector{erasure}, root_at(before)));
  REQUIRE(j->sync());
  CHECK(read_frames(*place.fs, place.dir)->back().prefix.durable_through == before);
}

TEMPLATE_TEST_CASE("what is appended is read back, before and after reopening", "[journal]",
                   memory_place, posix_place) {
  TestType place;
  digest last_frame;
  {
    auto j = open_journal(place.fs, place.dir);
    for (int i = 0; i < 10; ++i) {
      const auto before = j->last_seq();
      REQUIRE(append_next(*j, 1));
      CHECK(j->durable_through() == before);
      REQUIRE(j->sync());
      CHECK(j->durable_through() == j->last_seq());
    }
    const auto frames = read_frames(*place.fs, place.dir).value();
    CHECK(frames.size() == 10);
    CHECK(require_frames(frames, 1) == j->last_seq());
    CHECK(frames.back().prefix.durable_through.value == frames.back().prefix.first_seq.value - 1);
    last_frame = frames.back().hash;
  }
  auto j = open_journal(place.fs, place.dir);
  CHECK(j->tail().last_frame == last_frame);
  CHECK(j->tail().torn_bytes == 0);
  CHECK(j->durable_through() == j->last_seq());
  REQUIRE(append_next(*j, 1));
  REQUIRE(j->sync());
  CHECK(require_frames(read_frames(*place.fs, place.dir).value(), 1) == j->last_seq());
}

TEST_CASE("no segment begins in a directory that became another journal's", "[journal]") {
  posix_place place;
  const bool is_replaced = GENERATE(false, true);
  auto j = open_journal(place.fs, place.dir, tiny_segments);
  REQUIRE(append_next(*j, 1));
  const std::string moved = place.root + "/moved";
  std::filesystem::rename(place.dir, moved);
  if (is_replaced) {
    auto another = journal::open(place.fs, place.dir, world_of(0x58), test_branch, {});
    REQUIRE(another);
    REQUIRE((*another)->begin());
  } else {
    std::filesystem::create_directory(place.dir);
  }
  const auto names = place.fs->list(place.dir).value();
  result<void> appended;
  for (int i = 0; appended && i < 100; ++i) appended = append_next(*j, 1);
  REQUIRE_FALSE(appended);
  CHECK(appended.error().code == errc::io);
  CHECK(appended.error().message.starts_with(place.dir + " is not where this journal is any more"));
  CHECK(place.fs->list(place.dir).value() == names);
  const auto written = j->last_seq();
  j.reset();
  CHECK(open_journal(place.fs, moved)->last_seq() == written);
}

TEMPLATE_TEST_CASE("zeros are written ahead in steps and cut on close", "[journal]", memory_place,
                   posix_place) {
  TestType place;
  const std::string path = place.dir + "/00000000000000000001.seg";
  const journal_options options{.segment_bytes = 1 << 20, .extend_bytes = 4096};
  auto j = open_journal(place.fs, place.dir, options);
  REQUIRE(append_next(*j, 1));
  CHECK(size_of(*place.fs, path) == 4096);
  while (j->bytes() < 4096) REQUIRE(append_next(*j, 1));
  CHECK(size_of(*place.fs, path) == 8192);
  REQUIRE(j->trim());
  CHECK(size_of(*place.fs, path) == j->bytes());
  CHECK(j->durable_through() == j->last_seq());
  // A journal that was closed so is extended again.
  j = open_journal(place.fs, place.dir, options);
  REQUIRE(append_next(*j, 1));
  CHECK(size_of(*place.fs, path) == 8192);
  CHECK(require_frames(read_frames(*place.fs, place.dir).value(), 1) == j->last_seq());
}

TEMPLATE_TEST_CASE("full segments are trimmed and followed by new ones", "[journal]", memory_place,
                   posix_place) {
  TestType place;
  write_frames(place.fs, place.dir, 60, tiny_segments);
  const auto names = place.fs->list(place.dir).value();
  REQUIRE(names.size() > 3);
  CHECK(names.front() == "00000000000000000001.seg");
  auto j = open_journal(place.fs, place.dir, tiny_segments);
  CHECK(j->segment_count() == names.size());
  const auto frames = read_frames(*place.fs, place.dir).value();
  CHECK(frames.size() == 60);
  CHECK(require_frames(frames, 1) == j->last_seq());
  std::uint64_t bytes = 0;
  for (const auto& frame : frames) bytes += frame_bytes(frame.prefix);
  CHECK(j->bytes() == bytes + names.size() * segment_head_bytes);
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const auto size = size_of(*place.fs, place.dir + "/" + names[i]);
    CHECK(size >= tiny_segments.segment_bytes);
    const auto last = std::ranges::find_if(frames.rbegin(), frames.rend(),
                                           [&](const auto& f) { return f.segment == names[i]; });
    CHECK(size == last->offset + frame_bytes(last->prefix));
  }
}

TEMPLATE_TEST_CASE("reading begins at the frame that holds a seq", "[journal]", memory_place,
                   posix_place) {
  TestType place;
  write_frames(place.fs, place.dir, 30, tiny_segments);
  const auto all = read_frames(*place.fs, place.dir).value();
  const seq_no last = last_seq(all.back().prefix);
  for (std::uint64_t from = 0; from <= last.value; ++from) {
    const auto some = read_frames(*place.fs, place.dir, seq_no{from}).value();
    REQUIRE_FALSE(some.empty());
    REQUIRE(last_seq(some.front().prefix).value >= from);
    if (from > 0) REQUIRE(some.front().prefix.first_seq.value <= from);
    REQUIRE(some.size() == static_cast<std::size_t>(std::ranges::count_if(all, [&](const auto& f) {
              return last_seq(f.prefix).value >= from;
            })));
    // Opening from there on finds the same end.
    auto j = open_journal(place.fs, place.dir, tiny_segments, seq_no{from});
    REQUIRE(j->last_seq() == last);
    REQUIRE(j->tail().last_frame == all.back().hash);
  }
  CHECK(read_frames(*place.fs, place.dir, last.next()).value().empty());
  CHECK(read_frames(*place.fs, place.dir, seq_no{~0ULL}).value().empty());
}

TEST_CASE("a visitor stops the reading, and its error comes through", "[journal]") {
  memory_place place;
  write_frames(place.fs, place.dir, 20, tiny_segments);
  int visited = 0;
  CHECK(read_journal(*place.fs, place.dir, test_world, seq_no{1}, false,
                     [&](const journal_frame&) -> result<bool> { return ++visited < 4; }));
  CHECK(visited == 4);
  auto failed = read_journal(
      *place.fs, place.dir, test_world, seq_no{1}, false,
      [](const journal_frame&) -> result<bool> { return fail(errc::shutdown, "enough"); });
  CHECK(failed.error().code == errc::shutdown);
}

TEMPLATE_TEST_CASE("seals carry the last root and have no seq", "[journal]", memory_place,
                   posix_place) {
  TestType place;
  auto j = open_journal(place.fs, place.dir, tiny_segments);
  for (int i = 0; i < 40; ++i) {
    REQUIRE(append_next(*j, 1));
    if (i % 3 == 0) {
      REQUIRE(j->append_seal(root_at(j->last_seq())));
      const auto bytes = j->bytes();
      REQUIRE(j->append_seal(root_at(j->last_seq())));
      CHECK(j->bytes() == bytes);
    }
    if (i % 7 == 0) {
      j = open_journal(place.fs, place.dir, tiny_segments);
      const auto bytes = j->bytes();
      if (i % 3 == 0) REQUIRE(j->append_seal(root_at(j->last_seq())));
      CHECK(j->bytes() == bytes);
    }
  }
  const auto frames = read_frames(*place.fs, place.dir).value();
  CHECK(require_frames(frames, 1) == j->last_seq());
  CHECK(std::ranges::count_if(frames, [](const auto& f) { return f.prefix.seal; }) == 14);
  // A seal that was written vouches for everything before it.
  for (const auto& frame : frames)
    if (frame.prefix.seal) CHECK(frame.prefix.durable_through == last_seq(frame.prefix));
}

TEST_CASE("segments smaller than a frame", "[journal]") {
  memory_place place;
  const journal_options tiny{.segment_bytes = segment_head_bytes, .extend_bytes = 0};
  auto j = open_journal(place.fs, place.dir, tiny);
  for (int i = 0; i < 12; ++i) {
    REQUIRE(append_next(*j, 1));
    if (i % 2 == 0) REQUIRE(j->append_seal(root_at(j->last_seq())));
    if (i % 4 == 0) j = open_journal(place.fs, place.dir, tiny);
  }
  CHECK(require_frames(read_frames(*place.fs, place.dir).value(), 1) == j->last_seq());
  for (std::uint64_t from = 1; from <= j->last_seq().value; ++from)
    CHECK(open_journal(place.fs, place.dir, tiny, seq_no{from})->last_seq() == j->last_seq());
}

TEST_CASE("a commit over the limits is refused and the journal goes on", "[journal]") {
  memory_place place;
  auto j = open_journal(place.fs, place.dir);
  std::vector<entry> many;
  for (std::uint64_t s = 1; s <= max_frame_entries + 1; ++s)
    many.push_back(raw_bytes_entry(seq_no{s}, "h", "p"));
  CHECK(j->append(many, root_at(seq_no{0})).error().code == errc::limit_exceeded);
  many.pop_back();
  REQUIRE(j->append(many, root_at(seq_no{0})));
  REQUIRE(append_next(*j, 1));
  CHECK(read_frames(*place.fs, place.dir).value().front().entries.size() == max_frame_entries);
}

TEST_CASE("segments of another world or a newer format are refused by name", "[journal]") {
  memory_place place;
  write_frames(place.fs, place.dir, 20, tiny_segments);
  const auto names = place.fs->list(place.dir).value();
  auto refused = try_open(place.fs, place.dir, {}, world_of(9));
  CHECK(refused.error().code == errc::format_unsupported);
  CHECK(refused.error().message.find(names.front()) != std::string::npos);

  // One foreign segment among ours.
  memory_place other;
  other.dir = place.dir;
  auto foreign = journal::open(other.fs, other.dir, world_of(9), test_branch, {}, tiny_segments);
  REQUIRE(foreign);
  for (int i = 0; i < 20; ++i) REQUIRE(append_next(**foreign, 1));
  const std::string middle = place.dir + "/" + names[1];
  const auto ours = place.fs->testing_bytes(middle).value();
  place.fs->testing_set_bytes(middle, other.fs->testing_bytes(middle).value());
  for (const seq_no checked : {seq_no{0}, seq_no{20}}) {
    refused = try_open(place.fs, place.dir, checked);
    CHECK(refused.error().code == errc::format_unsupported);
    CHECK(refused.error().message.find(names[1]) != std::string::npos);
  }
  CHECK(read_frames(*place.fs, place.dir, {}, true).error().code == errc::format_unsupported);

  std::string newer = ours;
  newer[4] = 2;
  const auto crc = crc_of_head(newer);
  for (std::size_t i = 0; i < 4; ++i)
    newer[segment_head_bytes - 4 + i] = static_cast<char>(crc >> (8 * i));
  place.fs->testing_set_bytes(middle, newer);
  refused = try_open(place.fs, place.dir);
  CHECK(refused.error().code == errc::format_unsupported);
  CHECK(refused.error().message.find(names[1]) != std::string::npos);
}

TEST_CASE("missing and misplaced segments are corrupt", "[journal]") {
  memory_place place;
  write_frames(place.fs, place.dir, 60, tiny_segments);
  const auto names = place.fs->list(place.dir).value();
  REQUIRE(names.size() >= 5);
  const auto whole = place.fs->image();
  const seq_no last = open_journal(place.fs, place.dir)->last_seq();
  const auto expect_corrupt = [&](const std::shared_ptr<memory_file_system>& fs,
                                  const std::string& named, bool read_too = true) {
    for (const seq_no checked : {seq_no{0}, last}) {
      auto opened = try_open(fs, place.dir, checked);
      REQUIRE_FALSE(opened);
      CHECK(opened.error().code == errc::corrupt);
      CHECK(opened.error().message.find(named) != std::string::npos);
    }
    if (!read_too) return;
    auto read = read_frames(*fs, place.dir, {}, true);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == errc::corrupt);
  };
  // Any one is missing: the next one says so. Without the last one the end is too early, which
  // only the caller can know.
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    auto fs = std::make_shared<memory_file_system>(whole);
    REQUIRE(fs->remove(place.dir + "/" + names[i]));
    expect_corrupt(fs, names[i + 1]);
  }
  auto fs = std::make_shared<memory_file_system>(whole);
  REQUIRE(fs->remove(place.dir + "/" + names.back()));
  CHECK(try_open(fs, place.dir));
  auto early = try_open(fs, place.dir, last);
  CHECK(early.error().code == errc::corrupt);
  CHECK(early.error().message.find(names[names.size() - 2]) != std::string::npos);
  for (const auto& name : names)
    if (fs->exists(place.dir + "/" + name).value()) REQUIRE(fs->remove(place.dir + "/" + name));
  CHECK(try_open(fs, place.dir, last).error().code == errc::corrupt);

  // One under another's name, and a name that is none.
  fs = std::make_shared<memory_file_system>(whole);
  copy_file(*fs, place.dir + "/" + names[2], place.dir + "/" + names[1]);
  expect_corrupt(fs, names[1]);
  fs = std::make_shared<memory_file_system>(whole);
  copy_file(*fs, place.dir + "/" + names[2], place.dir + "/2.seg");
  expect_corrupt(fs, "2.seg");
  // Other files are not the journal's business.
  fs = std::make_shared<memory_file_system>(whole);
  copy_file(*fs, place.dir + "/" + names[2], place.dir + "/notes.txt");
  CHECK(try_open(fs, place.dir));
}

TEST_CASE("a branch of the same world may take over segments", "[journal]") {
  memory_place place;
  write_frames(place.fs, place.dir, 5, {});
  auto fork = journal::open(place.fs, place.dir, test_world, {0xB2}, {});
  REQUIRE(fork);
  REQUIRE(append_next(**fork, 1));
  CHECK(require_frames(read_frames(*place.fs, place.dir).value(), 1) == (*fork)->last_seq());
}

TEMPLATE_TEST_CASE("readers beside the writer see whole frames in order", "[journal][threads]",
                   memory_place, posix_place) {
  TestType place;
  auto j = open_journal(place.fs, place.dir, {.segment_bytes = 20'000, .extend_bytes = 4096});
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> published = 0;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([&, t] {
      do {
        const auto at_least = published.load();
        const seq_no from{t == 0 ? 1 : std::max<std::uint64_t>(1, at_least)};
        seq_no last;
        auto ok = read_journal(*place.fs, place.dir, test_world, from, true,
                               [&](const journal_frame& frame) -> result<bool> {
                                 last = last_seq(frame.prefix);
                                 return true;
                               });
        if (!ok || last.value < at_least) ++wrong;
      } while (!done.load());
    });
  for (int i = 0; i < 300; ++i) {
    if (!append_next(*j, 1, 400) || (i % 3 == 0 && !j->sync())
        || (i % 50 == 0 && !j->append_seal(root_at(j->last_seq()))))
      ++wrong;
    published = j->last_seq().value;
  }
  done = true;
  for (auto& t : readers) t.join();
  CHECK(wrong == 0);
  CHECK(require_frames(read_frames(*place.fs, place.dir).value(), 1, 400) == j->last_seq());
}
