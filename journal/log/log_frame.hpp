#pragma once
/// A frame of the journal as a log keeps it: what is hashed apart from what may be erased. Pure.

#include <span>
#include <string>
#include <string_view>

#include "journal/frame.hpp"

namespace mneme {

struct log_frame {
  seq_no last_seq;      ///< of the last entry up to here; of a seal: of the entry before it
  digest hash;          ///< of the frame as it was written
  std::string head;     ///< what stands before the payload block: the mark of a trim, too
  std::string payloads; ///< payload block, as it is now

  friend bool operator==(const log_frame&, const log_frame&) = default;
};

/// Of the bytes of one whole frame that lacks no payload (limit of a log: frames are appended as
/// they were first written). corrupt if they are not that.
result<log_frame> split_frame(std::string_view bytes);
/// Whose head it is. corrupt unless it is the whole head of a frame and `frame` says the same of
/// it, and the payload block is as long as the head says.
result<frame_prefix> check_log_frame(const log_frame& frame);

/// In a payload block of the frame with this prefix: those of the entries `seqs`, which ascend,
/// become zeros of the same length. Seqs of other frames are passed over. True: something changed.
/// corrupt if the block is not one.
result<bool> erase_in_block(const frame_prefix& prefix, std::string& payloads,
                            std::span<const seq_no> seqs);
/// Takes out of the frame, which is whole, what the trim drops; its hash stays. True: something
/// changed. corrupt if it is no frame.
result<bool> drop_in_log_frame(const journaled_trim& by, log_frame& frame);

} // namespace mneme
