#pragma once
/// Goes through the frames of a journal in order, over all its segments, and checks each against
/// the one before: sequence, hash chain, heads. Judges damage: bytes behind the last whole frame of
/// the last segment are a torn tail, unless something shows that a frame there was durable.

#include <optional>
#include <string>
#include <vector>

#include "journal/frame_places.hpp"
#include "journal/segment.hpp"

namespace mneme {

class segment_walk {
public:
  /// `durable` is a seq that must be there: damage at or before it is never a torn tail. What lies
  /// behind that, and was durable once, is one too where `in_log` says yes to the last frame there.
  static result<segment_walk> open(file_system& fs, std::string dir, const world_id& world,
                                   seq_no durable, frame_check in_log = {});

  /// First seqs of the segments, as they were when the walk was opened.
  [[nodiscard]] const std::vector<seq_no>& segments() const { return segments_; }
  /// Checks the heads of all segments but the last.
  result<void> check_heads();

  /// Goes to where a frame begins. Where that segment is not there any more it stays where it is.
  result<void> start_at(const frame_place& place);
  /// Goes to the frame that holds `from` (or to the end, if there is none) by looking at prefixes:
  /// from the place on where that is in the same segment and before it, else from its segment's
  /// start.
  result<void> seek(seq_no from);
  /// The frame that holds `seq`, by its prefix alone: without entries; nullopt if there is none.
  result<std::optional<journal_frame>> locate(seq_no seq);
  /// The next frame, or nullopt at the end or at a torn tail.
  result<std::optional<journal_frame>> next();

  /// The place behind the last frame so far, and that frame. No segment is entered while there is
  /// none with a whole head.
  [[nodiscard]] bool entered() const { return reader_.has_value(); }
  [[nodiscard]] std::size_t segment_index() const { return index_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] seq_no last() const { return last_; }
  /// Unknown (nullopt) behind a frame that seek() passed.
  [[nodiscard]] const std::optional<digest>& last_frame() const { return last_frame_; }
  [[nodiscard]] bool last_is_seal() const { return last_is_seal_; }

  /// What ended the walk, if not a clean end.
  struct torn_tail {
    std::string segment;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::string problem;
    bool whole_segment = false; ///< not even its head is whole
  };
  [[nodiscard]] const std::optional<torn_tail>& torn() const { return torn_; }

private:
  segment_walk(file_system& fs, std::string dir, const world_id& world, seq_no durable,
               frame_check in_log)
      : fs_(&fs),
        dir_(std::move(dir)),
        world_(world),
        durable_(durable),
        in_log_(std::move(in_log)) {}

  /// Opens segment `index` and checks its head, also against the frame before if it `follows` it.
  /// False if the head is a torn tail.
  result<bool> enter(std::size_t index, bool follows);
  /// Nothing if the head is a torn tail.
  result<std::optional<segment_head>> read_head(segment_reader& reader, std::size_t index);
  result<void> check_head(std::size_t index, const segment_head& head) const;
  /// The frame at the place, checked against the one before; not yet passed.
  result<std::optional<journal_frame>> peek(bool whole);
  void pass(const journal_frame& frame);
  result<frame_slot> look(bool whole);
  /// A frame after all (a writer has just finished it), or kind::end for a torn tail.
  result<frame_slot> judge_damage(const std::string& problem, bool whole);
  /// Whether the log has all that is here behind a damaged frame, which began at `here`.
  result<bool> is_end_in_log(std::uint64_t voucher, seq_no here);
  result<void> check_link(const journal_frame& frame) const;
  [[nodiscard]] bool in_last_segment() const { return index_ + 1 == segments_.size(); }

  file_system* fs_;
  std::string dir_;
  world_id world_;
  seq_no durable_;
  frame_check in_log_;
  std::vector<seq_no> segments_;
  std::optional<segment_reader> reader_;
  std::size_t index_ = 0;
  std::uint64_t offset_ = 0;
  seq_no last_;
  std::optional<digest> last_frame_ = digest{};
  bool last_is_seal_ = false;
  std::optional<torn_tail> torn_;
};

} // namespace mneme
