#include "state/recovery/store_files.hpp"

#include <limits>

#include "journal/journal.hpp"
#include "state/apply/apply.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/verify.hpp"
#include "storage/wiredtiger_directories.hpp"

namespace mneme {

namespace {

/// Gives an empty store all rows up to `at`, where a frame ends.
result<void> fill(kv_store& store, const journal_place& journal, seq_no at) {
  auto filler = store_filler::open(journal);
  if (!filler) return propagate(filler);
  if (auto all = filler->fill(store, at, std::numeric_limits<std::size_t>::max()); !all)
    return propagate(all);
  return store.checkpoint();
}

} // namespace

store_source store_in(const std::string& world_directory, const wiredtiger_options& options) {
  std::vector<std::string> names = store_names();
  for (std::string& name : names) name.insert(0, world_directory + "/");
  const auto where = std::make_shared<wiredtiger_directories>(std::move(names), options);
  store_source source;
  source.open = [where] { return where->open(); };
  source.remove = [where] { return where->remove(); };
  source.is_there = [where] { return where->is_there(); };
  source.retire = [where] { return where->retire(); };
  source.open_beside = [where]() -> result<fresh_store> {
    auto store = where->open_beside();
    if (!store) return propagate(store);
    return fresh_store{.store = std::move(*store),
                       .take = [where] { return where->retire(); },
                       .drop = [where] { where->remove_beside(); }};
  };
  return source;
}

result<store_filler> store_filler::open(const journal_place& journal) {
  auto walk = segment_walk::open(*journal.files, journal_directory(journal.world_directory),
                                 journal.world, seq_no{0});
  if (!walk) return propagate(walk);
  if (auto ok = walk->seek(seq_no{1}); !ok) return propagate(ok);
  return store_filler(std::move(*walk));
}

result<bool> store_filler::fill(kv_store& store, seq_no at, std::size_t entries) {
  for (std::size_t given = 0; filled_ < at && given < entries;) {
    auto frame = walk_.next();
    if (!frame) return propagate(frame);
    if (!*frame || last_seq((*frame)->prefix) > at)
      return fail(errc::corrupt,
                  "the journal has no frame that ends at seq " + std::to_string(at.value));
    auto opened = open_entries(**frame);
    if (!opened) return propagate(opened);
    if (opened->empty()) continue;
    std::vector<kv_write> rows;
    for (const auto& e : *opened) append_writes(e, rows);
    given += opened->size();
    filled_ = opened->back().header.seq;
    if (auto ok = store.apply(rows, filled_); !ok) return propagate(ok);
    // A stable seq that stands makes stores crawl.
    if (auto ok = store.set_stable(filled_); !ok) return propagate(ok);
  }
  return filled_ == at;
}

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
