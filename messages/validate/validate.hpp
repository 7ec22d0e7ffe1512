#pragma once
/// The rules of the model that need no state: sizes, ranges, required and unknown fields, UTF-8.
/// Checked before anything is drawn or written. Errors name the path of the offending key.

#include "messages/validate/fault_list.hpp"
#include "mneme/requests.hpp"
#include "mneme/scope.hpp"

namespace mneme {

inline constexpr std::size_t max_tag_bytes = 64;
inline constexpr std::size_t max_tags = 16;
inline constexpr std::size_t max_frames = 16;
inline constexpr std::size_t max_ref_bytes = 256;
inline constexpr std::size_t max_actor_bytes = 256;
inline constexpr std::size_t max_weights_bytes = 4U << 10; ///< of search, as text
inline constexpr std::size_t max_data_bytes = 1U << 20;
inline constexpr std::size_t max_payload_bytes = 1U << 20;
inline constexpr std::size_t max_key_bytes = 512; ///< of a namespace, and of a key in it
/// Of a text that is searched for, or that something is to be near to; of a predicate's texts
/// together.
inline constexpr std::size_t max_query_bytes = 1U << 20;
inline constexpr std::size_t max_metadata_keys = 64;
inline constexpr std::size_t max_metadata_key_bytes = 128;
inline constexpr std::size_t max_metadata_bytes = 64U << 10;
inline constexpr std::size_t max_edge_data_bytes = 64U << 10;
/// Of each of: a reason, an edge's kind, a lifecycle's project, a version's provenance in all, a
/// pattern in a predicate.
inline constexpr std::size_t max_free_text_bytes = 64U << 10;
inline constexpr std::size_t max_scope_names =
    10'000; ///< of each kind, in include and exclude each
inline constexpr std::size_t max_vector_dim = 4096;
inline constexpr std::size_t max_batch_items = 10'000;
inline constexpr std::size_t max_superseded = 1000; ///< by one write

/// All that is wrong, place by place; `validate` tells it as one error.
fault_list faults_of(const write_request& r);
fault_list faults_of(const put_request& r);
fault_list faults_of(const update_request& r);

result<void> validate(const write_request& r);
result<void> validate(const update_request& r);
result<void> validate(const put_request& r);
result<void> validate(const delete_by_request& r);
result<void> validate(const sweep_request& r);
/// Neither name is empty, too long, blank, or has control characters.
result<void> validate_key(const memory_key& key);
result<void> validate(const update_head_request& r);
result<void> validate(const tombstone_request& r);
result<void> validate(const restore_request& r);
result<void> validate(const add_edge_request& r);
result<void> validate(const remove_edge_request& r);
/// Nothing is restored that could not have been written.
result<void> validate(const put_record_request& r);
result<void> validate(const put_edge_record_request& r);
/// Exactly one of anchor and zone. The tag itself is checked where it is normalised.
result<void> validate(const assign_tag_request& r);
/// Something is set, or reset. The weights themselves are checked against those of the world.
result<void> validate(const set_weights_request& r);

/// What of a restored head needs no version.
result<void> validate(const head& h);

/// Unknown, missing, blank, ill-typed or out-of-range data fields of `type`.
fault_list faults_of(memory_type type, const memory_data& data);
result<void> validate_data(memory_type type, const memory_data& data);
/// `data` with the defaults of the fields that may be left out, and integers given for numbers
/// made numbers. Precondition: validate_data accepts it.
memory_data with_defaults(memory_type type, memory_data data, timestamp created_at);
/// Empty, all zero, too long or not finite is bad_vector.
result<void> validate_vector(const std::vector<float>& v);
/// Who asks. A name that nobody may be given any more can still ask for what it once wrote.
result<void> validate_actor(std::string_view actor);
/// Who acts, and what for, where that is all a request says.
result<void> validate_acting(std::string_view actor);
/// The name that a new world gets; it may be empty.
result<void> validate_world_name(std::string_view name);
result<void> validate_snapshot(std::string_view reason, std::string_view actor);
/// Only that its texts can be encoded and its lists are not too long; what it grants is verified
/// elsewhere.
result<void> validate(const scope& s);
/// Each in its composed form (NFC); distinct, sorted bytewise.
std::vector<std::string> normalise_tags(std::vector<std::string> tags);
/// Moves of lifecycle.status: none to any; any to the same, to none, to archived; archived to any;
/// open to any; any to open; waiting and scheduled to resolved and expired. Else bad_transition.
result<void> validate_transition(const std::optional<lifecycle>& from, const lifecycle& to);

/// True for well-formed UTF-8.
bool is_utf8(std::string_view bytes) noexcept;
/// True if there is no byte that is not ASCII white space.
bool is_blank(std::string_view text) noexcept;

} // namespace mneme
