#pragma once
/// The spec of an embedder behind HTTP: "http:URL[#OPTION[,OPTION]…]", or just the URL. Options:
/// model=NAME (sent with each request) and dim=N (what vectors must have; not sent). A URL without
/// a path means /v1/embeddings, one that ends in /v1 its embeddings.

#include <cstdint>
#include <string>
#include <string_view>

#include "mneme/types.hpp"

namespace mneme {

struct embedding_spec {
  std::string url;       ///< of the endpoint, without options
  std::string model;     ///< empty = none is sent
  std::uint32_t dim = 0; ///< 0 = whatever the first vector has

  /// Of its vectors: the model is its name, or the endpoint's where it has none.
  [[nodiscard]] vector_space space() const;
};

/// True for a spec that means HTTP, good or not.
bool is_http_spec(std::string_view spec) noexcept;

/// bad_value at `embedder` for what is no such spec. A URL with a user or a password is refused: a
/// world's spec is stored, and secrets are not.
result<embedding_spec> parse_embedding_spec(std::string_view spec);

} // namespace mneme
