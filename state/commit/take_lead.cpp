#include "state/commit/take_lead.hpp"

#include "journal/erase_payloads.hpp"
#include "messages/ensure.hpp"
#include "state/retention/trim_in_log.hpp"

namespace mneme {

result<void> erase_in_log(world& w, log_leader& leader) {
  auto last = erased_by_last(*w.files, journal_directory(w.directory), w.info.id);
  if (!last || last->seqs.empty()) return last ? result<void>() : propagate(last);
  if (auto ok = drop_erased_in_log(w, leader.store(), leader.epoch()); !ok) return ok;
  auto erased = leader.erase(last->seqs);
  if (!erased) return propagate(erased);
  // Whoever still reads what was there keeps nobody from leading.
  if (*erased == erase_outcome::kept) w.journal->owe_erasure(std::move(last->seqs));
  return {};
}

result<void> take_lead(world& w, const std::shared_ptr<log_leader>& leader) {
  ensure(leader != nullptr && !w.journal->is_led(), "who follows is given the lead once");
  if (leader->tail().end.head != w.journal->last_frame())
    return fail(errc::version_conflict, "the copy lacks something of the log that it is to lead");
  // What the next frames rest on is here for good, as after an opening.
  if (auto ok = w.journal->sync(); !ok) return ok;
  if (auto ok = erase_in_log(w, *leader); !ok) return ok;
  w.journal->lead(leader);
  auto sealed = w.journal->append_seal(w.ledger->roots().overall);
  if (!sealed) w.journal->yield();
  return sealed;
}

} // namespace mneme
