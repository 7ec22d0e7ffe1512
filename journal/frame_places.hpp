#pragma once
/// Where some frames of a journal begin, for who reads on from there: a reader that comes back does
/// not look for its place again. Frames that were published stay where they are while a world is
/// open.

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "mneme/types.hpp"

namespace mneme {

struct frame_place {
  seq_no first;   ///< of the frame
  seq_no segment; ///< its first seq, which is its name
  std::uint64_t offset = 0;
};

/// Thread-safe. What was noted longest ago is forgotten first.
class frame_places {
public:
  void note(const frame_place& place);
  /// The nearest that begins at `seq` or before; nullopt if none is known.
  [[nodiscard]] std::optional<frame_place> at_or_before(seq_no seq) const;

  static constexpr std::size_t most = 1024;

private:
  mutable std::mutex guard_;
  std::map<seq_no, frame_place> places_;
  std::deque<seq_no> noted_; ///< in the order in which they were noted
};

} // namespace mneme
