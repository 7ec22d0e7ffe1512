#pragma once
/// Journals for tests: where they live, what is written to them, and what must be read back.

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <zlib.h>

#include "journal/journal.hpp"
#include "messages/hash.hpp"
#include "storage/memory_file_system.hpp"
#include "tests/journal/sample_world.hpp"

namespace mneme::testing {

using samples::dice;

/// Never all zeros: no canonical payload is.
inline std::string noise(dice& random, std::size_t size) {
  std::string out;
  while (out.size() < size) out.push_back(static_cast<char>(random.next() | 1));
  return out;
}

inline world_id world_of(std::uint8_t fill) {
  world_id world;
  world.bytes.fill(fill);
  return world;
}
inline const world_id test_world = world_of(0x57);
inline constexpr std::array<std::uint8_t, 16> test_branch{0xB1};

/// The journal carries bytes; what they mean is not its business.
inline entry raw_bytes_entry(seq_no seq, std::string header, std::string payload) {
  entry e;
  e.header.seq = seq;
  e.header_bytes = std::move(header);
  e.payload_bytes = std::move(payload);
  return e;
}

/// Stands for the root after entry `seq`.
inline digest root_at(seq_no seq) {
  return sha256_of("root " + std::to_string(seq.value));
}

/// One frame's worth of entries: a function of seed and first seq.
inline std::vector<entry> entries_of(std::uint64_t seed, seq_no first,
                                     std::size_t payload_max = 80) {
  dice roll(seed * 0x10001 + first.value);
  std::vector<entry> entries;
  const auto count = 1 + roll.below(3);
  for (std::uint64_t i = 0; i < count; ++i)
    entries.push_back(raw_bytes_entry(seq_no{first.value + i}, noise(roll, 1 + roll.below(30)),
                                      noise(roll, 1 + roll.below(payload_max))));
  return entries;
}

/// The CRC that belongs at the end of a segment head.
inline unsigned long crc_of_head(const std::string& bytes) {
  return ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()),
                 static_cast<uInt>(segment_head_bytes - 4));
}

inline std::unique_ptr<journal> open_journal(std::shared_ptr<file_system> fs,
                                             const std::string& dir,
                                             const journal_options& options = {},
                                             seq_no checked_through = {}) {
  auto opened =
      journal::open(std::move(fs), dir, test_world, test_branch, checked_through, options);
  if (!opened) FAIL(opened.error().message);
  return std::move(*opened);
}

/// Appends the next frame of `seed`.
inline result<void> append_next(journal& j, std::uint64_t seed, std::size_t payload_max = 80) {
  return j.append(entries_of(seed, j.last_seq().next(), payload_max), root_at(j.last_seq()));
}

inline result<std::vector<journal_frame>> read_frames(file_system& fs, const std::string& dir,
                                                      seq_no from = {}, bool tolerate = false) {
  std::vector<journal_frame> frames;
  auto ok = read_journal(fs, dir, test_world, from, tolerate,
                         [&](const journal_frame& frame) -> result<bool> {
                           frames.push_back(frame);
                           return true;
                         });
  if (!ok) return propagate(ok);
  return frames;
}

/// Checks that `frame` holds exactly the entries of `seed` and chains to what was before.
inline void require_frame(const journal_frame& frame, std::uint64_t seed, seq_no first,
                          std::size_t payload_max = 80) {
  const auto expected = entries_of(seed, first, payload_max);
  REQUIRE(frame.prefix.first_seq == first);
  REQUIRE(frame.prefix.previous_root == root_at(seq_no{first.value - 1}));
  REQUIRE(frame.entries.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    REQUIRE(frame.entries[i].header == expected[i].header_bytes);
    REQUIRE(frame.entries[i].payload == expected[i].payload_bytes);
    REQUIRE_FALSE(frame.entries[i].erased);
  }
}

/// Checks a whole journal of frames of `seed` (seals may stand between them); its last seq.
inline seq_no require_frames(const std::vector<journal_frame>& frames, std::uint64_t seed,
                             std::size_t payload_max = 80) {
  seq_no last;
  digest previous;
  for (const auto& frame : frames) {
    REQUIRE(frame.prefix.previous_frame == previous);
    previous = frame.hash;
    if (frame.prefix.seal) {
      REQUIRE(frame.prefix.first_seq == last.next());
      REQUIRE(frame.prefix.previous_root == root_at(last));
      REQUIRE(frame.entries.empty());
      continue;
    }
    require_frame(frame, seed, last.next(), payload_max);
    last.value += frame.entries.size();
  }
  return last;
}

} // namespace mneme::testing
