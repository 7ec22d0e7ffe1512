#pragma once
/// Records that were read, kept for the next reader: the head of a row and its version, by the seq
/// of the entry that made the row. What a memory was from that seq on never changes, so what is
/// kept is never out of date, whatever number the row has. Bounded; what was not asked for since
/// the hand came by last goes first (CLOCK).

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mneme/types.hpp"

namespace mneme {

/// Safe from any thread. A lock is held for as long as two pointers are copied; that a put finds
/// room may free others' records under it.
class record_cache {
public:
  struct record {
    shared<mneme::head> head;
    shared<mneme::version> version;
    std::uint64_t bytes = 0; ///< that both hold, about
  };

  /// Keeps about `most_bytes`; 0 = nothing.
  explicit record_cache(std::uint64_t most_bytes);

  [[nodiscard]] std::optional<record> find(seq_no made);
  /// One that is there stays.
  void put(seq_no made, record what);
  /// What all records hold, about.
  [[nodiscard]] std::uint64_t bytes() const;

private:
  struct kept {
    std::uint64_t made = 0; ///< seq; 0: free
    bool asked_for = false; ///< since the hand came by
    record what;
  };
  /// Seqs with one remainder, so that readers seldom meet.
  struct shard {
    mutable std::mutex guard;
    std::unordered_map<std::uint64_t, std::uint32_t> places; // looked up only, never iterated
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
