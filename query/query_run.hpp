#pragma once
/// A query in flight, as a state machine with explicit effects. Every door compiles its request to
/// one. Two drivers run it: the coordinator sends the object to a reader for each effect, the
/// inline driver calls run() in the caller's thread. At any time exactly one party holds it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/chroma.hpp"
#include "mneme/scope.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// What kind of stage an effect is: whose data it reads most. Drivers ask only whether there is a
/// next one; that a find has no stage of a kind twice is what tests hold it to.
enum class effect_kind : std::uint8_t { graph, attributes, vectors, store };

/// What queries take from outside the world, the same for all of an engine.
struct query_seams {
  std::shared_ptr<clock> time;               ///< what `now` is
  std::function<std::int64_t()> stopwatch{}; ///< as in query_context
  bool exact_near = false;
  chroma_defaults chroma{};
  bool read_only = false;
  /// Set and true: likewise, for as long as it is.
  std::shared_ptr<const std::atomic<bool>> follows{};
};

/// What a door needs besides the request.
struct query_context {
  seq_no at; ///< the seq to read at: that of the request, or the published one
  /// For salience, age and expiry: by the clock, of a request with a seq of its own when that entry
  /// was made.
  timestamp now;
  /// Monotonic nanoseconds for explain and deadlines; empty in deterministic runs (times are 0).
  std::function<std::int64_t()> stopwatch{};
  bool exact_near = false; ///< deterministic mode: never answer from HNSW
  bool ranks_all = false;  ///< a search never scores just what it lists: the way to check that by
  std::shared_ptr<const mneme::scope> scope{}; ///< verified; null = none
  chroma_defaults chroma{};
  bool read_only = false; ///< nothing can be reinforced
  /// Why the seq that was asked for cannot be read. What a run's check() refuses is said first.
  std::optional<error> unreadable{};
  /// The vector of the query's text, or why there is none; null = not asked for yet.
  std::shared_ptr<const result<std::vector<float>>> embedded{};
  timestamp clock_now{}; ///< what scopes expire by, whatever seq is read

  [[nodiscard]] std::int64_t stopwatch_ns() const { return stopwatch ? stopwatch() : 0; }
};

/// What a query needs besides its request, to read at the seq that this asks for, else at the one
/// that is pinned for it; nullopt = the published one.
result<query_context> context_of(const query_seams& seams, const read_views& views,
                                 std::optional<seq_no> asked,
                                 std::optional<seq_no> pinned = std::nullopt);
/// The same for one of several requests that share a context.
query_context read_at(query_context context, const read_views& views, std::optional<seq_no> asked,
                      std::optional<seq_no> pinned);

class query_run {
public:
  virtual ~query_run() = default;
  /// The kind of the next effect; nullopt when the answer is ready.
  [[nodiscard]] virtual std::optional<effect_kind> next() const = 0;
  /// Runs the next effect, which next() says there is.
  virtual result<void> run(const read_views& views) = 0;
  /// What this query reinforces, once next() is empty; nullopt for a pure read.
  [[nodiscard]] virtual std::optional<entry_payload> touch() const = 0;
  /// About what the answer holds, as far as it was made.
  [[nodiscard]] virtual std::uint64_t answer_bytes() const = 0;
};

/// Runs every remaining effect in the caller's thread.
result<void> run_inline(query_run& query, const read_views& views);

} // namespace mneme
