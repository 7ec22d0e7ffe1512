#pragma once
/// The vector that a near query asks for.

#include <vector>

#include "query/find.hpp"
#include "state/asker.hpp"

namespace mneme {

/// Embeds the text, takes the vector of the uri's version, or checks the given one. Empty without
/// near. no_embedder, no_vector, not_found, erased, bad_vector, dim_mismatch; `at` is the key.
result<std::vector<float>> resolve_near(const find_request& r, const asker& who,
                                        const query_context& context, const read_views& views);

} // namespace mneme
