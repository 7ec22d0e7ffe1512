#pragma once
/// Another embedder for a world that is not open. WORLD says which it is and since which entry:
/// what earlier entries brought as vectors goes into no index from then on, and every live memory
/// gets an `embed` entry. Images of before are removed first: what is broken off at any moment is
/// opened as the world before, or as the world after with vectors to come.

#include "mneme/reembed.hpp"
#include "state/open_world.hpp"

namespace mneme {

/// As reembed_world(). `options` open the world, with locks of their own; what they have of
/// embedders is not looked at.
result<reembed_report> reembed_files(const world_options& options, std::string_view spec,
                                     const reembed_options& how);

} // namespace mneme
