#pragma once
/// In the place of an endpoint where nobody asks: replay takes its vectors from the journal, and
/// needs to know which space they are of.

#include <memory>
#include <string_view>

#include "mneme/seams.hpp"

namespace mneme {

/// A remote_embedder_factory: of the spec's space, and every call is no_embedder. bad_value for
/// what is no spec of an endpoint.
result<std::shared_ptr<remote_embedder>> make_unasked_embedder(std::string_view spec,
                                                               std::string_view key = {});

} // namespace mneme
