#pragma once
/// A scope: what one agent lets another one see. It opens memories of `actor` to `granted_to`,
/// signed by `granted_by`, which is that actor or the host "".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mneme/types.hpp"

namespace mneme {

/// Memories framed on a verb and, unless `refs` is empty, on one of these objects.
struct frame_selector {
  verb action{};
  std::vector<std::string> refs;

  friend bool operator==(const frame_selector&, const frame_selector&) = default;
};

/// A union: a memory is selected by its type, by any of its tags, by its id, or by a frame.
/// A selector without anything selects nothing.
struct scope_selector {
  std::vector<memory_type> types;
  std::vector<std::string> tags;
  std::vector<memory_id> ids;
  std::optional<frame_selector> frame;

  [[nodiscard]] bool empty() const {
    return types.empty() && tags.empty() && ids.empty() && !frame;
  }
  friend bool operator==(const scope_selector&, const scope_selector&) = default;
};

struct scope {
  std::string actor; ///< whose memories
  digest snapshot_root;
  scope_selector include;
  scope_selector exclude;
  timestamp expires_at;
  std::int64_t budget_tokens = 0; ///< the most that a context may ask for
  std::string granted_by;
  std::string granted_to;
  bool writable = false;

  friend bool operator==(const scope&, const scope&) = default;
};

} // namespace mneme
