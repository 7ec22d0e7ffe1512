#include "state/execute/execute_chroma.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "index/colour/gravity.hpp"
#include "index/colour/mnemosyne.hpp"
#include "index/colour/semantic_stack.hpp"
#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "messages/text/hashtag.hpp"
#include "messages/validate/validate.hpp"
#include "views/hashtag_mix.hpp"

namespace mneme {

result<std::optional<colour>> colour_of(const write_request& r, const overlay& state) {
  if (r.hashtags.empty()) {
    if (r.mode) return fail(errc::bad_value, "a mode belongs to hashtags", "mode");
    return std::optional<colour>{};
  }
  auto resolved =
      resolve_hashtags(r.hashtags, [&](std::string_view tag) { return state.tag(tag); });
  if (!resolved) return propagate(resolved);
  const lab_point point = gravity(resolved->anchors);
  return std::optional<colour>(
      {.hashtags = std::move(resolved->tags),
       .L = point.L,
       .a = point.a,
       .b = point.b,
       .mode = std::string(to_string(r.mode.value_or(memory_mode::adaptive)))});
}

result<planned_assignment> plan_assignment(const assign_tag_request& r, const overlay& state) {
  auto tag = checked_hashtag(r.tag, "tag");
  if (!tag) return propagate(tag);
  if (const auto fault = name_fault(*tag); !fault.empty())
    return fail(errc::bad_value, std::string(fault), "tag");
  if (const auto bound = state.tag(*tag)) {
    const bool is_same = r.anchor ? *r.anchor == bound->anchor : *r.zone == bound->zone;
    if (is_same) return planned_assignment{*bound, false};
    return fail(errc::tag_assigned,
                fmt::format("{} is bound to anchor {} ({}) for good", bound->tag, bound->anchor,
                            to_string(bound->zone)),
                "tag");
  }
  if (r.anchor) {
    const auto anchor = static_cast<std::uint32_t>(*r.anchor);
    if (state.is_taken(anchor))
      return fail(errc::anchor_taken, fmt::format("another hashtag has anchor {}", anchor),
                  "anchor");
    return planned_assignment{{std::move(*tag), anchor, zone_of(anchor)}, true};
  }
  const anchor_range range = anchors_of(*r.zone);
  for (std::uint32_t anchor = range.first; anchor <= range.last; ++anchor)
    if (!state.is_taken(anchor))
      return planned_assignment{{std::move(*tag), anchor, *r.zone}, true};
  return fail(errc::zone_full,
              fmt::format("every anchor of the {} zone has a hashtag", to_string(*r.zone)), "zone");
}

void reinforce_strengths(reinforce_payload& payload, overlay& state, timestamp now) {
  for (reinforced_item& item : payload.items) {
    const auto before = state.signals_of(item.id);
    const auto mode = state.mode_of(item.id);
    ensure(before && mode, "what a chroma query found has a colour");
    item.from_e9 = before->strength_e9;
    item.to_e9 = touched_strength(*before, *mode, now);
    state.put(item.id, touched_signals(*before, *mode, item.to_e9, now));
  }
  state.keep_layer();
}

result<planned_decay> plan_decay(const read_views& views, seq_no at, timestamp now,
                                 const std::function<result<void>()>& in_time) {
  planned_decay plan;
  const colour_index& colours = views.attributes->colours();
  for (std::uint32_t number = 0; number < colours.point_count(); ++number) {
    if (!colours.is_last(number)) continue;
    if (in_time)
      if (auto ok = in_time(); !ok) return propagate(ok);
    const stored_point& p = colours.point(number);
    const row_no row = views.attributes->row_of({p.node}, at);
    if (row.value == no_number) continue;
    if ((views.attributes->rows().line(row).flags & row_gone) != 0) continue;
    const auto before = colours.signals_of({p.node}, at);
    if (!before || before->ascended) continue;
    const colour_signals after = decayed_signals(*before, colours.mode_of(p), now);
    if (after.strength_e9 != before->strength_e9) ++plan.counts.decayed;
    if (after.ascended) ++plan.counts.ascended;
    if (after.rotten && !before->rotten) ++plan.counts.rotten;
    plan.payload.items.push_back(
        {views.nodes->id({p.node}), after.strength_e9, after.ascended, after.rotten});
  }
  std::ranges::sort(plan.payload.items, {}, &decayed_item::id);
  return plan;
}

} // namespace mneme
