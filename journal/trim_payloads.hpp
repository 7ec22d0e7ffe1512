#pragma once
/// Dropping in the segments of a journal: payloads that a trim entry names are taken out, so that
/// the segments become smaller. Headers, chain and roots are what they were. Each segment is
/// written anew beside the old one and takes its name at once: it is the one or the other, whatever
/// breaks it off, and who shares the old one by another name keeps it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace mneme {

/// What the frame's last entry says, if that is a trim whose own payload is there.
result<std::optional<journaled_trim>> trim_in(const journal_frame& frame);
/// The trim of the entry `at`, which a frame that lacks payloads names; of one that was dropped
/// itself the one that dropped it. corrupt if there is none.
result<journaled_trim> read_trim(file_system& fs, const std::string& dir, const world_id& world,
                                 seq_no at);
/// Takes out what the trim names and the segments still have, up to `end`, where the last whole
/// frame of a segment ends. Durable when it returns. A call that was broken off can be made again;
/// it reads all that is before the trim's point.
result<void> drop_payloads(file_system& fs, const std::string& dir, const journaled_trim& by,
                           const payload_place& end);
/// Whether that is done: segments are written anew in their order, so it is where the last entry
/// that goes went by this trim. Not of a copy of a log, whose frames may have come without it.
result<bool> is_trimmed_by(file_system& fs, const std::string& dir, const world_id& world,
                           const journaled_trim& by);
/// Where payloads went that a segment still has when it was written anew.
class moved_payloads {
public:
  /// Those from `was` on are as far from it as what was there is now. Ascending.
  void note(std::uint64_t was, std::uint64_t now);
  /// Where that which was at `offset` is now.
  [[nodiscard]] std::uint64_t moved(std::uint64_t offset) const;

private:
  struct step {
    std::uint64_t was = 0;
    std::uint64_t now = 0;
  };
  std::vector<step> steps_;
};
struct rewritten_segment {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes = 0;
  moved_payloads moved;
};
/// drop_payloads() of one segment, to which nothing is appended any more; nullopt if it has nothing
/// of that. Beside readers, who find the one or the other.
result<std::optional<rewritten_segment>> drop_in_segment(file_system& fs, const std::string& dir,
                                                         seq_no segment, const journaled_trim& by);

/// seq_unavailable if entries up to `at` lack what a trim behind it says: a journal that ended
/// there would not say why.
result<void> check_untrimmed(file_system& fs, const std::string& dir, const world_id& world,
                             seq_no at, std::string_view key);
/// Whether there is a trim behind `from`.
result<bool> has_trim_behind(file_system& fs, const std::string& dir, const world_id& world,
                             seq_no from);

} // namespace mneme
