#pragma once
/// mneme inside a host's own CAF actor system: configure() the system, spawn() an engine, and send
/// it the messages below. Needs libcaf 0.17; engine.hpp alone does not.
///
/// Errors arrive as caf::error of the category "mneme": its code is the errc, its context holds
/// the text, the `at` path and the faults (to_error() reads them back).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/error.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include "mneme/tick.hpp"

namespace mneme {

/// One mutation, as engine::apply() takes it. A deadline counts from when the engine takes the
/// message.
struct apply_message {
  mutation request;
  mneme::durability durability = mneme::durability::durable;
  std::shared_ptr<const mneme::scope> scope{};
  std::optional<std::int64_t> deadline_ms{};
  std::optional<std::string> in_sight_of{};
};
/// All or none.
struct batch_message {
  std::vector<mutation> items;
  mneme::durability durability = mneme::durability::durable;
  std::shared_ptr<const mneme::scope> scope{};
  std::optional<std::int64_t> deadline_ms{};
  std::optional<std::string> in_sight_of{};
};
struct promote_message {
  promote_request request;
  std::optional<std::int64_t> deadline_ms{};
  std::optional<std::string> in_sight_of{};
};
struct find_message {
  find_request request;
};
/// One message for all agents of a tick; every request reads the same seq.
struct find_many_message {
  std::vector<find_request> requests;
};
struct search_message {
  search_request request;
};
/// One seq for all, as find_many_message.
struct search_many_message {
  std::vector<search_request> requests;
};
/// What words mean. forgetting_of and superseding_of make of the answer what a batch_message or an
/// apply_message carries out.
struct select_message {
  select_request request;
};
struct chroma_message {
  chroma_request request;
};
/// Every request reads the same seq.
struct chroma_many_message {
  std::vector<chroma_request> requests;
};
struct decay_message {
  std::string actor;
  std::optional<std::int64_t> deadline_ms{};
};
struct erase_message {
  erase_request request;
  std::optional<std::int64_t> deadline_ms{};
};
struct retrieve_message {
  retrieve_request request;
};
/// One seq for all, as find_many_message.
struct retrieve_many_message {
  std::vector<retrieve_request> requests;
};
/// A deadline of a single read, here and below, counts from when the engine takes the message.
struct fields_message {
  memory_id topic;
  field_options fields;
  read_options options;
  std::optional<std::int64_t> deadline_ms{};
};
struct events_message {
  memory_id topic;
  read_options options;
  std::optional<std::int64_t> deadline_ms{};
};
struct get_message {
  memory_id id;
  read_options options;
  std::optional<std::int64_t> deadline_ms{};
  std::optional<memory_key> key{}; ///< as in get_read
};
struct resolve_message {
  memory_uri uri;
  read_options options;
  std::optional<std::int64_t> deadline_ms{};
};
struct edges_message {
  memory_id id;
  edge_direction direction = edge_direction::both;
  edge_filter filter;
  read_options options;
  std::optional<std::int64_t> deadline_ms{};
};
/// Its deadline_ms counts like theirs.
struct stale_message {
  stale_read request;
};
struct list_message {
  list_request request;
};
struct history_message {
  history_request request;
};
/// wait_ms is 0 (unsupported): an actor asks again when it likes, say behind a write of its own.
struct changes_message {
  changes_request request;
};
struct context_message {
  context_request request;
};
struct attest_message {
  attest_request request;
  std::optional<std::int64_t> deadline_ms{};
};
struct compact_message {
  compact_request request;
  std::optional<std::int64_t> deadline_ms{};
};
struct load_compact_message {
  load_compact_request request;
  std::optional<std::int64_t> deadline_ms{};
};
/// Shared, so that the requests of thousands of agents are not copied on the way.
struct tick_message {
  std::shared_ptr<const tick_request> request; ///< not null
};
/// An earlier seq's may have to be folded from the whole journal.
struct root_message {
  std::optional<seq_no> at_seq;
  std::optional<std::int64_t> deadline_ms{};
};
struct prove_message {
  prove_request request;
};
struct snapshot_message {
  std::string reason;
  std::string actor;
  std::optional<std::int64_t> deadline_ms{};
};
struct checkpoint_message {
  std::optional<std::int64_t> deadline_ms{};
};
/// Seals, checkpoints and stops; the reply says how that went.
struct close_message {};

/// Large answers are shared, not copied.
using find_reply = std::shared_ptr<const find_result>;
struct find_many_reply {
  std::vector<result<find_reply>> results;
};
using context_reply = std::shared_ptr<const context_result>;
using compact_reply = std::shared_ptr<const compact_result>;
using tick_reply = std::shared_ptr<const tick_result>;
using search_reply = std::shared_ptr<const search_result>;
struct search_many_reply {
  std::vector<result<search_reply>> results;
};
using select_reply = std::shared_ptr<const select_result>;
using chroma_reply = std::shared_ptr<const chroma_result>;
struct chroma_many_reply {
  std::vector<result<chroma_reply>> results;
};
using retrieve_reply = std::shared_ptr<const retrieve_result>;
struct retrieve_many_reply {
  std::vector<result<retrieve_reply>> results;
};
using fields_reply = std::shared_ptr<const std::vector<topic_field_view>>;
using events_reply = std::shared_ptr<const std::vector<topic_event>>;
using memory_reply = std::shared_ptr<const memory>;
using edges_reply = std::shared_ptr<const std::vector<edge_record>>;
using stale_reply = std::shared_ptr<const std::vector<memory>>;
using list_reply = std::shared_ptr<const list_result>;
using history_reply = std::shared_ptr<const history_result>;
using changes_reply = std::shared_ptr<const changes_result>;
using proof_reply = std::shared_ptr<const proof_bundle>;
struct checkpoint_reply {
  seq_no seq;
};
struct closed_reply {};

} // namespace mneme

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::apply_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::batch_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::promote_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::find_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::find_many_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::search_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::search_many_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::select_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::chroma_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::chroma_many_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::decay_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::erase_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::retrieve_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::retrieve_many_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::fields_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::events_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::get_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::resolve_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::edges_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::stale_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::changes_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::list_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::history_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::context_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::attest_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::compact_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::load_compact_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::tick_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::root_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::prove_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::snapshot_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::checkpoint_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::close_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::mutation_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::batch_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::find_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::find_many_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::context_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::attest_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::compact_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::tick_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::search_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::search_many_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::select_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::chroma_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::chroma_many_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::decay_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::erase_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::retrieve_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::retrieve_many_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::fields_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::events_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::memory_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::edges_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::stale_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::changes_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::list_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::history_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::root_set)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::proof_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::snapshot_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::checkpoint_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::closed_reply)

namespace mneme {

/// The engine as an actor. Queries may overlap; a reply to a write means it is durable and visible.
/// What one actor writes is committed in the order in which it sent it. At most
/// engine_options::max_in_flight writes, and as many messages that read, are under way: one more is
/// answered busy at once.
using engine_actor =
    caf::typed_actor<caf::replies_to<apply_message>::with<mutation_result>,
                     caf::replies_to<batch_message>::with<batch_result>,
                     caf::replies_to<promote_message>::with<mutation_result>,
                     caf::replies_to<find_message>::with<find_reply>,
                     caf::replies_to<find_many_message>::with<find_many_reply>,
                     caf::replies_to<search_message>::with<search_reply>,
                     caf::replies_to<search_many_message>::with<search_many_reply>,
                     caf::replies_to<select_message>::with<select_reply>,
                     caf::replies_to<retrieve_message>::with<retrieve_reply>,
                     caf::replies_to<retrieve_many_message>::with<retrieve_many_reply>,
                     caf::replies_to<fields_message>::with<fields_reply>,
                     caf::replies_to<events_message>::with<events_reply>,
                     caf::replies_to<chroma_message>::with<chroma_reply>,
                     caf::replies_to<chroma_many_message>::with<chroma_many_reply>,
                     caf::replies_to<decay_message>::with<decay_result>,
                     caf::replies_to<erase_message>::with<erase_result>,
                     caf::replies_to<get_message>::with<memory_reply>,
                     caf::replies_to<resolve_message>::with<memory_reply>,
                     caf::replies_to<edges_message>::with<edges_reply>,
                     caf::replies_to<stale_message>::with<stale_reply>,
                     caf::replies_to<list_message>::with<list_reply>,
                     caf::replies_to<history_message>::with<history_reply>,
                     caf::replies_to<changes_message>::with<changes_reply>,
                     caf::replies_to<context_message>::with<context_reply>,
                     caf::replies_to<attest_message>::with<attest_result>,
                     caf::replies_to<compact_message>::with<compact_reply>,
                     caf::replies_to<load_compact_message>::with<compact_reply>,
                     caf::replies_to<tick_message>::with<tick_reply>,
                     caf::replies_to<root_message>::with<root_set>,
                     caf::replies_to<prove_message>::with<proof_reply>,
                     caf::replies_to<snapshot_message>::with<snapshot_result>,
                     caf::replies_to<checkpoint_message>::with<checkpoint_reply>,
                     caf::replies_to<close_message>::with<closed_reply>>;

/// Sets what mneme needs of a host's actor system (the `sharing` scheduler, the error category).
/// Call before the actor_system is made.
void configure(caf::actor_system_config& config);
bool is_configured(const caf::actor_system_config& config);

/// Opens the world and spawns its actors in `system`, which was configured (else `unsupported`).
/// Send close_message before the system goes.
result<engine_actor> spawn(caf::actor_system& system, engine_options options);

/// caf::error ↔ error. A foreign category becomes errc::shutdown with its text.
caf::error to_caf_error(const error& e);
error to_error(const caf::error& e);

} // namespace mneme
