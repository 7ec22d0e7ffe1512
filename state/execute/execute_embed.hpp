#pragma once
/// Vectors that came later than their contents, as `embed` entries.

#include <optional>
#include <span>
#include <vector>

#include "messages/codec/entry.hpp"
#include "state/execute/overlay.hpp"

namespace mneme {

struct late_vector {
  memory_id id;
  std::uint32_t version = 0;
  std::vector<float> values;
  std::optional<digest> text{}; ///< of a topic: H of the whole text that it is the vector of
};

/// One entry per item that still fits: the memory lives, that version is current (of a topic also
/// what its fields hold), and it has no vector. `space` is the embedder's; where its dim is 0 the
/// world's, or else the first vector's. bad_vector, dim_mismatch, limit_exceeded: nothing is
/// written.
result<std::vector<entry>> execute_embed(std::span<const late_vector> items, overlay& state,
                                         vector_space space, timestamp now, seq_no current,
                                         number_room& room);

} // namespace mneme
