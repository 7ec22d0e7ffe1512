#pragma once
/// Images that are checked and loaded by as many threads as the machine runs at once, whatever
/// their sizes are: the pages of a large one are checked by all of them.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "index/image.hpp"

namespace mneme {

/// An image that was found, and how its owner takes it.
struct image_load {
  std::string name; ///< of the file
  image_bytes bytes;
  std::function<result<void>(const image_bytes&)> load; ///< into the owner, which is empty
};

struct failed_load {
  std::string name; ///< of the image; empty: of one of the works besides
  error why;
};

/// Returns when all has ended: nullopt if each image was whole and loaded, and all `besides` done.
/// Whatever failed, owners may have been filled. The works besides are begun first, in their order.
std::optional<failed_load> load_checked(std::span<const image_load> images,
                                        std::vector<std::function<result<void>()>> besides);

} // namespace mneme
