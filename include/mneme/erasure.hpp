#pragma once
/// Erasing: what memories said is overwritten wherever it is, while roots, proofs and replay stay
/// what they are. What remains of one is a stub: that it was there, whose, of which type and since
/// when, and when, why and by whom it was erased. docs/ERASURE.md says what that covers and what
/// not.

#include <optional>
#include <string>
#include <vector>

#include "mneme/ids.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Memories that one request erases, at most; what it selects beyond is limit_exceeded.
inline constexpr std::size_t erased_at_once = 10'000;

/// What `ids`, `owned_by` and `source` name together; something must be named.
struct erase_request {
  std::vector<memory_id> ids{};
  std::optional<std::string> owned_by{}; ///< every memory of this actor
  std::optional<std::string> source{};   ///< every chunk of the source of this path
  bool with_derived = false; ///< whatever rests on one of them, however far (mneme/trust.hpp)
  std::string reason{};      ///< needed; stays in the journal, so nothing of what is erased
  std::string by{};          ///< needed: who wants it; an actor
  bool dry_run = false;      ///< only says what would go
};

/// One that was erased, or would be.
struct erased_memory {
  memory_id id;
  memory_type type{};
  std::string actor; ///< whose it was
  bool named = true; ///< false: it rests on one that was
};

struct erase_result {
  std::vector<erased_memory> erased; ///< in id order
  std::vector<memory_id> not_found;  ///< of `ids`, likewise
  std::vector<memory_id> erased_before;
  std::uint64_t entries = 0; ///< of the journal, whose payloads go
  std::uint64_t edges = 0;   ///< of them, whose data, kind and reasons go
  /// Directories of worlds that have a past with this one (mneme/branch.hpp), as far as they are
  /// known: what they have of it is theirs to erase.
  std::vector<std::string> branches;
  bool changed = false; ///< false: nothing was written
  seq_no seq;           ///< of the last entry; unchanged: the current one
};

} // namespace mneme
