#pragma once
/// That a trim goes on in a world: the note TRIMMING names its entry from before that is durable
/// until every segment was written anew. Entries may follow meanwhile, and a journal some of whose
/// segments still have what was dropped reads as one that lacks it: who finds the note has only the
/// rest to do.

#include <string>

#include "mneme/ids.hpp"
#include "mneme/types.hpp"
#include "storage/file.hpp"

namespace mneme {

/// Durable.
result<void> write_trimming_note(file_system& files, const std::string& directory, seq_no at);
result<void> remove_trimming_note(file_system& files, const std::string& directory);
/// The entry that the note names; 0: there is none.
seq_no noted_trim(file_system& files, const std::string& directory);

/// Before the journal is opened: does what is left of the trim that the note names, if that was
/// begun, and removes the note. Of a copy of a log the note is kept: the log's part may be left.
result<void> finish_trimming(file_system& files, const std::string& directory,
                             const world_id& world, bool keeps_note);

} // namespace mneme
