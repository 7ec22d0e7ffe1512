#pragma once
/// The audit log of topics, derived from journal entries: what one entry did to which topic.

#include <utility>
#include <vector>

#include "messages/codec/entry.hpp"

namespace mneme {

/// The events of one entry, each with its topic, in a fixed order.
std::vector<std::pair<memory_id, topic_event>> events_of(const entry& e);

} // namespace mneme
