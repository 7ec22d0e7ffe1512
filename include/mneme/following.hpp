#pragma once
/// Where a process stands that has a world which is kept in a log (docs/SCALE.md).

#include <cstdint>
#include <optional>
#include <string>

#include "mneme/ids.hpp"
#include "mneme/proof.hpp"

namespace mneme {

enum class log_role : std::uint8_t {
  leader,   ///< writes; what it acknowledges is in the log
  follower, ///< reads, and takes what another process writes
};

/// What a reader can hold a later answer against, of whichever copy: it has at least this seq, and
/// that root there.
struct log_position {
  std::uint64_t epoch = 0; ///< of leaders: the newest that was heard of
  seq_no seq;
  digest root; ///< after the entry `seq`
};

struct log_status {
  log_role role{};
  std::uint64_t epoch = 0;    ///< the newest that was heard of
  std::string leader;         ///< who claimed it: a name of its own for each process
  std::string leader_address; ///< where it can be asked, if it said so
  seq_no log_seq;             ///< the last entry of the log, as it was last looked at
  /// Entries that the log has and this copy has not; absent: the log is away, and nobody knows.
  std::optional<std::uint64_t> lag_seqs;
  std::uint64_t lag_ms = 0; ///< so old may be what it shows; it has looked no later than that
  /// For so long the log could not be reached, or takes nothing; absent: it can be, as far as is
  /// known.
  std::optional<std::uint64_t> away_ms;
  std::string problem; ///< why, or why this process could not lead; empty = neither
  /// It is to write, or has led until now, and every write is refused; problem and refusals say
  /// why.
  bool is_cut_off = false;
};

} // namespace mneme
