#include "journal/frame_places.hpp"

#include <iterator>

#include "messages/ensure.hpp"

namespace mneme {

void frame_places::note(const frame_place& place) {
  ensure(place.segment <= place.first, "a frame is in a segment that begins with it or before");
  const std::scoped_lock lock(guard_);
  if (!places_.emplace(place.first, place).second) return;
  noted_.push_back(place.first);
  if (noted_.size() <= most) return;
  places_.erase(noted_.front());
  noted_.pop_front();
}

std::optional<frame_place> frame_places::at_or_before(seq_no seq) const {
  const std::scoped_lock lock(guard_);
  const auto behind = places_.upper_bound(seq);
  if (behind == places_.begin()) return std::nullopt;
  return std::prev(behind)->second;
}

} // namespace mneme
