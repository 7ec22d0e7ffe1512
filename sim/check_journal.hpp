#pragma once
/// Oracle "journal": every entry comes from exactly one request, says exactly what the model says
/// that request does in that state, and requests are in the journal whole or not at all. Following
/// the journal is also how the model learns the order of writes.

#include "sim/evidence.hpp"

namespace mneme::sim {

/// Takes over the entries behind the model's last one, up to `last`.
check_result follow_journal(evidence& known, file_system& files, seq_no last);

/// After a crash: the journal ends at `last`; what was behind it is forgotten. Precondition: no
/// promise is broken by that.
void forget_behind(evidence& known, seq_no last);

} // namespace mneme::sim
