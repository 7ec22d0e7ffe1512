#pragma once
/// Records that were written or read lately, kept for the next reader: the head of a row and its
/// version, by the seq of the entry that made the row. What a memory was from that seq on never
/// changes, so what is kept is never out of date, whatever number the row has. Kept as its bytes,
/// and, once it is asked for again, as all share it decoded. Bounded; of what was not asked for
/// since the hand came by last, first the decoded goes, then the bytes (CLOCK).

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mneme/ids.hpp"
#include "views/packed_record.hpp"

namespace mneme {

/// Safe from any thread. A lock is held for as long as one record is copied, which is to copy a
/// pointer; that a put finds room may free others' records under it.
class record_cache {
public:
  /// Keeps about `most_bytes`; 0 = nothing.
  explicit record_cache(std::uint64_t most_bytes);

  /// For a reader.
  [[nodiscard]] std::optional<taken_record> take(seq_no made);
  /// Its bytes, for who makes another record of it. Does not count as asking.
  [[nodiscard]] std::optional<packed_record> find(seq_no made) const;
  /// One that is there stays.
  void put(seq_no made, packed_record what);
  /// What all records hold, about.
  [[nodiscard]] std::uint64_t bytes() const;

private:
  struct kept {
    std::uint64_t made = 0; ///< seq; 0: free
    bool asked_for = false; ///< since the hand came by
    std::optional<packed_record> what;
    std::optional<taken_record> decoded; ///< of what is asked for again and again
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

  void keep_decoded(shard& s, seq_no made, const taken_record& record) const;
  static kept* kept_of(shard& s, seq_no made);
  static void make_room(shard& s, std::uint64_t most);

  static constexpr std::size_t shard_count = 64;

  std::uint64_t most_of_shard_;
  std::array<shard, shard_count> shards_;
};

} // namespace mneme
