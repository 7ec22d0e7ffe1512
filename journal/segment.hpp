#pragma once
/// One segment file, read frame by frame. Says what is at an offset; what damage means depends on
/// what is behind it, and is judged by segment_walk.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace mneme {

/// "<first seq, 20 digits>.seg"
std::string segment_name(seq_no first_seq);
/// First seqs of the segments in `dir`, ascending. corrupt for a .seg file with a malformed name.
result<std::vector<seq_no>> list_segments(file_system& fs, const std::string& dir);

/// What is written to a segment is one journal's alone: one that has other names, as after a copy
/// by links, is copied first.
result<void> make_own(file_system& fs, const std::string& path);

/// corrupt, with the place in message and `at`.
std::unexpected<error> corrupt_at(const std::string& segment, std::uint64_t offset,
                                  std::string_view problem);

/// What was found at an offset.
struct frame_slot {
  enum class kind : std::uint8_t {
    frame,
    end,    ///< nothing but zeros up to the end of the file
    damaged ///< bytes that are no whole frame
  };
  kind found = kind::end;
  journal_frame frame; ///< found == frame; without entries and hash if only located
  std::string problem; ///< found == damaged
};

class segment_reader {
public:
  static result<segment_reader> open(file_system& fs, const std::string& dir, seq_no first_seq);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] seq_no first_seq() const { return first_seq_; }
  /// corrupt if it is damaged or is not the head that belongs under this name; format_unsupported
  /// for a newer format or another world.
  result<segment_head> head(const world_id& world);
  /// Looks at the prefix only.
  result<frame_slot> locate(std::uint64_t offset);
  /// Reads and checks the whole frame.
  result<frame_slot> read(std::uint64_t offset);
  /// Offset of a whole frame that shows that the damaged one at `offset`, which began at `seq`, had
  /// been durable.
  result<std::optional<std::uint64_t>> find_voucher(std::uint64_t offset, seq_no seq);
  /// The last of those that one after the other follow the one at `voucher`, or it.
  result<std::uint64_t> find_last_voucher(std::uint64_t voucher, seq_no seq);
  /// True if there are only zeros, or nothing, from `offset` on.
  result<bool> blank_from(std::uint64_t offset);
  /// Size of the file now.
  result<std::uint64_t> size();

private:
  segment_reader(std::unique_ptr<file> in, std::string name, seq_no first_seq)
      : in_(std::move(in)), name_(std::move(name)), first_seq_(first_seq) {}

  /// True if the file reaches to `end`; asks for its size only when it has to.
  result<bool> reaches(std::uint64_t end);
  /// The prefix at `offset` and its bytes.
  result<frame_slot> locate(std::uint64_t offset, std::string& prefix_text);
  /// `size` bytes at `offset` (fewer at the end of the file), valid until the next call. From the
  /// window if they are in it and need not be `fresh`: beside a writer the window may be behind the
  /// file, so only what proves itself whole may be taken from it.
  result<std::string_view> take(std::uint64_t offset, std::size_t size, bool fresh);

  std::unique_ptr<file> in_;
  std::string name_;
  seq_no first_seq_;
  std::uint64_t known_size_ = 0;
  std::string window_; ///< read ahead: small frames share one read
  std::uint64_t window_offset_ = 0;
};

} // namespace mneme
