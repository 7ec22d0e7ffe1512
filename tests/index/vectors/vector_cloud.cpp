#include "tests/index/vectors/vector_cloud.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace mneme {

vector_cloud::vector_cloud(std::uint64_t seed, std::size_t dim, std::size_t count,
                           std::size_t clusters, bool with_duplicates)
    : dim_(dim) {
  dice d(seed);
  centers_.resize(clusters);
  for (auto& center : centers_)
    for (std::size_t i = 0; i < dim; ++i) center.push_back(d.bell());
  std::uint32_t slot = 0;
  for (std::size_t i = 0; i < count; ++i) {
    slot += d.one_in(5) ? 1 + d.below(3) : 1;
    slots_.push_back({slot});
    if (with_duplicates && i > 0 && d.one_in(4))
      values_.push_back(values_[d.below(i)]);
    else
      values_.push_back(near_center(d));
  }
}

std::vector<float> vector_cloud::near_center(dice& d) const {
  const auto& center = centers_[d.below(centers_.size())];
  std::vector<float> values(dim_);
  const float length = 0.1F + static_cast<float>(d.below(100));
  for (std::size_t i = 0; i < dim_; ++i) values[i] = (center[i] + 0.4F * d.bell()) * length;
  return values;
}

std::vector<float> vector_cloud::query(dice& d) const {
  return near_center(d);
}

void vector_cloud::append_to(vectors& index, std::size_t from, std::size_t to) const {
  for (std::size_t i = from; i < to; ++i) index.append(slots_[i], values_[i]);
}

std::vector<near_hit> vector_cloud::nearest(std::span<const float> query, std::size_t k,
                                            const std::function<bool(slot_no)>& accept,
                                            std::size_t count) const {
  std::vector<near_hit> all;
  for (std::size_t i = 0; i < count; ++i)
    if (accept(slots_[i])) all.push_back({slots_[i], cosine_distance(query, values_[i])});
  std::ranges::sort(all, {},
                    [](const near_hit& h) { return std::tuple(h.distance, tie_of(h.slot)); });
  if (all.size() > k) all.resize(k);
  return all;
}

image_bytes in_place(const std::string& image) {
  const std::size_t room = (image.size() / image_alignment + 1) * image_alignment;
  const std::shared_ptr<char> place(static_cast<char*>(std::aligned_alloc(image_alignment, room)),
                                    std::free);
  std::ranges::copy(image, place.get());
  return {std::string_view(place.get(), image.size()), place};
}

memory_id tie_of(slot_no slot) {
  return scattered_id(slot.value);
}

bool operator==(const near_hit& a, const near_hit& b) {
  return a.slot == b.slot && a.distance == b.distance;
}

} // namespace mneme
