#pragma once
/// Records that were read, kept for the next reader: the head of a row and its version. A row says
/// what a memory was from one seq to another, so what is kept under its number is never out of
/// date. Bounded; what was not asked for since the hand came by last goes first (CLOCK).

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "index/numbers.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Safe from any thread. A lock is held for as long as two pointers are copied; that a put finds
/// room may free others' records under it.
class record_cache {
public:
  struct record {
    shared<mneme::head> head;
    shared<mneme::version> version;
  };

  /// Keeps about `most_bytes`; 0 = nothing.
  explicit record_cache(std::uint64_t most_bytes);

  [[nodiscard]] std::optional<record> find(row_no row);
  /// `bytes` is about what the record holds. One that is there stays.
  void put(row_no row, record what, std::uint64_t bytes);
  /// What all records hold, about.
  [[nodiscard]] std::uint64_t bytes() const;

private:
  struct kept {
    std::uint32_t row = no_number; ///< no_number: free
    bool asked_for = false;        ///< since the hand came by
    std::uint64_t bytes = 0;
    record what;
  };
  /// Rows with one remainder, so that readers seldom meet.
  struct shard {
    mutable std::mutex guard;
    std::unordered_map<std::uint32_t, std::uint32_t> places; // looked up only, never iterated
    std::vector<kept> ring;
    std::vector<std::uint32_t> free;
    std::uint32_t hand = 0;
    std::uint64_t bytes = 0;
  };

  static void make_room(shard& s, std::uint64_t most);

  static constexpr std::size_t shard_count = 64;

  std::uint64_t most_of_shard_;
  std::array<shard, shard_count> shards_;
};

} // namespace mneme
