#pragma once
/// `at_least` of a read: an entry that its answer must have seen, which a copy of a log may have
/// yet to get.

#include "mneme/engine.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

/// Whether a request, or one in its lists, names an entry to wait for.
bool asks_for_newest(const json& request);
/// Waits for the last of them, no longer than the deadline of the request, which has so much less
/// then. behind: it has not come. Precondition: the shape was checked.
result<void> wait_for_newest(engine& target, json& request);

} // namespace mneme::protocol
