#pragma once
/// Live memories without a vector: what a remote embedder has yet to do.

#include <functional>

#include "views/read_views.hpp"

namespace mneme {

/// All of them, by a look at every memory: they are also counted (live_counts). As of `at`, in the
/// order of their first mention; `visit` returns false to stop.
void each_unembedded(const read_views& views, seq_no at,
                     const std::function<bool(const memory_id&)>& visit);

} // namespace mneme
