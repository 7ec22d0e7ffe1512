#pragma once
/// Live memories without a vector: what a remote embedder has yet to do.

#include <cstdint>
#include <functional>

#include "views/read_views.hpp"

namespace mneme {

/// As of `at`, in the order of their first mention; `visit` returns false to stop.
void each_unembedded(const read_views& views, seq_no at,
                     const std::function<bool(const memory_id&)>& visit);
std::uint64_t count_unembedded(const read_views& views, seq_no at);

} // namespace mneme
