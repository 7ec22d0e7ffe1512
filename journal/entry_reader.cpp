#include "journal/entry_reader.hpp"

#include <utility>

namespace mneme {

result<entry_reader> entry_reader::open(file_system& fs, std::string dir, const world_id& world) {
  auto walk = segment_walk::open(fs, std::move(dir), world, seq_no{0});
  if (!walk) return propagate(walk);
  return entry_reader(std::move(*walk));
}

result<bool> entry_reader::enter_frame_of(seq_no seq) {
  const auto holds = [seq](const journal_frame& frame) {
    return frame.prefix.first_seq <= seq && seq <= last_seq(frame.prefix);
  };
  if (frame_ && holds(*frame_)) return true;
  frame_.reset();
  if (auto ok = walk_.seek(seq); !ok) return propagate(ok);
  auto frame = walk_.next();
  if (!frame) return propagate(frame);
  if (!*frame || !holds(**frame)) return false;
  frame_ = std::move(**frame);
  return true;
}

result<void> entry_reader::read(seq_no first, std::uint64_t count,
                                const std::function<void(const raw_entry&)>& visit) {
  seq_no seq = first;
  while (seq.value - first.value < count) {
    auto entered = enter_frame_of(seq);
    if (!entered) return propagate(entered);
    if (!*entered) return {};
    for (std::size_t i = seq.value - frame_->prefix.first_seq.value;
         i < frame_->entries.size() && seq.value - first.value < count; ++i, seq = seq.next())
      visit(frame_->entries[i]);
  }
  return {};
}

} // namespace mneme
