#include "actors/spawn.hpp"

namespace mneme {

namespace {

outcome outcome_of(const result<void>& done) {
  return done ? outcome{} : outcome{done.error()};
}

outcome outcome_of(const result<void>& done, errc code_of_failure) {
  outcome o = outcome_of(done);
  if (o.problem) o.problem->code = code_of_failure;
  return o;
}

} // namespace

// Owns the journal: appends frames, makes them durable. Blocks in fdatasync, hence detached.
caf::behavior journal_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                               bool skip_fsync) {
  // Of the frame that is appended, but not synced yet; there is one at a time.
  auto answer = std::make_shared<caf::typed_response_promise<outcome>>();
  return {
      [=](const append_frame& m) {
        auto promise = self->make_response_promise<outcome>();
        const auto appended = w->journal->append(m.batch->entries, m.previous_root);
        if (!appended || !m.syncs) {
          promise.deliver(outcome_of(appended, errc::io));
        } else {
          *answer = promise;
          self->send(self, sync_appended{});
        }
        return promise;
      },
      [=](const sync_appended&) {
        const auto synced = skip_fsync ? result<void>() : w->journal->sync();
        // After a failed fsync the frame may or may not be found by the next open.
        answer->deliver(outcome_of(synced, errc::outcome_unknown));
      },
      [=](const sync_journal&) { return skip_fsync ? outcome{} : outcome_of(w->journal->sync()); },
      [=](const append_seal& m) {
        const auto sealed = w->journal->append_seal(m.root);
        return outcome_of(sealed ? w->journal->sync() : sealed);
      },
  };
}

} // namespace mneme
