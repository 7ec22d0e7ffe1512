#pragma once
/// One request of a simulated client, and what it answered.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/caf.hpp"

namespace mneme::sim {

using request_message =
    std::variant<apply_message, batch_message, find_message, find_many_message, get_message,
                 resolve_message, edges_message, root_message, prove_message, snapshot_message,
                 checkpoint_message, retrieve_message, retrieve_many_message, fields_message,
                 events_message, chroma_message, chroma_many_message, decay_message, search_message,
                 search_many_message, context_message, attest_message, compact_message,
                 load_compact_message, tick_message, select_message, stale_message, list_message,
                 history_message>;
using reply_message =
    std::variant<mutation_result, batch_result, find_reply, find_many_reply, memory_reply,
                 edges_reply, root_set, proof_reply, snapshot_result, checkpoint_reply,
                 retrieve_reply, retrieve_many_reply, fields_reply, events_reply, chroma_reply,
                 chroma_many_reply, decay_result, search_reply, search_many_reply, context_reply,
                 attest_result, compact_reply, tick_reply, select_reply, stale_reply, list_reply,
                 history_reply, erase_result>;

/// Up to here a query may miss its deadline: the machine's stopwatch moves with each look at it.
inline constexpr std::int64_t short_deadline_ms = 3;
inline constexpr std::int64_t stopwatch_step_ns = 300'000;

enum class operation_state : std::uint8_t {
  waiting,  ///< sent, not answered
  answered, ///< done, or refused for a reason that the request itself has
  unknown,  ///< the engine could not tell, or was gone before it answered
};

struct operation {
  std::uint64_t number = 0; ///< 1, 2, … in the order of issue
  request_message request;
  /// The generator made the request so that it must be refused with this code, whatever the state.
  std::optional<errc> expected_error;

  // Since when it may have been executed.
  seq_no published_at_send;
  std::size_t clock_mark = 0;
  seq_no begins; ///< what was before that had been trimmed then

  operation_state state = operation_state::waiting;
  bool entered = false;         ///< its entries are in the journal
  std::uint64_t violations = 0; ///< of scopes, that it answered
};

/// The mutations of a write, one or several; empty for everything else.
std::vector<mutation> mutations_of(const request_message& request);

/// True if an acknowledged change of this request must survive a crash.
bool is_durable(const request_message& request);

/// The mark that a request leaves in its journal entries, mostly as created_by: number and item.
std::string token_of(std::uint64_t number, std::size_t item);
/// The operation's number, or nullopt if the text does not end with a token.
std::optional<std::uint64_t> number_of_token(std::string_view text);
/// Whose entry it is: the number of the operation that asked for it, as far as the entry says so.
std::optional<std::uint64_t> number_in(const entry& e);
/// Puts the tokens into all mutations of the request.
void stamp(request_message& request, std::uint64_t number);

/// Calls `visit` for every place where the request, or an item of it, may have a scope that the
/// model understands.
void offer_scopes(request_message& request,
                  const std::function<void(std::shared_ptr<const scope>&)>& visit);
/// The scopes that a request brings; stamp() grants each to a name of its own.
std::vector<const scope*> scopes_in(const request_message& request);
/// Null if it brings none.
const scope* scope_granted_to(const request_message& request, std::string_view name);
/// Whether the scope granted to `name` is that of a write of a tick, which `request` is then.
bool is_of_tick_write(const request_message& request, std::string_view name);

/// How many touches the request may leave in the journal.
std::size_t touches_of(const request_message& request);

/// One line that a person can read.
std::string describe(const request_message& request);

} // namespace mneme::sim
