#pragma once
/// A frame of the log on its way into a copy that others read: checked by itself where it was
/// fetched, against the state where it is applied.

#include <memory>
#include <optional>
#include <vector>

#include "journal/log/log_frame.hpp"
#include "state/world.hpp"

namespace mneme {

struct followed_frame {
  std::shared_ptr<const log_frame> frame;
  journal_frame opened;
  std::vector<entry> entries; ///< none of a seal
  bool erases = false;
  std::optional<journaled_trim> trim{}; ///< that its entry says
};

/// corrupt if it is not a whole frame; trimmed if it lacks payloads: only an opening takes up
/// what a trim carries.
result<followed_frame> open_followed(log_frame frame);

/// Before the frame is applied, to a state that has all before it: whether the leader's root and
/// entries follow from that. corrupt, naming epoch, seq and both roots where these differ.
result<void> check_followed(world& w, const followed_frame& next);

} // namespace mneme
