#include <utility>

#include "actors/spawn.hpp"
#include "state/retention/planned_trim.hpp"
#include "state/retention/retention_rule.hpp"

namespace mneme {

namespace {

/// What would be done now; null: nothing.
std::shared_ptr<trim_command> plan_kept(world& w, const kept_history& kept,
                                        const std::shared_ptr<clock>& time) {
  const seq_no at = w.published_seq();
  trim_options options = trim_of(kept, time);
  if (kept.entries != 0) {
    if (at.value < kept.entries) return nullptr;
    options.before = seq_no{at.value - kept.entries + 1};
  }
  planned_trim planned(*w.files, w.directory, w.info.id, options, at);
  planned.stop_when(w.closes);
  // What keeps it from being planned, an erasure most often, is no more when it is due again.
  if (const auto looked = planned.look(); !looked) return nullptr;
  trim_report report = planned.report();
  report.journal_bytes_before = w.journal->bytes();
  if (!is_worth_it(report)) return nullptr;
  return std::make_shared<trim_command>(
      trim_command{.payload = planned.payload(), .planned_at = at, .reply = {}});
}

} // namespace

// Looks at the journal for what a world does not keep: reads all of it, hence detached. Asked by
// the committer, who commits what it answers.
caf::behavior retention_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                 const kept_history& kept, const std::shared_ptr<clock>& time) {
  return {
      [=](const look_at_history&) {
        auto trim = plan_kept(*w, kept, time);
        if (trim == nullptr && !w->closes) note_look(*w->files, w->directory, w->journal->bytes());
        if (trim != nullptr)
          trim->reply = [me = caf::actor(self)](const result<trim_end>& done) {
            if (done) caf::anon_send(me, history_trimmed{done->journal_bytes});
          };
        return history_look{std::move(trim)};
      },
      [=](const history_trimmed& m) { note_look(*w->files, w->directory, m.journal_bytes); },
  };
}

} // namespace mneme
