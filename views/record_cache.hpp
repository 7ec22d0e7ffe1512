#pragma once
/// Records that are asked for again and again, kept for the next reader as all share them, decoded
/// by whoever first looked in: the head of a row and its version, by the seq of the entry that made
/// the row. What a memory was from that seq on never changes, so what is kept is never out of date,
/// whatever number the row has. Bounded; what was not asked for since the hand came by last goes
/// first (CLOCK).
///
/// What is asked for once is not kept, and drives nothing out: a table of a few bytes for each of
/// the seqs asked for lately tells the second time from the first.

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "mneme/ids.hpp"
#include "views/packed_record.hpp"
#include "views/seq_slots.hpp"

namespace mneme {

/// Safe from any thread. A lock is held for as long as one record is copied, which is to copy a
/// pointer; that a record finds room may free others' under it.
class record_cache {
public:
  /// Keeps about `most_bytes`; 0 = nothing.
  explicit record_cache(std::uint64_t most_bytes);

  /// What is kept, or whether it was asked for lately, and so is worth to be kept.
  struct answer {
    std::optional<taken_record> record;
    bool is_asked_again = false;
  };
  [[nodiscard]] answer take(seq_no made);
  /// Hints for who takes several: first that each is asked for, then, when that has come, whether
  /// it is kept, and that it is taken; then, of those, that they are looked into.
  void expect(seq_no made) const;
  [[nodiscard]] bool expect_kept(seq_no made) const;
  void expect_look(seq_no made) const;
  /// For those who ask after this. One that is there stays.
  void keep(seq_no made, const taken_record& record);
  /// What is kept of this is kept no more. Who has taken it still has it.
  void forget(seq_no made);
  /// What all records hold decoded, about.
  [[nodiscard]] std::uint64_t bytes() const;

private:
  /// A line of memory.
  struct alignas(64) kept {
    taken_record record;
    std::uint64_t made = 0; ///< seq; 0: free
    bool asked_for = false; ///< since the hand came by
  };
  static_assert(sizeof(kept) == 64);
  /// Seqs with one remainder, so that readers seldom meet.
  struct shard {
    mutable std::mutex guard;
    seq_slots places; ///< in the ring
    std::vector<kept> ring;
    std::vector<std::uint32_t> free;
    std::vector<std::uint32_t> asked_lately; ///< the last bits of seqs, where each has its place
    std::uint32_t hand = 0;
    std::uint64_t bytes = 0;
  };

  static constexpr std::size_t shard_count = 64;
  static constexpr std::size_t seqs_remembered = 1024; ///< by a shard

  [[nodiscard]] const shard& shard_of(seq_no made) const {
    return shards_[made.value % shard_count];
  }
  static void make_room(shard& s, std::uint64_t most);
  static void free_place(shard& s, std::uint32_t at);

  std::uint64_t most_of_shard_;
  std::array<shard, shard_count> shards_;
};

} // namespace mneme
