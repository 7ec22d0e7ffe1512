#include "journal/frame_scan.hpp"

#include <utility>

#include "journal/segment_walk.hpp"

namespace mneme {

namespace {

class frame_scan {
public:
  /// `since`: places' rewrites() before any file was opened.
  frame_scan(frame_places& places, std::uint32_t since, const frame_visitor& visit)
      : places_(places), since_(since), visit_(visit) {}

  /// False: the visitor has stopped.
  result<bool> take_kept(frame_range& range) {
    while (range.from <= range.last) {
      const auto frame = places_.kept(range.from);
      if (frame == nullptr) break;
      auto more = visit_(*frame);
      if (!more || !*more) return more;
      range.from = last_seq(frame->prefix).next();
    }
    return true;
  }

  result<void> walk(segment_walk& walk, const frame_range& range) {
    if (const auto known = places_.at_or_before(range.from))
      if (auto ok = walk.start_at(*known); !ok) return ok;
    if (auto ok = walk.seek(range.from); !ok) return ok;
    while (walk.last() < range.last) {
      auto read = walk.next();
      if (!read) return propagate(read);
      if (!*read)
        return fail(errc::corrupt,
                    "the journal ends before seq " + std::to_string(range.last.value));
      const auto frame = std::make_shared<const journal_frame>(std::move(**read));
      if (frame->prefix.seal) continue; // it has no seq of its own
      places_.note({frame->prefix.first_seq, frame->segment_first, frame->offset}, since_);
      places_.keep(frame, since_);
      auto more = visit_(*frame);
      if (!more) return propagate(more);
      if (!*more) return {};
    }
    return {};
  }

private:
  frame_places& places_;
  std::uint32_t since_;
  const frame_visitor& visit_;
};

} // namespace

result<void> scan_frames(file_system& fs, const std::string& dir, const world_id& world,
                         const frame_range& range, frame_places& places,
                         const frame_visitor& visit) {
  const std::uint32_t rewrites = places.rewrites();
  frame_scan scan(places, rewrites, visit);
  frame_range rest = range;
  auto more = scan.take_kept(rest);
  if (!more) return propagate(more);
  if (!*more || rest.from > rest.last) return {};
  auto walk = segment_walk::open(fs, dir, world, range.last);
  if (!walk) return propagate(walk);
  auto walked = scan.walk(*walk, rest);
  const bool was_rewritten = rewrites % 2 != 0 || rewrites != places.rewrites();
  if (!walked && walked.error().code == errc::corrupt && was_rewritten)
    return fail(errc::busy, "content is being erased or trimmed: try again");
  return walked;
}

} // namespace mneme
