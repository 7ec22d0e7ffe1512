#include "state/recovery/store_files.hpp"

#include "journal/journal.hpp"
#include "state/apply/apply.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/verify.hpp"

namespace mneme {

namespace {

/// Gives an empty store all rows up to `at`, where a frame ends.
result<void> fill(kv_store& store, const journal_place& journal, seq_no at) {
  seq_no last{};
  auto walked =
      read_journal(*journal.files, journal_directory(journal.world_directory), journal.world,
                   seq_no{1}, true, [&](const journal_frame& frame) -> result<bool> {
                     auto entries = open_entries(frame);
                     if (!entries) return propagate(entries);
                     if (entries->empty()) return true;
                     if (entries->back().header.seq > at) return false;
                     std::vector<kv_write> rows;
                     for (const auto& e : *entries) append_writes(e, rows);
                     last = entries->back().header.seq;
                     if (auto ok = store.apply(rows, last); !ok) return propagate(ok);
                     // A stable seq that stands makes stores crawl.
                     if (auto ok = store.set_stable(last); !ok) return propagate(ok);
                     return last < at;
                   });
  if (!walked) return walked;
  if (last != at)
    return fail(errc::corrupt, "the journal has no frame that ends at seq "
                                   + std::to_string(at.value) + ", which a checkpoint is of");
  return store.checkpoint();
}

} // namespace

bool journal_is_sound(const journal_place& journal) {
  const auto report = verify_journal(*journal.files, journal.world_directory, {});
  return report && report->ok;
}

result<std::unique_ptr<kv_store>> make_files(const store_source& source,
                                             const journal_place& journal, seq_no at) {
  auto opened = source.open();
  if (!opened) return opened;
  if (auto ok = fill(**opened, journal, at); !ok) return propagate(ok);
  return opened;
}

result<std::unique_ptr<kv_store>> open_files_at(const store_source& source,
                                                const journal_place& journal, seq_no at,
                                                late_store_problem& problem) {
  // None, as in a fork: nothing can be lost, so that the journal need not prove itself first.
  const bool is_absent = source.is_there && !source.is_there();
  auto opened = source.open();
  if (opened && (*opened)->recovered() == at) return opened;
  if (!opened && opened.error().code == errc::busy) return opened;
  const std::string what = !opened ? opened.error().message
                           : (*opened)->recovered().value == 0
                               ? "the store is missing"
                               : "the store is at seq "
                                     + std::to_string((*opened)->recovered().value)
                                     + ", but the checkpoint is of seq " + std::to_string(at.value);
  if (opened) opened->reset();
  if (!source.remove || (!is_absent && !journal_is_sound(journal)))
    return fail(errc::corrupt, what);
  if (auto ok = source.remove(); !ok) return propagate(ok);
  opened = make_files(source, journal, at);
  if (!opened) return opened;
  problem.set(what);
  return opened;
}

} // namespace mneme
