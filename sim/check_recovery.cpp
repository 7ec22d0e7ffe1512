#include <algorithm>

#include <fmt/format.h>

#include "sim/check_journal.hpp"
#include "sim/check_state.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"

namespace mneme::sim {

namespace {

/// A request whose entries lie on both sides of the journal's new end.
check_result check_none_is_torn(const evidence& known, seq_no last) {
  for (const auto& [number, write] : known.entered) {
    if (!write.is_lost && write.first <= last && write.last > last)
      return wrong("atomic", fmt::format("operation {} (\"{}\") is in the journal in part only",
                                         number, describe(known.operations.at(number).request)));
  }
  return {};
}

} // namespace

check_result check_recovery(evidence& known, world& w, seq_no promised) {
  const seq_no last = w.published_seq();
  if (last < promised)
    return wrong("lost write", fmt::format("the journal ends at seq {}, but seq {} was promised",
                                           last.value, promised.value));
  if (auto ok = check_none_is_torn(known, last); !ok) return ok;
  forget_behind(known, last);
  if (auto ok = follow_journal(known, *w.files, last); !ok) return ok;
  if (auto ok = check_state(known, w); !ok) return ok;
  if (auto ok = check_both_ends(known, w); !ok) return ok;
  return check_roots(known, w);
}

check_result check_replay(const evidence& known, world& w) {
  auto verified = verify_journal(*w.files, w.directory, {});
  if (!verified) return wrong("replay", verified.error().message);
  if (!verified->ok) return wrong("replay", "the journal does not verify: " + verified->problem);
  if (verified->roots != known.roots.at(known.truth.last()))
    return wrong("replay", "the journal verifies to another root");
  world_options options = world_options_of(known.setup, disk{});
  options.fresh = w.info;
  options.retained_seqs = ~0ULL;
  auto fresh = open_world(options);
  if (!fresh) return wrong("replay", fresh.error().message);
  if (auto ok = replay_journal(*w.files, w.directory, **fresh, {}, {}); !ok)
    return wrong("replay", ok.error().message);
  auto live_dump = canonical_dump(w);
  auto replayed_dump = canonical_dump(**fresh);
  if (!live_dump) return wrong("replay", live_dump.error().message);
  if (!replayed_dump) return wrong("replay", replayed_dump.error().message);
  if (*live_dump != *replayed_dump) return wrong("replay", "the replayed state is another");
  return {};
}

/// Touches that waited for each other: each one that is journaled was answered, and after a life
/// without a crash each one that was answered is journaled.
check_result check_late_touches(const evidence& known) {
  std::uint64_t unanswered = 0;
  for (const auto& [number, op] : known.operations)
    if (op.state != operation_state::answered) unanswered += touches_of(op.request);
  std::map<memory_id, std::uint64_t> journaled;
  for (const auto& [seq, payload] : known.touches)
    if (const auto* bump = std::get_if<reinforce_payload>(&payload);
        bump != nullptr && bump->door == reinforcing_door::chroma)
      for (const auto& item : bump->items) ++journaled[item.id];
  for (const auto& [id, times] : journaled) {
    const auto answered = known.late_touches.find(id);
    const std::uint64_t most = answered == known.late_touches.end() ? 0 : answered->second;
    if (times > most + unanswered)
      return wrong("exactly once", fmt::format("{} was touched {} times instead of {}",
                                               to_string(id), times, most));
  }
  // Touches of a round that found no room are lost with it.
  if (known.has_crashed || known.last_issued_when_full > 0) return {};
  for (const auto& [id, times] : known.late_touches)
    if (!known.truth.is_erased(id) && journaled[id] < times)
      return wrong("exactly once", fmt::format("{} was touched {} times instead of {}",
                                               to_string(id), journaled[id], times));
  return {};
}

check_result check_violations(const evidence& known) {
  std::map<std::uint64_t, std::uint64_t> journaled;
  for (const auto& [seq, number] : known.violations) ++journaled[number];
  // A full queue, or a full disk, may refuse the entry of a read.
  const bool may_miss = known.has_crashed || known.last_issued_when_full > 0
                        || known.setup.max_queued < known.setup.clients;
  for (const auto& [number, op] : known.operations) {
    if (op.state != operation_state::answered) continue;
    const auto found = journaled[number];
    if (found == op.violations || (may_miss && found < op.violations)) continue;
    return wrong("scope",
                 fmt::format("operation {} (\"{}\") went outside its scope {} times, and {} "
                             "are journaled",
                             number, describe(op.request), op.violations, found));
  }
  return {};
}

check_result check_all_claimed(const evidence& known) {
  // A query that was under way in a crash may have left a touch that nobody can claim any more.
  std::size_t unanswered = 0;
  for (const auto& [number, op] : known.operations)
    if (op.state != operation_state::answered) unanswered += touches_of(op.request);
  const auto of_many = [&](const auto& touch) {
    const auto* bump = std::get_if<reinforce_payload>(&touch.second);
    return known.setup.touches == touch_mode::batched && bump != nullptr
           && bump->door == reinforcing_door::chroma;
  };
  const auto many = static_cast<std::size_t>(std::ranges::count_if(known.touches, of_many));
  if (known.touches.size() - many <= unanswered) return {};
  return wrong("exactly once",
               fmt::format("the touch at seq {} is nobody's", known.touches.rbegin()->first.value));
}

} // namespace mneme::sim
