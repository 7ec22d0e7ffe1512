#pragma once
/// The note ERASED: which payloads of a journal are erased though no entry of it says so, since the
/// entry that did comes behind where this world parted from the one that has it. Without the note a
/// payload of zeros would be damage.

#include <cstdint>
#include <string>
#include <vector>

#include "mneme/ids.hpp"
#include "storage/file.hpp"
#include "views/erased_elsewhere.hpp"

namespace mneme {

std::string erased_note_path(const std::string& directory);
/// Ascending; none where there is no note. corrupt if it cannot be read.
result<std::vector<seq_no>> read_erased_note(file_system& files, const std::string& directory);

/// busy where an erasure of the world goes on, or was broken off and is not finished: until the
/// world is opened for writing, payloads of it are neither what they were nor zeros.
result<void> check_not_erasing(file_system& files, const std::string& directory,
                               const world_id& world);

/// How far behind a cut is read: a copy of what is whole may be all that is left to make.
enum class read_behind : std::uint8_t { all, up_to_damage };

/// The entries up to `cut` of the world in `directory` that are erased by entries behind it, or by
/// its own note. Reads the journal from the cut on.
result<std::vector<seq_no>> erased_from_behind(file_system& files, const std::string& directory,
                                               const world_id& world, seq_no cut,
                                               read_behind how = read_behind::all);
/// The same up to `end`, which is not before the cut: whatever of it a copy may have as zeros that
/// has not all entries up to there yet.
result<std::vector<seq_no>> erased_up_to(file_system& files, const std::string& directory,
                                         const world_id& world, seq_no cut, seq_no end);
/// busy unless these are they still: what was copied while it was erased is neither what it was nor
/// zeros. The same where payloads up to the cut were trimmed by an entry behind it.
result<void> check_erased_still(file_system& files, const std::string& directory,
                                const world_id& world, seq_no cut,
                                const std::vector<seq_no>& known);
/// busy in place of a damage that a trim explains which came while files were copied up to the cut.
error unless_trimmed_meanwhile(file_system& files, const std::string& directory,
                               const world_id& world, seq_no cut, error why);
/// Notes them for a copy of the world, in place of what its note said; durable. No note is there
/// where there are none.
result<void> write_erased_note(file_system& files, const std::string& directory,
                               const std::vector<seq_no>& seqs);

/// Memories, and fields of topics, that entries behind `cut` erase and that the world had up to it:
/// in a copy as of the cut nothing says so but the notes ERASED_IDS, a line of id and cut for each,
/// and ERASED_FIELDS. With what its own notes have.
result<erased_elsewhere> erased_elsewhere_behind(file_system& files, const std::string& directory,
                                                 const world_id& world, seq_no cut,
                                                 read_behind how = read_behind::all);
/// Nothing where there are no notes.
result<erased_elsewhere> read_erased_elsewhere(file_system& files, const std::string& directory);
/// Likewise.
result<void> write_erased_elsewhere(file_system& files, const std::string& directory,
                                    const erased_elsewhere& known);

} // namespace mneme
