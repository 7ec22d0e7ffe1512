#pragma once
/// One message for all agents of a simulator's tick. Every read sees the state at its start; what
/// the reads touch and all writes commit together at its end, as one frame.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mneme/agents.hpp"
#include "mneme/engine.hpp"
#include "mneme/topics.hpp"

namespace mneme {

/// Of the reads of a tick, and of its writes: a frame holds no more. limit_exceeded beyond.
inline constexpr std::size_t max_tick_items = 25'000;

/// What is answered beside the memory.
struct memory_parts {
  bool raw = false;                                   ///< the canonical bytes of its head
  bool history = false;                               ///< of a Topic: all revisions of its fields
  bool events = false;                                ///< of a Topic: its audit log
  std::int64_t history_limit = default_history_limit; ///< of each field, at least 1
};

struct get_read {
  memory_id id;
  read_options options;
  memory_parts parts{};
  std::optional<std::int64_t> deadline_ms{};
  std::optional<memory_key> key{}; ///< instead of an id; a tombstoned memory is `tombstoned`
};
struct resolve_read {
  memory_uri uri;
  read_options options;
  memory_parts parts{};
  std::optional<std::int64_t> deadline_ms{};
};
struct edges_read {
  memory_id id;
  edge_direction direction = edge_direction::both;
  edge_filter filter;
  read_options options;
  std::optional<std::int64_t> deadline_ms{};
};

/// The live memories that are stale because of one (memory_standing), in id order.
struct stale_read {
  memory_id id;
  /// A page: so many of those that the asker may see, behind the first `offset`.
  std::optional<std::int64_t> limit{}; ///< at least 1
  std::int64_t offset = 0;             ///< at least 0
  read_options options{};
  std::optional<std::int64_t> deadline_ms{};
};

/// A memory with what was asked for beside it.
struct memory_reading {
  memory found;
  std::optional<std::vector<topic_field_view>> fields{}; ///< of every Topic, by name
  std::optional<std::vector<topic_event>> events{};      ///< in journal order
  std::optional<std::string> raw{};
  std::vector<topic_field> erased_fields{}; ///< by name; those that were not set anew
};

using tick_read = std::variant<find_request, context_request, retrieve_request, chroma_request,
                               search_request, get_read, resolve_read, edges_read>;
/// What the read of the same place answers: memory_reading for get and resolve.
using tick_read_answer = std::variant<find_result, context_result, retrieve_result, chroma_result,
                                      search_result, memory_reading, std::vector<edge_record>>;

/// A mutation, possibly under a scope.
struct scoped_mutation {
  mutation request;
  std::shared_ptr<const mneme::scope> scope{};
};

using tick_write = std::variant<scoped_mutation, attest_request, compact_request>;
using tick_write_answer = std::variant<mutation_result, attest_result, compact_result>;

/// Commit order: all touches by (actor bytes, position in reads), then all writes by (actor bytes,
/// position in writes). Ids are drawn in that order. Writes are checked against the state at the
/// commit, earlier writes of the tick included; other writers may come between the start of the
/// tick and its commit. What fails, fails alone.
struct tick_request {
  std::vector<tick_read> reads;
  std::vector<tick_write> writes;
  /// Of the whole: no read has longer, whatever its own deadline, and a tick that has something to
  /// commit and has not come to it by then is refused with deadline_exceeded, and leaves nothing.
  std::optional<std::int64_t> deadline_ms{};
  /// Bounds every mutation of `writes` as in engine::apply(). What one names must be seen before
  /// the first of them is made, or the whole tick is refused and leaves nothing; `at` then starts
  /// with writes[i].
  std::optional<std::string> in_sight_of{};
};

struct tick_result {
  std::vector<result<tick_read_answer>> reads; ///< in the order of the request
  std::vector<result<tick_write_answer>> writes;
  seq_no seq; ///< of the tick's last entry, or the current one where it wrote nothing
};

} // namespace mneme
