#pragma once
/// Replay of a journal into another, empty world: same frames, same roots, same state.

#include <optional>

#include "state/world.hpp"

namespace mneme {

/// Commits the journal of the world in `from` frame by frame into `into` (an empty world with the
/// same WORLD file), up to and including seq `up_to`; every recorded root is compared on the way.
/// Reads only; may run beside a writer.
result<void> replay_journal(file_system& from_files, const std::string& from, world& into,
                            std::optional<seq_no> up_to, const progress& on_progress);

} // namespace mneme
