#pragma once
/// The seam between a world and a log that several processes share: an ordered list of the
/// journal's frames which one leader appends to and anybody reads. The journal in a directory is
/// a copy of it then.
///
/// What every implementation owes:
///   - Frames stand in one order without gaps. One is appended only behind the frame that its
///     writer names, and only by the holder of the newest epoch: a compare and set, by one
///     transaction of the log.
///   - What was answered `appended` is as durable as the log is, and is read by everybody.
///   - The epoch is what is safe, the lease only what is polite: whoever claims, fences all that
///     were before, whatever they believe of the time. Leases are measured by the log's clock.
///   - errc::busy says that the log cannot be reached now, and nothing has changed there;
///     errc::outcome_unknown that it may or may not have. Any other error is no matter of time.
///
/// A frame is counted by its place in the log and not by seqs, since a seal has none of its own.
/// An implementation belongs to one thread at a time. Any call may wait for the network.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/log/log_frame.hpp"

namespace mneme {

/// Of leaders: each claim makes the next. 0: nobody has ever claimed.
struct log_epoch {
  std::uint64_t value = 0;

  friend auto operator<=>(const log_epoch&, const log_epoch&) = default;
  [[nodiscard]] log_epoch next() const noexcept { return {value + 1}; }
};

/// A place between two frames.
struct log_point {
  std::uint64_t frames = 0; ///< how many are before it
  digest head;              ///< hash of the last of them; zero: there is none

  friend bool operator==(const log_point&, const log_point&) = default;
};

struct log_tail {
  log_point end;
  seq_no last_seq;    ///< of the last entry
  log_epoch epoch;    ///< the newest
  std::string holder; ///< who claimed it

  friend bool operator==(const log_tail&, const log_tail&) = default;
};

enum class append_outcome : std::uint8_t {
  appended,
  conflict, ///< another frame stands there, or the log does not reach as far: nothing was appended
  fenced,   ///< the epoch is not the newest: nothing was appended, nor will be in that epoch
  unknown,  ///< no answer came: it is there, or not, or will be: read the tail
};

enum class claim_outcome : std::uint8_t {
  granted,
  held,  ///< somebody's lease has not run out: nothing has changed
  stale, ///< the newest epoch is another than was said: nothing has changed
};

struct claim_answer {
  claim_outcome outcome{};
  log_epoch epoch;    ///< the newest now
  std::string holder; ///< of it
  std::chrono::milliseconds lease_left{};
};

enum class erase_outcome : std::uint8_t {
  done, ///< nothing that the log still serves holds what was erased
  kept, ///< who begins to read gets zeros, but somebody is reading since before: erase again later
};

class log_store {
public:
  virtual ~log_store() = default;

  /// Waits a little, longer from time to time, before what has failed is asked again: the `again`th
  /// time; 0, before it is asked at all, waits for nothing. A log without a network need not.
  /// False: all of it, since that 0, took so long that whoever waits is to be told.
  virtual bool pause(unsigned again) {
    (void)again;
    return true;
  }

  /// Founds the log: no frames, epoch 0. `founding` is kept as it is, for who joins with nothing.
  /// already_exists if it was founded before.
  virtual result<void> create(std::string_view founding) = 0;
  /// not_found if it was never founded; so does every other call below answer.
  virtual result<std::string> founding() = 0;

  virtual result<log_tail> tail() = 0;
  /// Appends `frame` behind `expect`, if the newest epoch is `epoch` and somebody's; its lease then
  /// runs for `ttl` at least.
  virtual result<append_outcome> append(const log_point& expect, log_epoch epoch,
                                        std::chrono::milliseconds ttl, const log_frame& frame) = 0;
  /// The frames behind the first `from`, in order and without a gap: at least one if there is any,
  /// no more than `max_frames`, and few enough to be about `max_bytes`.
  virtual result<std::vector<log_frame>> read(std::uint64_t from, std::size_t max_frames,
                                              std::uint64_t max_bytes) = 0;

  /// Makes the epoch behind `newest`, for `holder`, unless somebody else's lease runs. One's own
  /// name is no hindrance: give each process a name of its own.
  virtual result<claim_answer> claim(log_epoch newest, std::string_view holder,
                                     std::chrono::milliseconds ttl) = 0;
  /// Whether who is connected could lead: unsupported, and what it lacks.
  virtual result<void> may_lead() { return {}; }
  /// From now on. False: fenced. With zero the lease ends, the epoch does not.
  virtual result<bool> renew(log_epoch epoch, std::chrono::milliseconds ttl) = 0;

  /// Whether erase() can be done now, before anything is: unsupported, and why it cannot be by who
  /// is connected; busy, and who is in its way.
  virtual result<void> may_erase() = 0;
  /// The payloads of these entries, which ascend, become zeros of the same length, wherever the log
  /// keeps what can be read; all blobs go. Can be made again, after a failure and where something
  /// was kept. version_conflict: fenced.
  virtual result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) = 0;
  /// Whether trim() can be done by who is connected: unsupported, and what it lacks.
  virtual result<void> may_trim() { return {}; }
  /// Takes out of some of the frames behind the first `from` what the trim drops, which has an
  /// entry in this log; headers and hashes stay. How many frames are done then: `from` itself where
  /// none is left before the trim's point. Can be made again. version_conflict: fenced;
  /// out_of_range: the log has no such entry.
  virtual result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                                     log_epoch epoch) = 0;

  /// Any bytes by their SHA-256. Putting what is there changes nothing.
  virtual result<digest> put_blob(std::string_view bytes) = 0;
  /// not_found; corrupt if the bytes are not those of their hash.
  virtual result<std::string> get_blob(const digest& hash) = 0;
};

} // namespace mneme
