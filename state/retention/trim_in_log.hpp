#pragma once
/// What a trim takes out of the log that a world is kept in.

#include "journal/trim_payloads.hpp"
#include "state/world.hpp"

namespace mneme {

/// The trim as the log gets it: what is younger, by its entry's time, stays there until the next
/// one, which names it too. A follower that runs would meet frames that lack payloads before it has
/// had them, and has to be opened again then.
result<journaled_trim> part_for_log(file_system& files, const std::string& directory,
                                    const world_id& world, journaled_trim by);

/// The trim that the note in the directory names, if the log may have something left that it
/// drops; absent: nothing is left, and so is no note. What fails is an error, and the note stays.
result<std::optional<journaled_trim>> trim_left_in_log(world& w);

/// What the note in the directory names is done in the log: it goes, unless segments here were left
/// for the next open, which it is for.
result<void> end_trimming_note(world& w);

/// Where the journal's last frame is an erasure's: what trims have dropped here before of the same,
/// the log may still have, since it was young then. It goes as they said; whoever erases in the log
/// does so behind it, so that nothing of it is left on a disk. Nothing is left to do where another
/// leads.
result<void> drop_erased_in_log(world& w, log_store& log, log_epoch epoch);

/// The trim that the note in the directory names was broken off by who leads now: the log loses
/// what it drops, and the note goes. What fails is left to the next time that a
/// process leads with this directory, or to the next trim.
void finish_trim_in_log(world& w, log_leader& leader);

/// The same as drop_erased_in_log(), by a connection of its own, of the erasure of these entries,
/// which the journal's last frame says; what fails in the log is owed. What is owed since before
/// comes first. Whether nothing is owed then.
result<bool> drop_or_owe_in_log(world& w, const std::vector<seq_no>& erased);

/// What is owed, and what the journal owes behind it. busy: it still cannot be, and all goes on.
result<void> settle_erasure_in_log(world& w);

} // namespace mneme
