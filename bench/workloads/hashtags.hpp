#pragma once
/// The hashtags of the benchmark's coloured memories, at anchors spread over the zones.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workloads/dataset.hpp"
#include "bench/workloads/random.hpp"
#include "mneme/chroma.hpp"

namespace mneme::workloads {

/// Those of one memory, of every zone some.
std::vector<std::uint32_t> draw_anchors(generator& g);
std::vector<std::string> hashtags_of(const std::vector<std::uint32_t>& anchors);
/// What gives every hashtag its anchor.
std::vector<mutation> hashtag_assignments();
/// The row with a colour in place of its vector.
write_request coloured_request(const dataset& d, std::size_t row,
                               const std::vector<std::uint32_t>& anchors);
chroma_request colour_request(std::vector<std::string> hashtags, std::size_t k);

} // namespace mneme::workloads
