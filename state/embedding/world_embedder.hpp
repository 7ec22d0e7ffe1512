#pragma once
/// What a world's vectors are made by.

#include <memory>
#include <string_view>

#include "messages/seams/checked_seams.hpp"
#include "state/checkpoint/world_file.hpp"

namespace mneme {

/// The embedder that a WORLD file's spec names, an endpoint's by `remote`; a host's own (`given`)
/// must fit its model and dimension. no_embedder if it is a host's and none is given, or an
/// endpoint's and there is no `remote`.
result<std::shared_ptr<embedder>> embedder_of(const world_file& info,
                                              std::shared_ptr<embedder> given,
                                              const remote_embedder_factory& remote,
                                              std::string_view key);

} // namespace mneme
