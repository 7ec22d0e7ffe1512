#pragma once
/// The embedder behind an OpenAI-compatible HTTP endpoint: library mneme::remote_embedder, which
/// needs libcurl. A host that links to it opens worlds of such endpoints with
///   options.remote_embedders = mneme::make_http_embedder;

#include <memory>
#include <string_view>

#include "mneme/seams.hpp"

namespace mneme {

/// Of "http:URL[#model=NAME][,dim=N]" (docs/EMBEDDERS.md); calls nothing yet. `key` goes to the
/// endpoint as a bearer token. bad_value for another spec, or a key that no HTTP header can carry.
result<std::shared_ptr<remote_embedder>> make_http_embedder(std::string_view spec,
                                                            std::string_view key = {});

} // namespace mneme
