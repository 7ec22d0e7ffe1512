#include "bench/workloads/hashtags.hpp"

#include <algorithm>
#include <utility>

#include "index/colour/semantic_stack.hpp"

namespace mneme::workloads {

namespace {

/// Hashtags of each zone, at anchors spread over it.
struct zone_tags {
  colour_zone zone;
  std::size_t count; ///< that are assigned
  std::size_t each;  ///< that a memory has
};
constexpr zone_tags zones[] = {
    {colour_zone::core, 40, 1}, {colour_zone::mid, 160, 6}, {colour_zone::outer, 40, 1}};

std::string hashtag(std::uint32_t anchor) {
  return "anchor" + std::to_string(anchor);
}

/// The n-th assigned anchor of a zone.
std::uint32_t assigned_anchor(const zone_tags& z, std::size_t n) {
  const auto range = anchors_of(z.zone);
  return range.first + static_cast<std::uint32_t>(n * (range.last - range.first) / z.count);
}

} // namespace

std::vector<std::uint32_t> draw_anchors(generator& g) {
  std::vector<std::uint32_t> anchors;
  for (const auto& z : zones) {
    const std::size_t end = anchors.size() + z.each;
    while (anchors.size() < end) {
      const auto anchor = assigned_anchor(z, g.below(z.count));
      if (std::ranges::count(anchors, anchor) == 0) anchors.push_back(anchor);
    }
  }
  return anchors;
}

std::vector<std::string> hashtags_of(const std::vector<std::uint32_t>& anchors) {
  std::vector<std::string> tags;
  tags.reserve(anchors.size());
  for (const auto a : anchors) tags.push_back(hashtag(a));
  return tags;
}

std::vector<mutation> hashtag_assignments() {
  std::vector<mutation> items;
  for (const auto& z : zones)
    for (std::size_t n = 0; n < z.count; ++n) {
      const auto anchor = assigned_anchor(z, n);
      items.emplace_back(
          assign_tag_request{.tag = hashtag(anchor), .anchor = anchor, .zone = {}, .actor = {}});
    }
  return items;
}

write_request coloured_request(const dataset& d, std::size_t row,
                               const std::vector<std::uint32_t>& anchors) {
  auto w = request_of(d, row);
  w.vector.reset();
  w.hashtags = hashtags_of(anchors);
  return w;
}

chroma_request colour_request(std::vector<std::string> hashtags, std::size_t k) {
  chroma_request r;
  r.hashtags = std::move(hashtags);
  r.k = static_cast<std::int64_t>(k);
  r.touch = false;
  return r;
}

} // namespace mneme::workloads
