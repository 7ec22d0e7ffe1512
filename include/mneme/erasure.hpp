#pragma once
/// Erasing: what memories said is overwritten wherever it is, while roots, proofs and replay stay
/// what they are. What remains of one is a stub: that it was there, whose, of which type and since
/// when, and when, why and by whom it was erased. docs/ERASURE.md says what that covers and what
/// not.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/error.hpp"
#include "mneme/ids.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Memories that go at once, at most. A request that selects more is carried out in portions, and
/// answered when the last is done; what rests on others goes before them, so that the request finds
/// the rest again if the machine stops between two.
inline constexpr std::size_t erased_at_once = 10'000;

/// What `ids`, `owned_by` and `source` name together; something must be named. Or one field of the
/// topic that `ids` names alone.
struct erase_request {
  std::vector<memory_id> ids{};
  std::optional<std::string> owned_by{}; ///< every memory of this actor
  std::optional<std::string> source{};   ///< every chunk of the source of this path
  bool with_derived = false; ///< whatever rests on one of them, however far (mneme/trust.hpp)
  std::string reason{};      ///< needed; stays in the journal, so nothing of what is erased
  std::string by{};          ///< needed: who wants it; an actor
  bool dry_run = false;      ///< only says what would go
  /// The same in every branch that the notes of branches lead to (mneme/branch.hpp), from branch to
  /// branch. Of engine::erase alone.
  bool with_branches = false;
  /// Only this field of the one topic, with all its history, also where merges filed it from: what
  /// else the topic says stays, and the field may be set anew.
  std::optional<std::string> field{};
};

/// A field that was erased, or would be.
struct erased_topic_field {
  memory_id topic;
  std::string field;

  friend bool operator==(const erased_topic_field&, const erased_topic_field&) = default;
};

/// One that was erased, or would be.
struct erased_memory {
  memory_id id;
  memory_type type{};
  std::string actor; ///< whose it was
  bool named = true; ///< false: it rests on one that was
};

/// What became of an erasure in one branch.
enum class branch_outcome : std::uint8_t {
  erased = 1, ///< or would be
  nothing,    ///< it has nothing of what is named, or no more
  busy,       ///< open elsewhere, and takes no questions: the same request again, once it is closed
  missing,    ///< a note leads there, and no world of that name is there: deleted, or moved
  failed,     ///< as `note` says
};
std::string_view to_string(branch_outcome v) noexcept;

struct branch_erasure {
  std::string path;
  branch_outcome outcome{};
  std::uint64_t memories = 0; ///< that went, or would; of a request for a field, fields
  seq_no seq;                 ///< of its last entry
  std::string note;           ///< what kept it from being done
};

struct erase_result {
  std::vector<erased_memory> erased;    ///< in id order
  std::vector<memory_id> not_found;     ///< of `ids`, likewise
  std::vector<memory_id> erased_before; ///< of what is named by ids or by its owner, likewise
  std::uint64_t entries = 0;            ///< of the journal, whose payloads go
  std::uint64_t edges = 0;              ///< of them, whose data, kind and reasons go
  /// Directories of worlds that have a past with this one (mneme/branch.hpp), as far as notes lead
  /// to them, and that were left as they are: what they have of it is to be erased there, too.
  std::vector<std::string> branches;
  std::vector<branch_erasure> in_branches; ///< with_branches: one for each that was come to
  bool changed = false;                    ///< false: nothing was written
  seq_no seq;                              ///< of the last entry; unchanged: the current one
  /// Of erase_message, which erases one portion: so many go when it is sent again.
  std::uint64_t left = 0;
  std::vector<erased_topic_field> fields{}; ///< of a request for a field; in the order of topics
  std::vector<erased_topic_field> fields_erased_before{}; ///< likewise; then `fields` is empty
};

/// Has whoever has the world in `directory` open carry out the request.
using branch_eraser =
    std::function<result<erase_result>(const std::string& directory, const erase_request& request)>;

} // namespace mneme
