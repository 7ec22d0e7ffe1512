#include <algorithm>

#include <fmt/format.h>

#include "sim/check_journal.hpp"
#include "sim/check_state.hpp"
#include "state/dump.hpp"
#include "state/replay.hpp"
#include "state/verify.hpp"

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

check_result check_all_claimed(const evidence& known) {
  // A query that was under way in a crash may have left a touch that nobody can claim any more.
  std::size_t unanswered = 0;
  for (const auto& [number, op] : known.operations)
    if (op.state != operation_state::answered) unanswered += touches_of(op.request);
  if (known.touches.size() <= unanswered) return {};
  return wrong("exactly once",
               fmt::format("the touch at seq {} is nobody's", known.touches.rbegin()->first.value));
}

} // namespace mneme::sim
