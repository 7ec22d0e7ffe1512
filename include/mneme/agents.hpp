#pragma once
/// What agents need around the queries: attestation with learned weights, compaction, the
/// cold-start context, and ticks for many agents at once.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mneme/past_marks.hpp"
#include "mneme/query.hpp"
#include "mneme/requests.hpp"

namespace mneme {

// -- attest ---------------------------------------------------------------------------------------

enum class attest_outcome : std::uint8_t { success = 1, failure = 2 };
std::string_view to_string(attest_outcome v) noexcept;

/// What came of an intent, and which memories it rested on. The cited memories are reinforced and
/// the actor's own salience weights learn from them.
struct attest_request {
  std::string intent_id; ///< not blank, at most 256 bytes
  attest_outcome outcome = attest_outcome::success;
  /// Free text. `factual_error` and `wrong_assumption` turn a failure against what was cited.
  std::string reason;
  std::vector<std::string> cited;              ///< uris, 1..256; what cannot be read is skipped
  std::string actor;                           ///< "" = the host
  std::shared_ptr<const mneme::scope> scope{}; ///< a writable one
};

/// Weights of the five parts of salience in units of 1e-9. An actor that has learned nothing has
/// the defaults.
struct learned_weights {
  std::int64_t recency = 250'000'000;
  std::int64_t access = 150'000'000;
  std::int64_t citations = 300'000'000;
  std::int64_t importance = 200'000'000;
  std::int64_t similarity = 100'000'000;

  friend bool operator==(const learned_weights&, const learned_weights&) = default;
};

struct attest_result {
  std::vector<std::string> skipped; ///< of `cited`, as given: malformed, missing, tombstoned
  bool learned = false;             ///< false: nothing was left to learn from
  learned_weights weights;          ///< the actor's, from now on
  seq_no seq;                       ///< of the learn_weights entry, which follows the attest entry
};

// -- compact --------------------------------------------------------------------------------------

/// Shrinks a context: what bears load and what is pinned stays, the rest becomes its short form.
struct compact_request {
  std::vector<std::string> in_context;   ///< uris
  std::vector<std::string> load_bearing; ///< uris; kept whether or not they are in_context
  std::int64_t budget_tokens = 4000;
  std::string intent_id;                       ///< not blank, at most 256 bytes
  std::string step_id;                         ///< not blank, at most 256 bytes
  std::string actor;                           ///< "" = the host
  std::shared_ptr<const mneme::scope> scope{}; ///< a writable one
};

struct kept_memory {
  memory_uri uri;
  std::string text; ///< the medium form
  std::int64_t tokens = 0;
  double salience = 0; ///< at least 0.7 for what is pinned
};
struct compacted_memory {
  memory_uri uri;
  std::string short_form;
  std::int64_t tokens = 0;
  double salience = 0;

  friend bool operator==(const compacted_memory&, const compacted_memory&) = default;
};
struct compact_result {
  std::vector<kept_memory> kept; ///< load_bearing, then pinned, in the order given
  std::vector<compacted_memory> compacted;
  std::int64_t tokens = 0;
  std::vector<std::string> skipped;
  seq_no seq; ///< of the compact entry
};

/// Reads back the newest compact record of (intent, step).
struct load_compact_request {
  std::string intent_id;
  std::string step_id;
  std::optional<std::string> actor; ///< sees its own records only; absent or "" = the host
  std::optional<seq_no> at_seq;
};

// -- context --------------------------------------------------------------------------------------

/// In the order in which a memory is looked for in them: it stands in the first that has it.
enum class context_tier : std::uint8_t { pinned, outcomes, frame_relevant, found, notable };

/// What an agent should know first. Pinned: the actor's Identities, hard Constraints and active
/// Goals. Outcomes: the newest Events framed on the verb and one of the objects. FrameRelevant:
/// every memory so framed. Found: what a search for the query finds, best first, each with what was
/// said right before and after it (edges of type related_to and kind "next" or "answer"). Notable:
/// where there is neither a query nor a verb with objects, the most salient of all other memories
/// but Chunks.
///
/// The first three share the budget by salience. Found and Notable get what they leave: one after
/// the other in their order, whatever still fits.
struct context_request {
  std::optional<verb> action{};
  std::vector<std::pair<object_kind, std::string>> objects{};
  std::optional<std::string> query{};         ///< in words; not blank
  std::optional<std::vector<float>> vector{}; ///< of the query; default: embedded
  /// Default 3000, or the scope's budget if that is less; more than 4000 counts as 4000.
  std::optional<std::int64_t> budget_tokens{};
  std::optional<std::vector<context_tier>> tiers{};
  std::int64_t outcome_limit = 3;
  form_kind form = form_kind::medium;
  bool include_ended = false;        ///< also what no longer holds: ended, or superseded
  std::optional<double> min_trust{}; ///< in [0,1]: leaves out what is trusted less
  std::optional<timestamp> now{}; ///< for salience, age and what holds; default: the engine's clock
  std::optional<std::string> actor{};
  std::shared_ptr<const mneme::scope> scope{}; ///< shows what it opens, and nothing else
  std::optional<seq_no> at_seq{};
  std::optional<std::int64_t> deadline_ms{};
};

struct context_item {
  memory_uri uri;
  /// The form; of what is found "[2023-05-08 13:56, who] form". What is trusted less than 0.5 is
  /// quoted: one line, "> [untrusted, web] …".
  std::string text;
  std::int64_t tokens = 0;
  double salience = 0;
  std::string by;   ///< who said it: the speaker in its metadata, else its actor; "" = the host
  timestamp at;     ///< when
  double score = 0; ///< of the search; 0 = it was not found itself, but stands beside what was
  memory_standing standing{};
  bool trust_told = false; ///< its content says how far it is trusted, or whose word it is
  std::optional<mneme::source_class> source_class{};
  past_marks past{};                   ///< of what no longer holds, where that is asked for
  std::optional<memory_id> older_of{}; ///< of Found: as search_hit::older_of
};

struct context_result {
  std::vector<context_item> pinned;         ///< salience desc, id asc
  std::vector<context_item> outcomes;       ///< newest first
  std::vector<context_item> frame_relevant; ///< salience desc, id asc
  std::vector<context_item> found;          ///< best first, each between its neighbours
  std::vector<context_item> notable;        ///< salience desc, id asc
  std::int64_t tokens = 0;
  std::int64_t budget_tokens = 0; ///< as applied
  /// How many memories of the tiers did not fit. Of Found those that a search is asked for, of
  /// Notable all that the asker sees.
  std::int64_t more = 0;
  std::vector<memory_uri> reachable_uris; ///< of them the best first, at most 64
  bool no_good_match = false;             ///< Found was asked for, and nothing answers the query
  /// As search_result::embedder_problem.
  std::string embedder_problem;
  seq_no at_seq;
  std::optional<seq_no> seq; ///< never set: a context changes nothing
};

} // namespace mneme
