#pragma once
/// The commands of the colour space as journal entries: binding hashtags, colouring what is
/// written, reinforcing what a chroma query found, decay cycles. Pure over the overlay and views.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/entry.hpp"
#include "mneme/chroma.hpp"
#include "mneme/requests.hpp"
#include "state/overlay.hpp"

namespace mneme {

/// A set of hashtags, resolved: in the spelling they were assigned in, distinct, sorted bytewise.
struct resolved_hashtags {
  std::vector<std::string> tags;
  std::vector<std::uint32_t> anchors; ///< in the order of `tags`
};
/// limit_exceeded for an empty, too long or surplus tag, else bad_hashtags: unknown tags first,
/// then the mix. `assigned` answers normalised tags.
result<resolved_hashtags>
resolve_hashtags(const std::vector<std::string>& hashtags,
                 const std::function<std::optional<tag_assignment>(std::string_view)>& assigned);

/// The colour of a write request with hashtags; nullopt without.
result<std::optional<colour>> colour_of(const write_request& r, const overlay& state);

/// What an assign_tag does: nothing, if the tag is bound to this anchor already.
struct planned_assignment {
  tag_assignment assignment;
  bool changed = true;
};
result<planned_assignment> plan_assignment(const assign_tag_request& r, const overlay& state);

/// Fills the strengths of a chroma touch from the newest signals, each item seeing those before
/// it, and keeps them in the overlay.
void reinforce_strengths(reinforce_payload& payload, overlay& state, timestamp now);

struct planned_decay {
  decay_cycle_payload payload;
  decay_result counts;
};
/// A decay cycle over the published state `at`.
planned_decay plan_decay(const read_views& views, seq_no at, timestamp now);

} // namespace mneme
