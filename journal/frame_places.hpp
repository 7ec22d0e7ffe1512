#pragma once
/// Where some frames of a journal begin, and what the newest say, for who reads on from there: a
/// reader that comes back does not look for its place again, and many that wait for the same frame
/// read it once. Frames that were published stay where they are while a world is open, and say what
/// they said, but for an erasure or a trim: those rewrite.

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "journal/journal.hpp"

namespace mneme {

struct frame_place {
  seq_no first;   ///< of the frame
  seq_no segment; ///< its first seq, which is its name
  std::uint64_t offset = 0;
};

/// Thread-safe.
class frame_places {
public:
  /// Of a frame that was read since rewrites() were `since`: of a file that was opened after that.
  void note(const frame_place& place, std::uint32_t since);
  /// The nearest that begins at `seq` or before; nullopt if none is known.
  [[nodiscard]] std::optional<frame_place> at_or_before(seq_no seq) const;
  /// So many, and what was noted longest ago is forgotten first.
  static constexpr std::size_t most = 1024;

  /// Keeps a frame that was read so, if it is one of the newest.
  void keep(std::shared_ptr<const journal_frame> frame, std::uint32_t since);
  /// The frame that holds `seq`, if it is kept; else null.
  [[nodiscard]] std::shared_ptr<const journal_frame> kept(seq_no seq) const;
  static constexpr std::size_t most_kept = 16;
  static constexpr std::uint64_t most_kept_bytes = 512U << 10;

  /// The writer, around what changes payloads in place, or moves frames: nothing that was read
  /// before is known any more.
  void begin_rewrite();
  void end_rewrite();
  /// How often that began and ended: odd while it is under way.
  [[nodiscard]] std::uint32_t rewrites() const { return rewrites_.load(); }

private:
  mutable std::mutex guard_;
  std::map<seq_no, frame_place> places_;
  std::deque<seq_no> noted_; ///< in the order in which they were noted
  std::map<seq_no, std::shared_ptr<const journal_frame>> kept_; ///< by their first seq
  std::uint64_t kept_bytes_ = 0;
  std::atomic<std::uint32_t> rewrites_{0};
};

} // namespace mneme
