#pragma once
/// The commands of the colour space as journal entries: binding hashtags, colouring what is
/// written, reinforcing what a chroma query found, decay cycles. Pure over the overlay and views.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/chroma.hpp"
#include "mneme/requests.hpp"
#include "state/execute/overlay.hpp"

namespace mneme {

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
/// A decay cycle over the published state `at`. `in_time` is asked before each memory: what it
/// refuses with is the answer; empty = there is time.
result<planned_decay> plan_decay(const read_views& views, seq_no at, timestamp now,
                                 const std::function<result<void>()>& in_time = {});

} // namespace mneme
