#include "state/retention/trim_follower.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mneme {

namespace {

/// The first entry that lacks its payload without that.
std::optional<seq_no> unexplained(const trim_payload& trim, const journal_frame& frame) {
  seq_no seq = frame.prefix.first_seq;
  for (const raw_entry& raw : frame.entries) {
    if (raw.trimmed && !trim.drops(seq)) return seq;
    seq = seq.next();
  }
  return std::nullopt;
}

} // namespace

result<std::optional<trim_payload>> trim_follower::before(file_system& fs, const std::string& dir,
                                                          const world_id& world,
                                                          const journal_frame& frame) {
  const seq_no by = frame.prefix.trimmed_by;
  if (by.value != 0 && (!known_ || by > known_->at)) {
    auto found = read_trim(fs, dir, world, by);
    if (!found) return propagate(found);
    // One that was dropped itself leads to one that may be known.
    if (!known_ || found->at > known_->at) {
      known_ = std::move(*found);
      is_due_ = true;
    }
  }
  if (by.value == 0) return at(frame.prefix.first_seq);
  if (const auto seq = unexplained(known_->trim, frame))
    return fail(errc::corrupt,
                fmt::format("segment {}, frame at offset {}: a payload is missing that no trim has "
                            "dropped: that of entry {}, which the frame says to be gone by entry "
                            "{}, and the trim of entry {} does not name",
                            frame.segment, frame.offset, seq->value, by.value, known_->at.value));
  return at(frame.prefix.first_seq);
}

void trim_follower::drop(std::span<entry> entries) const {
  if (!known_) return;
  for (entry& e : entries)
    if (known_->trim.drops(e.header.seq) && !std::holds_alternative<trimmed_payload>(e.payload)
        && !std::holds_alternative<erased_payload>(e.payload))
      e.payload = trimmed_payload{.bytes = static_cast<std::uint32_t>(e.payload_bytes.size()),
                                  .by = known_->at};
}

std::optional<trim_payload> trim_follower::at(seq_no seq) {
  if (!is_due_ || seq < known_->trim.before) return std::nullopt;
  is_due_ = false;
  return known_->trim;
}

} // namespace mneme
