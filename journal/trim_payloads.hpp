#pragma once
/// Dropping in the segments of a journal: payloads that a trim entry names are taken out, so that
/// the segments become smaller. Headers, chain and roots are what they were. Each segment is
/// written anew beside the old one and takes its name at once: it is the one or the other, whatever
/// breaks it off, and who shares the old one by another name keeps it.

#include <optional>
#include <string>

#include "journal/journal.hpp"

namespace mneme {

/// A trim that a journal has.
struct journaled_trim {
  seq_no at; ///< its entry
  trim_payload trim;
};

/// What the frame's last entry says, if that is a trim whose own payload is there.
result<std::optional<journaled_trim>> trim_in(const journal_frame& frame);
/// The trim of the entry `at`, which a frame that lacks payloads names; of one that was dropped
/// itself the one that dropped it. corrupt if there is none.
result<journaled_trim> read_trim(file_system& fs, const std::string& dir, const world_id& world,
                                 seq_no at);
/// Takes out what the trim names and the segments still have, up to `end`, where the last whole
/// frame of a segment ends. Durable when it returns. A call that was broken off can be made again;
/// one that is made again for nothing looks at little.
result<void> drop_payloads(file_system& fs, const std::string& dir, const world_id& world,
                           const journaled_trim& by, const payload_place& end);
/// seq_unavailable if entries up to `at` lack what a trim behind it says: a journal that ended
/// there would not say why.
result<void> check_untrimmed(file_system& fs, const std::string& dir, const world_id& world,
                             seq_no at, std::string_view key);
/// Whether there is a trim behind `from`.
result<bool> has_trim_behind(file_system& fs, const std::string& dir, const world_id& world,
                             seq_no from);

} // namespace mneme
