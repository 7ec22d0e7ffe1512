#pragma once
/// An erasure becomes entries: one for each memory, and one for each edge that said something. They
/// are one frame, and it holds nothing else: journal::open looks at the last frame alone to finish
/// what a crash broke off.

#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/erasure.hpp"
#include "state/erasure/erase_plan.hpp"
#include "state/execute/id_source.hpp"

namespace mneme {

/// What the request must say.
result<void> validate(const erase_request& r);

/// The entries behind `last`; none where nothing goes.
result<std::vector<entry>> execute_erase(const erase_request& r, const erase_plan& plan,
                                         id_source& draw, timestamp now, seq_no last);

/// What the plan comes to.
erase_result result_of(const erase_plan& plan);

} // namespace mneme
