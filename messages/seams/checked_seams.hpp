#pragma once
/// What a host's own seams answer, checked: an exception or an answer that nothing could have
/// written is an error of the request that asked, never an entry and never the end of the process.

#include "mneme/seams.hpp"

namespace mneme {

/// bad_time for a time that is negative or after the year 2261; io if the clock threw.
result<timestamp> now_of(clock& from);

/// A vector of the embedder's dimension (any where its space does not know it yet) that is finite
/// and not zero, or an empty one. dim_mismatch, bad_vector; io if the embedder threw.
result<std::vector<float>> embedded_by(const embedder& by, std::string_view text);

/// The same of many texts, in their order; io also for another number of vectors.
result<std::vector<std::vector<float>>> embedded_by(const remote_embedder& by,
                                                    std::span<const std::string> texts);

/// out_of_range for a count that is negative or over 2^40; io if the counter threw.
result<std::int64_t> tokens_of(const token_counter& by, std::string_view text);

} // namespace mneme
