#pragma once
/// Where the journal has the records, when no image says it: read from the journal itself.

#include "state/world.hpp"

namespace mneme {

/// Notes the records of all entries up to `through`, whose memories have nodes already. Where the
/// journal cannot be read any further the rest is without places, and the store is asked for it.
void note_records_again(world& w, seq_no through);

} // namespace mneme
