#pragma once
/// Metadata filters of a chroma request against one memory's metadata.

#include "mneme/chroma.hpp"

namespace mneme {

/// All conditions hold; a missing key, or a value of another kind, passes none.
bool matches(const metadata_filters& filters, const metadata_map& metadata);

} // namespace mneme
