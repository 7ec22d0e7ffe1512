#pragma once
/// Where the journal has the records, when no image says it: read from the journal itself.

#include "state/world.hpp"

namespace mneme {

/// Notes the records of all rows, which entries up to `through` have made. Where the journal cannot
/// be read any further no place is known of the rest, and the store is asked for it.
void note_records_again(world& w, seq_no through);

} // namespace mneme
