#pragma once
/// Errors as values. Every fallible call of the library returns result<T>; no exception crosses
/// the library's boundary. The codes are one closed, append-only enum: hosts may switch over it.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mneme {

/// One code per cause. The comment says when it is raised.
enum class errc : std::uint8_t {
  // The request line itself.
  bad_json = 1,  ///< not JSON, duplicate key, or nested deeper than 64
  bad_utf8,      ///< bytes that are not UTF-8
  line_too_long, ///< a protocol line of over 16 MiB
  unknown_op,    ///< the "op" of a request is not known
  // The shape of a request.
  unknown_key,  ///< a key that the request does not have
  missing_key,  ///< a required key is absent
  wrong_type,   ///< a value of the wrong JSON type
  bad_value,    ///< not a name of the enum, or two keys that exclude each other
  out_of_range, ///< a number outside its range
  // Literals.
  bad_uri,      ///< not mneme://<Type>/<ulid>#<version>
  bad_id,       ///< not a ULID
  bad_time,     ///< not RFC 3339, negative, or after the year 2261
  bad_vector,   ///< empty, zero, over 4096 numbers, or not finite
  dim_mismatch, ///< a vector of another dimension than the world's space
  bad_interval, ///< valid_until <= valid_from
  // Data and sizes.
  missing_field,  ///< a required data field is absent or blank
  limit_exceeded, ///< a size limit of the model
  form_too_long,  ///< a caller's own short or medium form is over its token limit
  // Writes and single reads.
  not_found,
  already_exists,     ///< a caller-given id is taken (also by a tombstoned or erased memory)
  tombstoned,         ///< the memory was tombstoned
  erased,             ///< the memory's content was erased
  no_op,              ///< an empty patch
  type_data_mismatch, ///< update with another type than the memory's
  bad_transition,     ///< a lifecycle move that is not allowed
  version_conflict,   ///< expect_version differs from the current version
  // Edges.
  invalid_edge_type,
  self_edge,
  zero_id,
  // Find.
  unbounded,         ///< neither limit nor budget_tokens
  unsupported,       ///< a combination that has no meaning, said in the message
  too_broad,         ///< nothing that narrows: no from, near, tag, type, namespace or limit
  max_hops_exceeded, ///< max_hops > 6
  bad_hops,          ///< negative, or min_hops > max_hops
  // Predicates.
  bad_field,            ///< malformed reference or unknown namespace
  type_mismatch,        ///< literal of another kind than the field
  field_not_comparable, ///< ordered comparison on bool, id or list
  field_unknown,        ///< ordered comparison or matches on an unknown field
  bad_regex,
  // Vectors.
  no_embedder, ///< text was given, but the world has no embedder
  no_vector,   ///< near_uri to a memory without a vector
  // Retrieve and search.
  bad_stage,
  empty_query,
  // Chroma.
  bad_hashtags,
  tag_assigned,
  anchor_taken,
  zone_full,
  query_profile_error,
  // Agents.
  empty_citations,
  too_many_citations,
  rate_limited,
  budget_unreachable,
  budget_exceeded,
  // Scope.
  scope_violation,
  no_key_resolver,
  actor_mismatch,
  bad_schema,
  empty_include,
  scope_expired,
  unknown_agent,
  bad_signature,
  snapshot_unknown,
  proof_mismatch,
  // Proofs and time travel.
  root_unavailable, ///< the state of that root is no longer retained
  seq_unavailable,  ///< at_seq after the end or before the retained window
  deadline_exceeded,
  // The store.
  busy,               ///< in-flight bound reached, or another process has the directory; retry
  corrupt,            ///< damage; the message names file and offset
  format_unsupported, ///< written by a newer format, or a file of another world
  read_only,
  io,              ///< the operating system refused; the message says what and why
  outcome_unknown, ///< the write may be in the journal or not; reopen to see
  shutdown,        ///< the engine has stopped
  disk_full,       ///< there is no room for it: nothing was written, and later writes try again
  behind,          ///< this copy of a log does not have that seq yet; retry, or ask the leader
  trimmed,         ///< what the version said was dropped; the memory and later versions are there
};

/// The code's name as it stands in JSON, such as "not_found".
std::string_view to_string(errc code) noexcept;

/// True if the same request may succeed later without a change by the caller.
bool may_retry(errc code) noexcept;

/// What went wrong, and where. `at` is the path of the offending key or position (may be empty).
/// Where several places of a request are wrong, `code` and `at` are those of the first, `message`
/// tells of all, and `faults` are all of them, one by one; else it is empty.
struct error {
  errc code{};
  std::string message;
  std::string at;
  std::vector<error> faults{};
};

template <class T>
using result = std::expected<T, error>;

/// Builds the failed side of a result.
inline std::unexpected<error> fail(errc code, std::string message, std::string at = {}) {
  return std::unexpected<error>(error{code, std::move(message), std::move(at)});
}

/// Passes the error of `failed` on as another result type. Precondition: !failed.
template <class T>
std::unexpected<error> propagate(result<T>& failed) {
  return std::unexpected<error>(std::move(failed.error()));
}

} // namespace mneme
