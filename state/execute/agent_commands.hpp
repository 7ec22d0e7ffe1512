#pragma once
/// attest and compact as journal entries. Pure over the state of the batch being built; nonces are
/// drawn last, and a request that fails appends nothing.

#include <functional>

#include "messages/validate/validate_agents.hpp"
#include "mneme/agents.hpp"
#include "mneme/seams.hpp"
#include "state/execute/id_source.hpp"
#include "state/execute/overlay.hpp"
#include "state/execute/pending_records.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"

namespace mneme {

/// The batch being built.
struct batch_state {
  overlay& records;
  pending_records& pending;
  id_source& ids;
  const token_counter& tokens;
  timestamp now;
  seq_no published;
  std::vector<entry>& entries; ///< appended to
  number_room& room;

  /// Of the last entry so far.
  [[nodiscard]] seq_no last_seq() const { return {published.value + entries.size()}; }
  /// Of the payloads so far.
  [[nodiscard]] std::uint64_t payload_bytes() {
    for (; counted < entries.size(); ++counted) bytes += entries[counted].payload_bytes.size();
    return bytes;
  }

  std::size_t counted = 0; ///< entries in `bytes`
  std::uint64_t bytes = 0;
  std::function<result<void>()> in_time = {}; ///< as in execution_seams; empty = there is time
  answer_room answers{};                      ///< of what the command's compactions answer together
};

/// Appends attest and learn_weights. Preconditions: validate() accepts the request, and `who`
/// makes it.
result<attest_result> execute_attest(const attest_request& r, const asker& who, batch_state& batch);
/// Appends compact; budget_unreachable if kept and short forms do not fit, limit_exceeded if the
/// answer has no room. Precondition: as above.
result<compact_result> execute_compact(const compact_request& r, const asker& who,
                                       batch_state& batch);

} // namespace mneme
