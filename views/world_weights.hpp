#pragma once
/// What searches of a world weigh by unless they say otherwise: what it was made with, or what was
/// set since.

#include "mneme/search.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// As of `at`. bad_value or out_of_range if an entry of a newer build set what this one has not.
result<search_weights> search_weights_at(const read_views& views, seq_no at);
result<world_weights> weights_of_world(const read_views& views, seq_no at);

} // namespace mneme
