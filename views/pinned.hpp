#pragma once
/// The one rule of what is pinned: what an agent must always have in mind.

#include "views/asker.hpp"

namespace mneme {

/// Is it what the Pinned tier is made of: an Identity, a hard Constraint, an active Goal?
bool is_pinned(memory_type type, const memory_data& data);
/// Is it in the asker's Pinned tier? An actor's has its own alone.
bool is_pinned(const asker& who, const head& h, const memory_data& data);

} // namespace mneme
