#pragma once
/// The append-only journal on disk: segments `<first seq, 20 digits>.seg` of bounded size in one
/// directory, each a head and a chain of frames. A frame is whole or it is not there. Only the
/// unsealed end of the last segment may be cut as a torn tail, and of the copy of a log what that
/// has; damage anywhere else is `corrupt` with segment and offset. One writer; readers open their
/// own handles.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "journal/frame.hpp"
#include "journal/log/log_leader.hpp"
#include "storage/file.hpp"

namespace mneme {

/// Of a frame: its last seq and its hash.
using frame_check = std::function<result<bool>(seq_no last, const digest& frame)>;

struct journal_options {
  std::uint64_t segment_bytes = 64ULL << 20; ///< a new segment starts at a frame boundary past this
  /// Zeros written ahead, so that a sync moves no metadata.
  std::uint64_t extend_bytes = 1ULL << 20;
  /// What is appended begins a segment of its own: those that are there are not written to.
  bool begins_segment = false;
  /// Its frames come from a log, maybe without what was trimmed there.
  bool is_copy = false;
  /// Of a copy: whether the log has a frame, and so all before it. Asked only where a crash has
  /// left the last segment's end with frames that show that others were there: those are fetched
  /// again.
  frame_check in_log{};
};

/// One frame as it was read back.
struct journal_frame {
  frame_prefix prefix;
  digest hash;
  std::string segment; ///< file name
  seq_no segment_first;
  std::uint64_t offset = 0;
  std::vector<raw_entry> entries;
};

/// Where the payload of an entry begins.
struct payload_place {
  seq_no segment; ///< the first seq of the segment, which is its name
  std::uint64_t offset = 0;
};
/// Of the frame's first entry.
payload_place first_payload(const journal_frame& frame);
/// From one entry of a frame to the next.
std::uint64_t payload_step(std::size_t payload_bytes);

/// Called per frame in order; returns false to stop.
using frame_visitor = std::function<result<bool>(const journal_frame&)>;

/// What open found at the end.
struct journal_tail {
  seq_no last_seq;              ///< of the last whole frame
  digest last_frame;            ///< its hash (zero for an empty journal)
  std::uint64_t torn_bytes = 0; ///< bytes cut behind it
  std::string torn_segment;
  std::uint64_t torn_offset = 0;
};

class journal {
public:
  /// Opens or creates the journal of `world` in `dir`. Frames after `checked_through` are read
  /// whole and checked (CRC, chain, sequence); earlier ones are only located. A torn tail behind
  /// `checked_through` is cut and reported; a journal that ends before it is corrupt. A bad frame
  /// is no torn tail if a frame behind it shows that it had been durable. What was found is made
  /// durable before this returns. Segments of another branch of the world are accepted.
  static result<std::unique_ptr<journal>> open(std::shared_ptr<file_system> fs, std::string dir,
                                               const world_id& world,
                                               const std::array<std::uint8_t, 16>& branch,
                                               seq_no checked_through,
                                               const journal_options& options = {});
  ~journal();

  /// Makes the first segment now, without frames, if there is none; durable when this returns.
  result<void> begin();

  [[nodiscard]] const journal_tail& tail() const;
  [[nodiscard]] seq_no last_seq() const;

  /// From now on this is the copy of a log, which ends where the leader's tail does: each frame is
  /// in the log before it is here, and what is in the log is durable. What the leader says of a
  /// frame, append() and append_seal() say: busy and disk_full leave all as it was, anything else
  /// is final. A log that is away gets no seal, which is no failure.
  void lead(std::shared_ptr<log_leader> leader);
  [[nodiscard]] bool is_led() const;
  /// From now on this is the copy of a log that another process leads: frames come by append_copy()
  /// alone, and append_seal() does nothing.
  void follow();
  /// The same after lead(), whatever the log has said of the last frame, unless this copy itself
  /// failed. Who has led until now; null if nobody did.
  std::shared_ptr<log_leader> yield();
  /// The leader takes nothing more; the copy itself is whole.
  [[nodiscard]] bool is_refused() const;
  /// A frame that the log has, behind the last; erased payloads are so here too. version_conflict
  /// if it does not follow: nothing has changed; corrupt if it is no frame; disk_full as append().
  /// Precondition: nobody leads.
  result<void> append_copy(const log_frame& frame);
  [[nodiscard]] const digest& last_frame() const;

  /// Makes room for a frame of these entries, which are sealed, before anybody hears of them.
  /// disk_full: what was written for it is gone again, and all is as before. Any other failure is
  /// final.
  result<void> reserve(std::span<const entry> entries);
  /// Writes one frame behind the last. `previous_root` = OverallRoot after the last frame. The
  /// entries continue the sequence. limit_exceeded (nothing written) over the bounds of a frame.
  /// Does not sync, except what is behind when a new segment begins, the last frame is a seal, or
  /// an entry erases: its frame then says that all before it is durable. disk_full: nothing of the
  /// frame is there, and the next append tries again. After any other failure the journal refuses
  /// everything further (io).
  result<void> append(std::span<const entry> entries, const digest& previous_root);
  /// A frame without entries that carries the last root; syncs what is before it first, so that it
  /// vouches for all of it. No-op if the last frame is a seal or there is none.
  result<void> append_seal(const digest& root);
  /// Makes everything appended durable. A failure is final.
  result<void> sync();
  /// Last seq known durable.
  [[nodiscard]] seq_no durable_through() const;

  /// Whether what a trim drops can go from the log: what the log says to that.
  [[nodiscard]] result<void> may_trim() const;
  /// Whether erase() can do all that it promises: what the log says to that.
  [[nodiscard]] result<void> may_erase() const;
  /// Overwrites the payloads of these entries, which are ascending, with zeros of the same length,
  /// in the log first; durable when this returns. What is erased already stays so. The entries that
  /// say so are durable before: open() does not look whether the journal was broken off in here. A
  /// failure is final. Where somebody still reads the log as it was, or the log is away or
  /// another's by now, all is done but that: owed; in the latter cases nothing is appended before
  /// it is done.
  result<void> erase(std::span<const seq_no> seqs);
  /// Entries whose payloads the log still has for who reads it since before they were erased.
  [[nodiscard]] bool owes_erasure() const;
  void owe_erasure(std::vector<seq_no> seqs);
  /// Has the log drop what is owed. busy: it still cannot, and all goes on.
  result<void> settle_erasure();

  /// The next frame begins a segment of its own: nothing is written any more to those that there
  /// are.
  void begin_segment();
  /// Segments to which nothing is written any more were written anew, and have so many bytes in
  /// place of so many.
  void count_rewritten(std::uint64_t before, std::uint64_t now);

  /// Of the first entry of one of the newest frames, by that entry's seq; from any thread.
  [[nodiscard]] payload_place payload_of(seq_no first) const;

  /// Bytes of all segments without the zeros written ahead, and their number; from any thread.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::size_t segment_count() const;
  /// Syncs, and cuts the zeros written ahead behind the last frame (on close).
  result<void> trim();

private:
  struct impl;
  explicit journal(std::unique_ptr<impl> opened);
  std::unique_ptr<impl> impl_;
};

/// Reads frames of the journal in `dir` from the one that holds `from` on, until the end of the
/// journal or until the visitor stops; every frame is checked (CRC, chain from the first one read,
/// sequence). Independent of the writer; thread-safe through handles of its own. A frame that the
/// writer has not finished, or a torn tail that open() would cut, ends the read without error when
/// `tolerate_tail`, else it is corrupt. Sees at least what was appended before the call.
result<void> read_journal(file_system& fs, const std::string& dir, const world_id& world,
                          seq_no from, bool tolerate_tail, const frame_visitor& visit);

} // namespace mneme
