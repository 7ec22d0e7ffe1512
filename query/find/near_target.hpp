#pragma once
/// The vector that a near query asks for.

#include <cstdint>
#include <optional>
#include <vector>

#include "query/find/find.hpp"
#include "views/asker.hpp"

namespace mneme {

/// no_vector at `key` as of a seq of which the vectors were those of an embedder that the world had
/// before.
result<void> check_knows_vectors(seq_no at, const read_views& views, const char* key);

/// How many numbers the vector of a query has; 0 = any. A world has one space, whatever seq is
/// asked about; but an asker knows only what was published, and without `at_seq` what it reads.
std::uint32_t asked_dimension(const std::optional<seq_no>& at_seq, const query_context& context,
                              const read_views& views);

/// Embeds the text, takes the vector of the uri's version, or the given one. Empty without near.
/// no_embedder, no_vector, not_found, erased, bad_vector (of an embedder's), dim_mismatch; `at` is
/// the key. Precondition: a given vector has passed check_vector.
result<std::vector<float>> resolve_near(const find_request& r, const asker& who,
                                        const query_context& context, const read_views& views);

} // namespace mneme
