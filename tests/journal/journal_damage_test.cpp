// Damage: a torn tail is cut and reported, everything else stops the opening with segment and
// offset. Each test damages the bytes of a good journal in every place that it names.
// Of: journal/segment.cpp
#include "tests/journal/journal_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

const std::string damage_dir = "/w/journal";
const std::string first_segment = "00000000000000000001.seg";
const std::string segment_path = damage_dir + "/" + first_segment;

using memory_fs = std::shared_ptr<memory_file_system>;

struct written {
  memory_fs fs;
  std::string bytes; ///< of the first segment
  std::vector<journal_frame> frames;
};

/// Three frames, each synced before the next; cut at the end, so that every byte counts.
written three_frames(bool sealed) {
  written w;
  w.fs = std::make_shared<memory_file_system>();
  auto j = open_journal(w.fs, damage_dir);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(append_next(*j, 1));
    REQUIRE(j->sync());
  }
  if (sealed) REQUIRE(j->append_seal(root_at(j->last_seq())));
  REQUIRE(j->trim());
  w.bytes = w.fs->testing_bytes(segment_path).value();
  w.frames = read_frames(*w.fs, damage_dir).value();
  return w;
}

result<std::unique_ptr<journal>> try_open(const memory_fs& fs, seq_no checked_through = {}) {
  return journal::open(fs, damage_dir, test_world, test_branch, checked_through,
                       {.extend_bytes = 512});
}

bool names_place(const error& e, const std::string& segment) {
  return e.message.find(segment) != std::string::npos
         && e.message.find("offset") != std::string::npos;
}

/// Opens a journal whose tail from `offset` on is torn: it must be cut, reported, and usable.
void require_cut(const memory_fs& fs, std::uint64_t offset, seq_no last, std::uint64_t torn) {
  REQUIRE(read_frames(*fs, damage_dir, {}, true).has_value());
  if (torn > 0) REQUIRE(read_frames(*fs, damage_dir, {}, false).error().code == errc::corrupt);
  {
    auto j = try_open(fs);
    REQUIRE(j);
    REQUIRE((*j)->last_seq() == last);
    REQUIRE((*j)->tail().torn_bytes == torn);
    REQUIRE((*j)->tail().torn_offset == (torn > 0 ? offset : 0));
    REQUIRE((*j)->tail().torn_segment == (torn > 0 ? first_segment : ""));
    // What was cut is cut on the disk, before anything new is written.
    if (torn > 0) REQUIRE(fs->testing_durable_bytes(segment_path)->size() == offset);
    REQUIRE(append_next(**j, 1));
    REQUIRE((*j)->sync());
  }
  auto again = try_open(fs);
  REQUIRE(again);
  REQUIRE((*again)->tail().torn_bytes == 0);
  REQUIRE(require_frames(read_frames(*fs, damage_dir).value(), 1) == (*again)->last_seq());
}

std::uint64_t end_of(const journal_frame& frame) {
  return frame.offset + frame_bytes(frame.prefix);
}

} // namespace

TEST_CASE("a tail torn at every byte of the last frame is cut", "[journal][damage]") {
  const auto w = three_frames(false);
  const auto& last = w.frames.back();
  const seq_no kept = last_seq(w.frames[1].prefix);
  for (std::uint64_t size = last.offset; size < w.bytes.size(); ++size) {
    INFO("size " << size);
    // The file ends there, or goes on with the zeros that were written ahead.
    w.fs->testing_set_bytes(segment_path, w.bytes.substr(0, size));
    require_cut(w.fs, last.offset, kept, size - last.offset);
    std::string ahead = w.bytes.substr(0, size);
    ahead.resize(w.bytes.size() + 300, '\0');
    if (ahead.substr(0, w.bytes.size()) == w.bytes) continue; // it ended with zeros: it is whole
    const bool blank = ahead.find_first_not_of('\0', last.offset) == std::string::npos;
    w.fs->testing_set_bytes(segment_path, ahead);
    require_cut(w.fs, last.offset, kept, blank ? 0 : ahead.size() - last.offset);
  }
}

TEST_CASE("a torn tail at or before a checked seq is corrupt", "[journal][damage]") {
  const auto w = three_frames(false);
  w.fs->testing_set_bytes(segment_path, w.bytes.substr(0, w.bytes.size() - 1));
  const auto& last = w.frames.back();
  for (std::uint64_t s = 0; s <= last_seq(last.prefix).value; ++s) {
    memory_fs fs = std::make_shared<memory_file_system>(w.fs->image());
    auto opened = try_open(fs, seq_no{s});
    REQUIRE(opened.has_value() == (s < last.prefix.first_seq.value));
    if (!opened) {
      CHECK(opened.error().code == errc::corrupt);
      CHECK(names_place(opened.error(), first_segment));
      CHECK(opened.error().message.find(std::to_string(last.offset)) != std::string::npos);
      // Nothing was cut.
      CHECK(fs->testing_bytes(segment_path)->size() == w.bytes.size() - 1);
    }
  }
}

TEST_CASE("a flipped bit anywhere but in the unsealed last frame is corrupt", "[journal][damage]") {
  for (const bool sealed : {false, true}) {
    const auto w = three_frames(sealed);
    const auto& last = w.frames.back();
    const auto image = w.fs->image();
    for (std::size_t at = 0; at < w.bytes.size(); ++at) {
      const int bit = static_cast<int>(at % 8);
      INFO("sealed " << sealed << ", byte " << at << ", bit " << bit);
      memory_fs fs = std::make_shared<memory_file_system>(image);
      std::string damaged = w.bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      fs->testing_set_bytes(segment_path, damaged);
      const bool tail = at >= last.offset;
      const auto read = read_frames(*fs, damage_dir, {}, true);
      REQUIRE(read.has_value() == tail);
      auto opened = try_open(fs);
      REQUIRE(opened.has_value() == tail);
      if (tail) {
        REQUIRE((*opened)->last_seq() == last_seq(w.frames[w.frames.size() - 2].prefix));
        REQUIRE((*opened)->tail().torn_bytes == w.bytes.size() - last.offset);
      } else {
        REQUIRE(opened.error().code == errc::corrupt);
        REQUIRE(names_place(opened.error(), first_segment));
        REQUIRE(read.error().code == errc::corrupt);
        REQUIRE(names_place(read.error(), first_segment));
        REQUIRE(fs->testing_bytes(segment_path) == damaged);
      }
    }
  }
}

TEST_CASE("every frame of a segment that is not the last is beyond doubt", "[journal][damage]") {
  memory_fs base = std::make_shared<memory_file_system>();
  {
    auto j = open_journal(base, damage_dir, {.segment_bytes = 600, .extend_bytes = 64});
    while (j->segment_count() < 2) REQUIRE(append_next(*j, 1));
  }
  const auto bytes = base->testing_bytes(segment_path).value();
  const auto image = base->image();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    INFO("byte " << at);
    memory_fs fs = std::make_shared<memory_file_system>(image);
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    fs->testing_set_bytes(segment_path, damaged);
    auto opened = try_open(fs);
    REQUIRE_FALSE(opened);
    REQUIRE(opened.error().code == errc::corrupt);
    REQUIRE(names_place(opened.error(), first_segment));
    fs->testing_set_bytes(segment_path, bytes.substr(0, at));
    opened = try_open(fs);
    REQUIRE_FALSE(opened);
    REQUIRE(opened.error().code == errc::corrupt);
  }
  // Anything behind its last frame is damage too.
  for (const std::string& extra :
       {std::string(1, '\0'), std::string(200, '\0'), std::string("x")}) {
    memory_fs fs = std::make_shared<memory_file_system>(image);
    fs->testing_set_bytes(segment_path, bytes + extra);
    REQUIRE(try_open(fs).error().code == errc::corrupt);
  }
}

TEST_CASE("a sector of zeros over a durable frame is corrupt, over the last one torn",
          "[journal][damage]") {
  const auto w = three_frames(false);
  const auto image = w.fs->image();
  for (std::size_t i = 0; i < w.frames.size(); ++i) {
    memory_fs fs = std::make_shared<memory_file_system>(image);
    std::string damaged = w.bytes;
    damaged.replace(w.frames[i].offset, 40, std::string(40, '\0'));
    fs->testing_set_bytes(segment_path, damaged);
    auto opened = try_open(fs);
    REQUIRE(opened.has_value() == (i == 2));
    REQUIRE(read_frames(*fs, damage_dir, {}, true).has_value() == (i == 2));
  }
}

TEST_CASE("frames that were never synced may all be torn but the last whole", "[journal][damage]") {
  // A disk may write the last of several unsynced frames first; that is a crash, not damage.
  memory_fs fs = std::make_shared<memory_file_system>();
  {
    auto j = open_journal(fs, damage_dir);
    for (int i = 0; i < 4; ++i) REQUIRE(append_next(*j, 1));
    REQUIRE(j->sync());
    REQUIRE(j->trim());
  }
  const auto frames = read_frames(*fs, damage_dir).value();
  std::string torn = fs->testing_bytes(segment_path).value();
  torn.replace(frames[1].offset, 30, std::string(30, '\0'));
  fs->testing_set_bytes(segment_path, torn);
  require_cut(fs, frames[1].offset, last_seq(frames[0].prefix), torn.size() - frames[1].offset);
}

TEST_CASE("what a copy of a log lost of its end is cut, if the log has it", "[journal][damage]") {
  // Whoever led it synced each frame before the next; the copy took all of them and then synced.
  for (const std::size_t lost : {0U, 1U}) {
    INFO("frame " << lost);
    const written w = three_frames(false);
    std::string torn = w.bytes;
    torn.replace(w.frames[lost].offset, 30, std::string(30, '\0'));
    w.fs->testing_set_bytes(segment_path, torn);
    CHECK(try_open(w.fs).error().code == errc::corrupt);
    const auto open_copy = [&](seq_no checked_through, const frame_check& in_log) {
      return journal::open(w.fs, damage_dir, test_world, test_branch, checked_through,
                           {.extend_bytes = 512, .is_copy = true, .in_log = in_log});
    };
    const auto rolled_back = [](seq_no, const digest&) -> result<bool> { return false; };
    const auto away = [](seq_no, const digest&) -> result<bool> {
      return fail(errc::busy, "away");
    };
    int asked = 0;
    const auto has_all = [&](seq_no last, const digest& frame) -> result<bool> {
      ++asked;
      CHECK(last == last_seq(w.frames.back().prefix));
      CHECK(frame == w.frames.back().hash);
      return true;
    };
    const seq_no kept{lost == 0 ? 0 : last_seq(w.frames[lost - 1].prefix).value};
    CHECK(open_copy(kept, rolled_back).error().code == errc::corrupt);
    CHECK(open_copy(kept, away).error().code == errc::busy);
    CHECK(open_copy(kept.next(), has_all).error().code == errc::corrupt);
    CHECK(asked == 0);
    CHECK(w.fs->testing_bytes(segment_path) == torn);
    {
      auto copy = open_copy(kept, has_all);
      REQUIRE(copy);
      CHECK((*copy)->last_seq() == kept);
      CHECK((*copy)->tail().torn_bytes == torn.size() - w.frames[lost].offset);
    }
    CHECK(asked == 1);
    CHECK(w.fs->testing_durable_bytes(segment_path)->size() == w.frames[lost].offset);
  }
}

TEST_CASE("a damaged seal before a whole frame is corrupt", "[journal][damage]") {
  memory_fs fs = std::make_shared<memory_file_system>();
  {
    auto j = open_journal(fs, damage_dir);
    REQUIRE(append_next(*j, 1));
    REQUIRE(j->append_seal(root_at(j->last_seq())));
    REQUIRE(append_next(*j, 1));
    REQUIRE(j->trim());
  }
  const auto frames = read_frames(*fs, damage_dir).value();
  REQUIRE(frames[1].prefix.seal);
  std::string damaged = fs->testing_bytes(segment_path).value();
  damaged[frames[1].offset + 50] ^= 1;
  fs->testing_set_bytes(segment_path, damaged);
  CHECK(try_open(fs).error().code == errc::corrupt);
}

TEST_CASE("content that looks like a frame vouches for nothing", "[journal][damage]") {
  memory_fs fs = std::make_shared<memory_file_system>();
  std::uint64_t offset = 0;
  {
    auto j = open_journal(fs, damage_dir);
    REQUIRE(append_next(*j, 1));
    REQUIRE(j->sync());
    const seq_no next = j->last_seq().next();
    const auto forged = encode_frame(entries_of(1, seq_no{next.value + 9}), {next.value + 9}, false,
                                     {}, {}, {next.value + 8});
    offset = j->bytes();
    const std::vector<entry> entries{raw_bytes_entry(next, "h", forged.bytes + "tail")};
    REQUIRE(j->append(entries, root_at(j->last_seq())));
    REQUIRE(j->trim());
  }
  std::string torn = fs->testing_bytes(segment_path).value();
  torn.back() = static_cast<char>(torn.back() ^ 1);
  fs->testing_set_bytes(segment_path, torn);
  auto opened = try_open(fs);
  REQUIRE(opened);
  CHECK((*opened)->tail().torn_offset == offset);
}

TEST_CASE("garbage behind the last frame is cut", "[journal][damage]") {
  const auto w = three_frames(true);
  const auto image = w.fs->image();
  const std::string stale = w.bytes.substr(w.frames[1].offset, 200);
  for (const std::string& extra : {std::string("x"), std::string(500, 'g'), stale}) {
    memory_fs fs = std::make_shared<memory_file_system>(image);
    fs->testing_set_bytes(segment_path, w.bytes + extra);
    auto opened = try_open(fs);
    if (extra == stale && extra.size() >= frame_bytes(w.frames[1].prefix)) {
      // A whole frame that does not continue the sequence is no torn tail.
      CHECK(opened.error().code == errc::corrupt);
      continue;
    }
    REQUIRE(opened);
    CHECK((*opened)->last_seq() == last_seq(w.frames.back().prefix));
    CHECK((*opened)->tail().torn_bytes == extra.size());
  }
}

TEST_CASE("frames of another history do not continue this one", "[journal][damage]") {
  const auto ours = three_frames(true);
  memory_fs other = std::make_shared<memory_file_system>();
  {
    auto j = open_journal(other, damage_dir);
    // The same sizes and seqs, other content.
    for (const auto& frame : ours.frames) {
      std::vector<entry> entries;
      seq_no seq = frame.prefix.first_seq;
      for (const auto& raw : frame.entries) {
        entries.push_back(raw_bytes_entry(seq, std::string(raw.header.size(), 'z'), raw.payload));
        seq = seq.next();
      }
      if (frame.prefix.seal)
        REQUIRE(j->append_seal(root_at(j->last_seq())));
      else
        REQUIRE(j->append(entries, root_at(j->last_seq())));
      REQUIRE(j->sync());
    }
    REQUIRE(j->trim());
  }
  const auto theirs = other->testing_bytes(segment_path).value();
  REQUIRE(theirs.size() == ours.bytes.size());
  for (std::size_t i = 0; i < ours.frames.size(); ++i) {
    const auto offset = ours.frames[i].offset;
    const auto size = frame_bytes(ours.frames[i].prefix);
    memory_fs fs = std::make_shared<memory_file_system>(ours.fs->image());
    std::string mixed = ours.bytes;
    mixed.replace(offset, size, theirs.substr(offset, size));
    fs->testing_set_bytes(segment_path, mixed);
    auto opened = try_open(fs);
    // The first frame is nobody's successor: the second one shows the exchange.
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == errc::corrupt);
    CHECK(opened.error().message.find("chain") != std::string::npos);
    CHECK(names_place(opened.error(), first_segment));
  }
}

TEST_CASE("repeated, missing and swapped frames are corrupt", "[journal][damage]") {
  const auto w = three_frames(true);
  const auto part = [&](std::size_t i) {
    return w.bytes.substr(w.frames[i].offset, frame_bytes(w.frames[i].prefix));
  };
  const std::string head = w.bytes.substr(0, segment_head_bytes);
  for (const std::string& wrong :
       {head + part(0) + part(0) + part(1) + part(2), head + part(0) + part(2) + part(3),
        head + part(1) + part(0) + part(2), head + part(1) + part(2)}) {
    w.fs->testing_set_bytes(segment_path, wrong);
    auto opened = try_open(w.fs);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == errc::corrupt);
    CHECK(opened.error().message.find("begins at seq") != std::string::npos);
    CHECK(read_frames(*w.fs, damage_dir, {}, true).error().code == errc::corrupt);
  }
}

TEST_CASE("a torn head of the last segment is removed, if nothing can be behind it",
          "[journal][damage]") {
  memory_fs base = std::make_shared<memory_file_system>();
  seq_no before;
  {
    auto j = open_journal(base, damage_dir, {.segment_bytes = 600, .extend_bytes = 64});
    while (j->segment_count() < 2) {
      before = j->last_seq();
      REQUIRE(append_next(*j, 1));
    }
  }
  const std::string name = base->list(damage_dir).value().back();
  const std::string last_path = damage_dir + "/" + name;
  const auto bytes = base->testing_bytes(last_path).value();
  const auto image = base->image();
  for (std::size_t size = 0; size <= segment_head_bytes; ++size) {
    for (const std::size_t zeros : {0U, 1U, 300U}) {
      INFO("size " << size << ", zeros " << zeros);
      memory_fs fs = std::make_shared<memory_file_system>(image);
      fs->testing_set_bytes(last_path, bytes.substr(0, size) + std::string(zeros, '\0'));
      REQUIRE(read_frames(*fs, damage_dir, {}, true));
      auto opened = try_open(fs);
      REQUIRE(opened);
      REQUIRE((*opened)->last_seq() == before);
      if (size < segment_head_bytes) {
        REQUIRE((*opened)->tail().torn_segment == name);
        REQUIRE_FALSE(fs->exists(last_path).value());
      }
      REQUIRE(append_next(**opened, 1));
      REQUIRE(require_frames(read_frames(*fs, damage_dir).value(), 1) == (*opened)->last_seq());
      // A seq that was durable in it makes it damage.
      fs = std::make_shared<memory_file_system>(image);
      fs->testing_set_bytes(last_path, bytes.substr(0, size) + std::string(zeros, '\0'));
      REQUIRE(try_open(fs, before.next()).error().code == errc::corrupt);
    }
  }
  for (std::size_t at = 0; at < segment_head_bytes; ++at) {
    memory_fs fs = std::make_shared<memory_file_system>(image);
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 2);
    fs->testing_set_bytes(last_path, damaged);
    auto opened = try_open(fs);
    REQUIRE_FALSE(opened);
    REQUIRE(opened.error().code == errc::corrupt);
    REQUIRE(names_place(opened.error(), name));
  }
}

TEST_CASE("a torn head of the only segment leaves an empty journal", "[journal][damage]") {
  const auto w = three_frames(false);
  for (std::size_t size = 0; size < segment_head_bytes; ++size) {
    w.fs->testing_set_bytes(segment_path, w.bytes.substr(0, size));
    auto opened = try_open(w.fs);
    REQUIRE(opened);
    REQUIRE((*opened)->last_seq() == seq_no{0});
    REQUIRE(append_next(**opened, 1));
    REQUIRE((*opened)->sync());
    REQUIRE(require_frames(read_frames(*w.fs, damage_dir).value(), 1) == (*opened)->last_seq());
  }
}

TEST_CASE("damage before the checked seq is found by reading, not by opening",
          "[journal][damage]") {
  // Opening only walks past what a checkpoint vouches for; verify reads everything.
  const auto w = three_frames(true);
  std::string damaged = w.bytes;
  damaged[end_of(w.frames[0]) - 1] ^= 1; // in a payload
  w.fs->testing_set_bytes(segment_path, damaged);
  CHECK(try_open(w.fs, last_seq(w.frames[1].prefix)).has_value());
  CHECK(try_open(w.fs, last_seq(w.frames[0].prefix)).error().code == errc::corrupt);
  CHECK(read_frames(*w.fs, damage_dir, {}, true).error().code == errc::corrupt);
}
