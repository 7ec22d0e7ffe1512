#pragma once
/// The image of all leaves of the state trees: a base for a leaf_table to settle on. Its pages have
/// sums like those of any image, but nobody reads all of them when a world is opened: whatever is
/// read of it hashes to what a tree says, or is refused.

#include <array>
#include <cstdint>

#include "index/image.hpp"
#include "journal/leaf_table.hpp"
#include "journal/ledger.hpp"
#include "mneme/error.hpp"

namespace mneme {

using leaf_counts = std::array<std::uint64_t, state_namespace_count>;

/// corrupt if there are not as many leaves as their trees have.
result<void> put_leaves(image_writer& out, const leaf_layers& leaves, const leaf_counts& counts);
/// They stay in the image, which is held. corrupt if it cannot be one.
result<leaf_base> open_leaves(const image_bytes& image);
leaf_counts counts_of(const leaf_base& base);
leaf_counts counts_of(const ledger& trees);

} // namespace mneme
