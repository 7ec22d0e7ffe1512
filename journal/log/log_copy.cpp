#include "journal/log/log_copy.hpp"

#include <fmt/format.h>

#include "journal/erase_payloads.hpp"
#include "journal/segment.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t frames_at_once = 256;
constexpr std::uint64_t bytes_at_once = 8ULL << 20;

std::unexpected<error> lacks_frame(std::uint64_t at) {
  return fail(errc::corrupt, fmt::format("the log lacks frame {}, which is before its end", at));
}

/// The frame with so many before it. Precondition: there is one.
result<log_frame> frame_at(log_store& log, std::uint64_t at) {
  auto frames = log.read(at, 1, 1);
  if (!frames) return propagate(frames);
  if (frames->empty()) return lacks_frame(at + 1);
  return std::move(frames->front());
}

std::unexpected<error> is_no_copy(const log_tail& tail, seq_no last) {
  return fail(errc::corrupt,
              fmt::format("this directory ends at seq {} with a frame that the log, which ends in "
                          "epoch {} at seq {}, does not have: the log was rolled back, or the "
                          "directory is the copy of another one; move the directory away, keep "
                          "it, and join anew",
                          last.value, tail.epoch.value, tail.last_seq.value));
}

/// Damage of the log is none of the directory.
error of_log(error why, std::uint64_t at, const log_frame& frame, const log_tail& tail) {
  if (why.code != errc::corrupt) return why;
  why.message = fmt::format("the log's frame {}, whose last entry is seq {} (epoch {} by now): {}",
                            at, frame.last_seq.value, tail.epoch.value, why.message);
  return why;
}

/// What the frame, which the copy has just got, says that goes.
result<void> drop_in_copy(const journal_frame& frame, journal& to, file_system& files,
                          const std::string& dir, const world_id& world) {
  auto erased = erased_by(frame);
  if (!erased) return propagate(erased);
  auto trim = trim_in(frame);
  if (!trim) return propagate(trim);
  if (erased->empty() && !*trim) return {};
  if (auto ok = to.sync(); !ok) return ok;
  if (!erased->empty()) return erase_payloads(files, dir, world, *erased);
  auto segments = list_segments(files, dir);
  if (!segments) return propagate(segments);
  // The trim's frame began one, so that nothing more is written to those before it.
  for (const seq_no segment : *segments) {
    if (segment >= (*trim)->trim.before) break;
    auto made = drop_in_segment(files, dir, segment, **trim);
    if (!made) return propagate(made);
    if (*made) to.count_rewritten((*made)->bytes_before, (*made)->bytes);
  }
  return {};
}

} // namespace

result<journal_frame> open_log_frame(const log_frame& frame) {
  auto prefix = check_log_frame(frame);
  if (!prefix) return propagate(prefix);
  auto entries = decode_frame_body(
      *prefix, std::string_view(frame.head).substr(prefix_bytes(*prefix)), frame.payloads);
  if (!entries) return propagate(entries);
  return journal_frame{.prefix = *prefix,
                       .hash = frame.hash,
                       .segment = "of the log",
                       .segment_first = {},
                       .entries = std::move(*entries)};
}

result<std::vector<log_frame>> frames_behind(log_store& log, const log_tail& tail,
                                             std::uint64_t from) {
  ensure(from <= tail.end.frames, "what is behind an end is not asked for");
  const auto left = std::min<std::uint64_t>(tail.end.frames - from, frames_at_once);
  if (left == 0) return std::vector<log_frame>{};
  auto frames = log.read(from, static_cast<std::size_t>(left), bytes_at_once);
  if (frames && frames->empty()) return lacks_frame(from + 1);
  return frames;
}

result<std::uint64_t> frames_in_copy(log_store& log, const log_tail& tail, seq_no last,
                                     const digest& last_frame) {
  if (last_frame.is_zero()) return 0;
  if (last_frame == tail.end.head) return tail.end.frames;
  // The first frame that ends at `last` or behind; seals behind it end there too.
  std::uint64_t low = 0;
  std::uint64_t high = tail.end.frames;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    auto frame = frame_at(log, middle);
    if (!frame) return propagate(frame);
    if (frame->last_seq < last)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < tail.end.frames; ++low) {
    auto frame = frame_at(log, low);
    if (!frame) return propagate(frame);
    if (frame->last_seq != last) break;
    ensure(!frame->hash.is_zero(), "a frame has a hash");
    if (frame->hash == last_frame) return low + 1;
  }
  return is_no_copy(tail, last);
}

result<bool> has_frame(log_store& log, seq_no last, const digest& frame) {
  auto tail = log.tail();
  if (!tail) return propagate(tail);
  auto there = frames_in_copy(log, *tail, last, frame);
  if (there) return true;
  if (there.error().code != errc::corrupt) return propagate(there);
  return false;
}

result<std::uint64_t> copy_from_log(log_store& log, const log_tail& tail, journal& to,
                                    file_system& files, const std::string& dir,
                                    const world_id& world) {
  auto there = frames_in_copy(log, tail, to.last_seq(), to.last_frame());
  if (!there) return propagate(there);
  ensure(*there <= tail.end.frames, "a copy has no more frames than its log");
  std::uint64_t copied = 0;
  while (*there + copied < tail.end.frames) {
    auto frames = frames_behind(log, tail, *there + copied);
    if (!frames) return propagate(frames);
    for (const log_frame& frame : *frames) {
      const std::uint64_t at = *there + copied + 1;
      auto opened = open_log_frame(frame);
      if (!opened) return std::unexpected(of_log(opened.error(), at, frame, tail));
      auto trim = trim_in(*opened);
      if (!trim) return std::unexpected(of_log(trim.error(), at, frame, tail));
      if (*trim) to.begin_segment();
      auto appended = to.append_copy(frame);
      if (!appended && appended.error().code == errc::version_conflict)
        appended.error().code = errc::corrupt;
      if (!appended) return std::unexpected(of_log(appended.error(), at, frame, tail));
      ++copied;
      if (auto ok = drop_in_copy(*opened, to, files, dir, world); !ok) return propagate(ok);
    }
  }
  if (to.last_frame() != tail.end.head)
    return fail(errc::corrupt, "the log's frames do not lead to its end");
  if (auto ok = to.sync(); !ok) return propagate(ok);
  return copied;
}

} // namespace mneme
