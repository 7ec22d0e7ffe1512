#include "journal/frame_scan.hpp"

#include "journal/segment_walk.hpp"

namespace mneme {

result<void> scan_frames(file_system& fs, const std::string& dir, const world_id& world,
                         const frame_range& range, frame_places& places,
                         const frame_visitor& visit) {
  auto walk = segment_walk::open(fs, dir, world, range.last);
  if (!walk) return propagate(walk);
  if (const auto known = places.at_or_before(range.from))
    if (auto ok = walk->start_at(*known); !ok) return ok;
  if (auto ok = walk->seek(range.from); !ok) return ok;
  while (walk->last() < range.last) {
    auto frame = walk->next();
    if (!frame) return propagate(frame);
    if (!*frame) break;
    // A seal has no seq of its own.
    if ((*frame)->prefix.seal) continue;
    places.note({(*frame)->prefix.first_seq, (*frame)->segment_first, (*frame)->offset});
    auto more = visit(**frame);
    if (!more) return propagate(more);
    if (!*more) return {};
  }
  if (walk->last() < range.last)
    return fail(errc::corrupt, "the journal ends before seq " + std::to_string(range.last.value));
  return {};
}

} // namespace mneme
