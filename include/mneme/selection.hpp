#pragma once
/// Forgetting and superseding by words: callers know no ids, but what something was about.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/requests.hpp"
#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Why a memory was selected; the first that applies selects alone.
enum class selection_reason : std::uint8_t {
  identifier, ///< has every address, code, number, path or quoted text of the words
  entity,     ///< is about the person, place or thing that is named
  meaning,    ///< says what the words say
};
std::string_view to_string(selection_reason why) noexcept;

/// What the words mean. It only reads: forgetting is a batch of what it selects, each with its
/// version (forgetting_of, superseding_of).
struct select_request {
  std::string words;              ///< not blank: "everything about the Globex contract"
  std::vector<memory_type> types; ///< empty = all but Chunk
  std::vector<std::string> tags;  ///< has all of them
  /// What more than this many memories match is refused (limit_exceeded): nothing is cut off.
  std::int64_t limit = 1000;
  /// The words are a fact that is new: what it takes the place of is selected, not what they name.
  bool states_new = false;
  std::optional<std::vector<float>> vector{}; ///< of the words; default: embedded
  /// Who is asking; absent or "" = the host. An actor selects among its own memories.
  std::optional<std::string> actor{};
  std::shared_ptr<const mneme::scope> scope{}; ///< selects among what it opens
  std::optional<seq_no> at_seq{};
  std::optional<timestamp> now{}; ///< default: the clock, with at_seq the time of that entry
  std::optional<std::int64_t> deadline_ms{};
};

struct selected_memory {
  memory_uri uri;
  selection_reason why{};
  std::string because; ///< the identifiers, the name, or the words that it shares with the request
  std::string text;    ///< the first 600 bytes of what is searched
  memory_standing standing{};
  bool trust_told = false; ///< its version says its own trust, or whose word it is
  std::optional<mneme::source_class> source_class{};
};

struct select_result {
  std::vector<selected_memory> selected; ///< by id
  std::string note;                      ///< why nothing is; beside what is, what is to be known
  std::string embedder_problem;          ///< the words had no vector, though there is an embedder
  seq_no at_seq;
};

/// A batch of tombstones for what was selected.
struct forget_matching_request {
  select_request select;
  std::string reason;
  tombstone_cause cause = tombstone_cause::deleted;
  std::optional<std::string> by;
  bool dry_run = false; ///< selects, and changes nothing
};
struct forget_matching_result {
  std::vector<selected_memory> selected;
  std::string note;
  std::string embedder_problem;
  std::int64_t forgotten = 0;
  seq_no seq; ///< of the batch, or what was read
};

/// A new memory and what it takes the place of, in one batch.
struct supersede_matching_request {
  select_request select; ///< without words: the text of the new memory, which states what is new
  write_request write;
  bool dry_run = false;
};
struct supersede_matching_result {
  std::vector<selected_memory> superseded;
  std::string note;
  std::string embedder_problem;
  std::optional<memory_uri> uri; ///< of the new memory; none after a dry run
  seq_no seq;
};

/// The tombstones that forget what was selected; who acts is the selection's actor.
std::vector<mutation> forgetting_of(const forget_matching_request& r, const select_result& found);
/// The write that supersedes what was selected, behind what it names itself; each once, and never
/// the id that it is given.
write_request superseding_of(const supersede_matching_request& r, const select_result& found);
/// The request by which the selection of `r` is asked for.
select_request selection_of(const supersede_matching_request& r);

} // namespace mneme
