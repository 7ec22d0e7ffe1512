#pragma once
/// What opening, verifying and replaying a journal answer, and the checks of a world that no engine
/// has open.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mneme/error.hpp"
#include "mneme/ids.hpp"
#include "mneme/proof.hpp"

namespace mneme {

/// What opening had to repair or replay.
struct open_report {
  seq_no checkpoint;
  std::uint64_t replayed_entries = 0;
  std::uint64_t torn_bytes = 0; ///< cut behind the last whole frame
  std::string torn_segment;
  bool store_rebuilt = false; ///< the store was missing or damaged: made anew from the journal
  std::string store_problem;  ///< what was wrong with it
  /// Why the vectors that are stored and those of queries may not fit together; empty = they do.
  std::string vectors_problem;
};

/// Progress of a long check: entries done, entries in all (0 = unknown).
using progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct verify_report {
  bool ok = false;
  std::uint64_t entries = 0;
  std::uint64_t frames = 0;
  std::uint64_t segments = 0;
  root_set roots;
  /// Bytes behind the last whole frame: a frame that a crash tore (nobody was told that it is
  /// durable), which the next open cuts; or one that a running writer has not finished.
  std::uint64_t torn_bytes = 0;
  std::string problem; ///< segment, offset and what is wrong; empty when ok
  /// An erasure or a trim that is under way or was broken off: what is to be gone may be there
  /// still. Empty: there is none. No damage: the next open finishes it.
  std::string unfinished{};
};
/// Checks CRCs, chain, sequence, payload hashes, the Merkle log and every recorded root of the
/// journal in `directory`, without its tables. Runs beside a writer.
result<verify_report> verify_world(const std::string& directory, const progress& on_progress = {});

/// Replays the journal of `directory` (up to a seq) into a new world at `into`; answers its roots.
result<root_set> replay_world(const std::string& directory, const std::string& into,
                              std::optional<seq_no> up_to = {}, const progress& on_progress = {});

} // namespace mneme
