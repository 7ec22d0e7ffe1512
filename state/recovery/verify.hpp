#pragma once
/// Checks of a journal by itself: CRCs, chain, sequence, payload hashes and every recorded root,
/// with the state trees folded from the headers alone. Needs no tables and runs beside a writer.

#include "journal/ledger.hpp"
#include "mneme/recovery.hpp"
#include "storage/file.hpp"

namespace mneme {

/// Damage is a report that is not ok; an error is only what kept the check from running. `in_time`
/// is asked before each frame: what it refuses with is the answer.
result<verify_report> verify_journal(file_system& fs, const std::string& dir,
                                     const progress& on_progress, const keep_going& in_time = {});

/// Folds roots from the journal's headers up to `at`. `in_time` is asked before each frame: what it
/// refuses with is the answer.
result<root_set> fold_roots(file_system& fs, const std::string& dir, seq_no at,
                            const keep_going& in_time = {});

} // namespace mneme
