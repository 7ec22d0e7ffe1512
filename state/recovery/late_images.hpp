#pragma once
/// Images of words and vectors that are loaded behind the opening of their world.

#include <memory>
#include <vector>

#include "state/world.hpp"
#include "views/late_indexes.hpp"

namespace mneme {

/// Of the indexes that `w` has now, for their life. Once loaded, they forget what reads from the
/// checkpoint back to `retained_from` do not need. An image that is found damaged is removed (or
/// else CHECKPOINT), so that who opens the world again makes all indexes anew, and the indexes are
/// not used (corrupt).
std::shared_ptr<late_indexes> load_late(const world& w, std::vector<image_load> images,
                                        seq_no retained_from);

} // namespace mneme
