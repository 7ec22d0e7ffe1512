#include "journal/frame_places.hpp"

#include <iterator>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

seq_no last_of(const journal_frame& frame) {
  return last_seq(frame.prefix);
}

} // namespace

void frame_places::note(const frame_place& place, std::uint32_t since) {
  ensure(place.segment <= place.first, "a frame is in a segment that begins with it or before");
  const std::scoped_lock lock(guard_);
  if (since % 2 != 0 || since != rewrites()) return;
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

void frame_places::keep(std::shared_ptr<const journal_frame> frame, std::uint32_t since) {
  ensure(frame != nullptr && !frame->prefix.seal, "a frame with entries is kept");
  const std::scoped_lock lock(guard_);
  if (since % 2 != 0 || since != rewrites()) return;
  kept_bytes_ += frame_bytes(frame->prefix);
  const seq_no first = frame->prefix.first_seq;
  if (!kept_.emplace(first, frame).second) kept_bytes_ -= frame_bytes(frame->prefix);
  while (kept_.size() > most_kept || kept_bytes_ > most_kept_bytes) {
    kept_bytes_ -= frame_bytes(kept_.begin()->second->prefix);
    kept_.erase(kept_.begin());
  }
}

std::shared_ptr<const journal_frame> frame_places::kept(seq_no seq) const {
  const std::scoped_lock lock(guard_);
  const auto behind = kept_.upper_bound(seq);
  if (behind == kept_.begin()) return nullptr;
  const auto& frame = std::prev(behind)->second;
  return last_of(*frame) >= seq ? frame : nullptr;
}

void frame_places::begin_rewrite() {
  const std::scoped_lock lock(guard_);
  ensure(rewrites() % 2 == 0, "one rewrite is under way at a time");
  ++rewrites_;
  places_.clear();
  noted_.clear();
  kept_.clear();
  kept_bytes_ = 0;
}

void frame_places::end_rewrite() {
  const std::scoped_lock lock(guard_);
  ensure(rewrites() % 2 == 1, "a rewrite ends after it began");
  ++rewrites_;
}

} // namespace mneme
