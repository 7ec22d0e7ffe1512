#pragma once
/// attest and compact as journal entries. Pure over the state of the batch being built; nonces are
/// drawn last, and a request that fails appends nothing.

#include "mneme/agents.hpp"
#include "mneme/seams.hpp"
#include "state/asker.hpp"
#include "state/id_source.hpp"
#include "state/overlay.hpp"
#include "state/pending_records.hpp"

namespace mneme {

inline constexpr std::size_t max_cited = 256;
inline constexpr std::size_t max_step_name_bytes = 256; ///< of an intent_id or a step_id
inline constexpr std::size_t max_compact_uris = 10'000; ///< of each list

/// The batch being built.
struct batch_state {
  overlay& records;
  pending_records& pending;
  id_source& ids;
  const token_counter& tokens;
  timestamp now;
  seq_no published;
  std::vector<entry>& entries; ///< appended to

  /// Of the last entry so far.
  [[nodiscard]] seq_no last_seq() const { return {published.value + entries.size()}; }
  /// Of the payloads so far.
  [[nodiscard]] std::uint64_t payload_bytes() {
    for (; counted < entries.size(); ++counted) bytes += entries[counted].payload_bytes.size();
    return bytes;
  }

  std::size_t counted = 0; ///< entries in `bytes`
  std::uint64_t bytes = 0;
};

/// What needs no state, in order: intent_id, cited, outcome, then sizes and UTF-8.
result<void> validate(const attest_request& r);
result<void> validate(const compact_request& r);
result<void> validate(const load_compact_request& r);

/// Appends attest and learn_weights. Preconditions: validate() accepts the request, and `who`
/// makes it.
result<attest_result> execute_attest(const attest_request& r, const asker& who, batch_state& batch);
/// Appends compact; budget_unreachable if kept and short forms do not fit. Precondition: as above.
result<compact_result> execute_compact(const compact_request& r, const asker& who,
                                       batch_state& batch);

/// The newest record of (intent, step) as of `at` that the asker made; the host sees everybody's.
/// The text of what was kept is that of its version; what the asker may not see any more is
/// skipped.
result<compact_result> read_compact(const load_compact_request& r, const read_views& views,
                                    seq_no at);

/// Is it what the Pinned tier is made of: an Identity, a hard Constraint, an active Goal?
bool is_pinned(memory_type type, const memory_data& data);
/// Is it in the asker's Pinned tier? An actor's has its own alone.
bool is_pinned(const asker& who, const head& h, const memory_data& data);

} // namespace mneme
