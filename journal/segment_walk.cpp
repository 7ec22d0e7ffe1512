#include "journal/segment_walk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

result<segment_walk> segment_walk::open(file_system& fs, std::string dir, const world_id& world,
                                        seq_no durable, frame_check in_log) {
  segment_walk walk(fs, std::move(dir), world, durable, std::move(in_log));
  auto segments = list_segments(fs, walk.dir_);
  if (!segments) return propagate(segments);
  walk.segments_ = std::move(*segments);
  if (!walk.segments_.empty() && walk.segments_.front().value != 1)
    return corrupt_at(segment_name(walk.segments_.front()), 0,
                      "the segments before this one are missing");
  return walk;
}

result<void> segment_walk::check_head(std::size_t index, const segment_head& head) const {
  const seq_no before = index == 0 ? seq_no{0} : segments_[index - 1];
  if (head.previous_segment != before)
    return corrupt_at(segment_name(segments_[index]), 0,
                      fmt::format("a segment is missing: this one follows that of seq {}",
                                  head.previous_segment.value));
  if (index == 0 && !head.previous_frame.is_zero())
    return corrupt_at(segment_name(segments_[index]), 0, "the first segment follows no frame");
  return {};
}

result<void> segment_walk::check_heads() {
  for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
    auto reader = segment_reader::open(*fs_, dir_, segments_[i]);
    if (!reader) return propagate(reader);
    auto head = reader->head(world_);
    if (!head) return propagate(head);
    if (auto ok = check_head(i, *head); !ok) return ok;
  }
  return {};
}

result<std::optional<segment_head>> segment_walk::read_head(segment_reader& reader,
                                                            std::size_t index) {
  auto head = reader.head(world_);
  if (head) return *head;
  error problem = std::move(head.error());
  if (problem.code != errc::corrupt || index + 1 != segments_.size()
      || segments_[index] <= durable_)
    return std::unexpected(std::move(problem));
  // Frames are written only after the head is durable.
  auto blank = reader.blank_from(segment_head_bytes);
  if (!blank) return propagate(blank);
  // Beside a writer the head may have been unfinished a moment ago; it was whole before the first
  // frame was begun.
  if (!*blank) return reader.head(world_);
  auto size = reader.size();
  if (!size) return propagate(size);
  torn_ = {.segment = reader.name(),
           .offset = 0,
           .bytes = *size,
           .problem = std::move(problem.message),
           .whole_segment = true};
  return std::nullopt;
}

result<bool> segment_walk::enter(std::size_t index, bool follows) {
  auto reader = segment_reader::open(*fs_, dir_, segments_[index]);
  if (!reader) return propagate(reader);
  auto found = read_head(*reader, index);
  if (!found) return propagate(found);
  if (!*found) return false;
  const segment_head& head = **found;
  if (auto ok = check_head(index, head); !ok) return propagate(ok);
  if (follows && last_.next() != segments_[index])
    return corrupt_at(reader->name(), 0,
                      fmt::format("the segment before it ends at seq {}", last_.value));
  if (follows && last_frame_ && *last_frame_ != head.previous_frame)
    return corrupt_at(reader->name(), 0, "the chain to the segment before it is broken");
  last_ = {segments_[index].value - 1};
  last_frame_ = head.previous_frame;
  last_is_seal_ = follows && last_is_seal_;
  index_ = index;
  offset_ = segment_head_bytes;
  reader_ = std::move(*reader);
  return true;
}

result<void> segment_walk::start_at(const frame_place& place) {
  const auto found = std::ranges::lower_bound(segments_, place.segment);
  if (found == segments_.end() || *found != place.segment) return {};
  auto entered = enter(static_cast<std::size_t>(found - segments_.begin()), false);
  if (!entered) return propagate(entered);
  if (!*entered || place.offset == offset_) return {};
  ensure(place.offset > offset_ && place.first.value > 0, "a frame is behind its segment's head");
  offset_ = place.offset;
  last_ = {place.first.value - 1};
  last_frame_.reset();
  last_is_seal_ = false;
  return {};
}

result<void> segment_walk::seek(seq_no from) {
  if (segments_.empty()) return {};
  const seq_no wanted{std::max<std::uint64_t>(from.value, 1)};
  const auto behind = std::ranges::upper_bound(segments_, wanted);
  ensure(behind != segments_.begin(), "the first segment begins with the first entry");
  const auto index = static_cast<std::size_t>(behind - segments_.begin()) - 1;
  const bool lies_ahead = reader_ && !torn_ && index_ == index && last_ < wanted;
  if (!lies_ahead) {
    auto entered = enter(index, false);
    if (!entered) return propagate(entered);
  }
  for (;;) {
    auto frame = peek(false);
    if (!frame) return propagate(frame);
    if (!*frame || last_seq((*frame)->prefix) >= wanted) return {};
    pass(**frame);
  }
}

result<std::optional<journal_frame>> segment_walk::locate(seq_no seq) {
  if (auto ok = seek(seq); !ok) return propagate(ok);
  auto frame = peek(false);
  if (!frame || !*frame) return frame;
  const frame_prefix& p = (*frame)->prefix;
  if (p.first_seq > seq || last_seq(p) < seq) return std::optional<journal_frame>{};
  return frame;
}

result<std::optional<journal_frame>> segment_walk::next() {
  auto frame = peek(true);
  if (frame && *frame) pass(**frame);
  return frame;
}

void segment_walk::pass(const journal_frame& frame) {
  ensure(frame.offset == offset_, "a frame is passed where the walk stands");
  offset_ = frame.offset + frame_bytes(frame.prefix);
  last_ = last_seq(frame.prefix);
  last_is_seal_ = frame.prefix.seal;
  // A frame that was only located has no hash.
  last_frame_ = frame.hash.is_zero() ? std::nullopt : std::optional(frame.hash);
}

result<frame_slot> segment_walk::look(bool whole) {
  return whole ? reader_->read(offset_) : reader_->locate(offset_);
}

result<std::optional<journal_frame>> segment_walk::peek(bool whole) {
  while (reader_ && !torn_) {
    auto slot = look(whole);
    if (slot && slot->found == frame_slot::kind::damaged) slot = judge_damage(slot->problem, whole);
    if (!slot) return propagate(slot);
    if (slot->found == frame_slot::kind::frame) {
      if (auto ok = check_link(slot->frame); !ok) return propagate(ok);
      return std::move(slot->frame);
    }
    if (torn_ || in_last_segment()) break;
    auto size = reader_->size();
    if (!size) return propagate(size);
    if (*size != offset_)
      return corrupt_at(reader_->name(), offset_, "zeros behind the last frame of a full segment");
    if (auto entered = enter(index_ + 1, true); !entered) return propagate(entered);
  }
  return std::nullopt;
}

result<frame_slot> segment_walk::judge_damage(const std::string& problem, bool whole) {
  const seq_no here = last_.next();
  if (!in_last_segment() || here <= durable_) return corrupt_at(reader_->name(), offset_, problem);
  auto voucher = reader_->find_voucher(offset_, here);
  if (!voucher) return propagate(voucher);
  if (*voucher) {
    // Beside a writer the frame may have been unfinished a moment ago; it was whole before the one
    // that vouches for it was begun.
    auto again = look(whole);
    if (!again || again->found == frame_slot::kind::frame) return again;
    auto in_log = is_end_in_log(**voucher, here);
    if (!in_log) return propagate(in_log);
    if (!*in_log)
      return corrupt_at(
          reader_->name(), offset_,
          fmt::format("{}; the frame at offset {} shows that it was whole", problem, **voucher));
  }
  auto size = reader_->size();
  if (!size) return propagate(size);
  torn_ = {.segment = reader_->name(),
           .offset = offset_,
           .bytes = *size - std::min(*size, offset_),
           .problem = problem,
           .whole_segment = false};
  return frame_slot{};
}

result<bool> segment_walk::is_end_in_log(std::uint64_t voucher, seq_no here) {
  if (!in_log_) return false;
  auto last = reader_->find_last_voucher(voucher, here);
  if (!last) return propagate(last);
  auto slot = reader_->read(*last);
  if (!slot) return propagate(slot);
  if (slot->found != frame_slot::kind::frame) return false;
  return in_log_(last_seq(slot->frame.prefix), slot->frame.hash);
}

result<void> segment_walk::check_link(const journal_frame& frame) const {
  if (frame.prefix.first_seq != last_.next())
    return corrupt_at(frame.segment, frame.offset,
                      fmt::format("the frame begins at seq {} instead of {}",
                                  frame.prefix.first_seq.value, last_.next().value));
  if (last_frame_ && frame.prefix.previous_frame != *last_frame_)
    return corrupt_at(frame.segment, frame.offset, "the chain to the frame before it is broken");
  return {};
}

} // namespace mneme
