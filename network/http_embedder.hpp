#pragma once
/// The embedder behind an OpenAI-compatible HTTP endpoint.

#include <memory>

#include "mneme/seams.hpp"
#include "network/embedding_spec.hpp"

namespace mneme {

/// Of one text, longer ones are cut: models read a bounded window.
inline constexpr std::size_t max_remote_text_bytes = 16U << 10;

/// Calls nothing yet. bad_value for a key that no HTTP header can carry.
result<std::shared_ptr<remote_embedder>> make_http_embedder(embedding_spec spec, std::string key);

} // namespace mneme
