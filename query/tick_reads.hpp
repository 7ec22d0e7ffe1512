#pragma once
/// The reads of a tick, cut into shares that readers run side by side. A read is pinned to the seq
/// at the start of the tick, so that neither the number of readers nor their speed shows.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/tick.hpp"
#include "query/query_job.hpp"

namespace mneme {

struct tick_read_outcome {
  result<tick_read_answer> answer;
  std::string actor;                  ///< who asked; "" = the host
  std::optional<entry_payload> touch; ///< what it reinforces, or that it left its scope
  std::uint64_t bytes = 0;            ///< about what the answer holds
};

/// What a driver had embedded of a read that asks by a text, or why it did not.
struct text_of_read {
  query_vector vector{}; ///< null: the embedder is asked when the read is run, if at all
  std::optional<error> refused{};
};
/// By read; empty where nothing was embedded before.
using texts_of_reads = std::vector<text_of_read>;

/// What the read would be refused with, if its text had this vector.
std::optional<error> refusal_of(const tick_read& read, const read_views& views,
                                const query_context& context, const query_vector& text_vector);

/// Runs one read to its end, in the calling thread.
tick_read_outcome run_tick_read(const tick_read& read, const read_views& views,
                                const query_context& context);
tick_read_answer with_touch_seq(tick_read_answer answer, seq_no seq);

/// What all answers of a tick may take together: beyond, the whole tick is refused, whichever
/// reader comes to it.
struct tick_room {
  std::uint64_t most = 0;
  std::atomic<std::uint64_t> used{0};

  void take(std::uint64_t bytes) { used.fetch_add(bytes, std::memory_order_relaxed); }
  [[nodiscard]] bool is_exceeded() const { return used.load(std::memory_order_relaxed) > most; }
};

/// What a reader runs at once: every n-th read of a tick, from `first` on.
struct tick_share {
  std::shared_ptr<const tick_request> request;
  std::shared_ptr<tick_room> room;
  query_context context;
  texts_of_reads texts{};
  /// When the tick was taken, on the stopwatch: the deadlines of its reads count from there.
  /// Without one, from the start of the share.
  std::optional<std::int64_t> taken_ns{};
  std::size_t first = 0;
  std::size_t step = 1;
  std::vector<tick_read_outcome> outcomes; ///< by the reader; fewer where the room is exceeded

  void run(const read_views& views);
};

} // namespace mneme
