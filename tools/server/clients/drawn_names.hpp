#pragma once
/// Names for memories of clients that name nothing themselves.

#include <string>

#include "mneme/ids.hpp"

namespace mneme::server {

/// 32 random hex digits: a key that nobody has.
std::string draw_key();
/// An id for a memory that others in one batch refer to; later ones are larger, as those that the
/// engine draws.
memory_id draw_id();
/// The next larger one, for what is written after it in the same batch.
memory_id next_id(memory_id id);

} // namespace mneme::server
