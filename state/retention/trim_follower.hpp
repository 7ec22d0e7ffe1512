#pragma once
/// Goes along with who reads a journal from its start, frame by frame, and knows which trims it
/// needs: a frame that lacks payloads names the trim that dropped them.

#include <optional>
#include <span>
#include <string>

#include "journal/trim_payloads.hpp"

namespace mneme {

class trim_follower {
public:
  /// Before the frame is applied. Where the point of a trim lies between the frame before and this
  /// one: what that trim carries, which is to be applied first. corrupt if the frame lacks payloads
  /// that no trim of the journal in `dir` drops.
  result<std::optional<trim_payload>> before(file_system& fs, const std::string& dir,
                                             const world_id& world, const journal_frame& frame);
  /// The same where nothing was read of what begins at `seq`, the point or behind it.
  std::optional<trim_payload> at(seq_no seq);
  /// Of entries behind that, which may have what the trim drops where it is not done: none has it.
  void drop(std::span<entry> entries) const;
  /// The point of the last trim that is known; 0: none is.
  [[nodiscard]] seq_no point() const { return known_ ? known_->trim.before : seq_no{}; }

private:
  std::optional<journaled_trim> known_;
  bool is_due_ = false;
};

} // namespace mneme
