#pragma once
/// What a remote embedder has yet to embed, in which batches, and when to try again. Pure: who owns
/// it moves the texts and reads the clock. One batch is under way at a time.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "mneme/ids.hpp"
#include "mneme/seams.hpp"

namespace mneme {

struct embed_policy {
  std::size_t capacity = 65'536;     ///< ids that wait; more are found again by a scan
  std::size_t batch = 64;            ///< texts of one call
  std::size_t max_bytes = 16U << 10; ///< of one text
  std::size_t min_bytes = 512;       ///< a refused text is halved until it would be shorter
  std::int64_t first_delay_ms = 250; ///< doubled with each failure
  std::int64_t max_delay_ms = 60'000;
};

struct embed_job {
  memory_id id;
  std::size_t max_bytes = 0; ///< of its text
  bool alone = false;        ///< it was in a batch that was refused

  friend bool operator==(const embed_job&, const embed_job&) = default;
};

class embed_queue {
public:
  explicit embed_queue(const embed_policy& policy = {}) : policy_(policy) {}

  /// Has new content. A queue that is full remembers only that it was.
  void add(const memory_id& id);
  /// Found by a scan to have no vector: as add(), but what was refused stays refused.
  void add_found(const memory_id& id);
  /// True once after an id did not fit: scan the world when the queue is empty.
  bool take_overflow();

  /// The next batch; empty if nothing waits. Precondition: none is under way.
  std::vector<embed_job> take();
  /// Ends the batch: its vectors are on their way into the journal, or no longer wanted.
  void succeeded();
  /// Ends the batch, which waits again in front: the embedder cannot be asked now.
  void failed();
  /// Ends the batch: the embedder takes other texts, but not these. They are tried one by one, then
  /// shorter, then no more.
  void refused();

  /// How long to wait before the next take(): 0, or from half to all of the backoff.
  [[nodiscard]] std::int64_t delay_ms(random_source& random) const;
  [[nodiscard]] bool is_empty() const { return waiting_.empty() && under_way_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size() + under_way_.size(); }
  [[nodiscard]] std::size_t refused_count() const { return refused_.size(); }

private:
  void put_back(const embed_job& job);

  embed_policy policy_;
  std::deque<embed_job> waiting_;
  std::set<memory_id> known_; ///< the ids of waiting_
  std::vector<embed_job> under_way_;
  std::set<memory_id> refused_;
  bool overflow_ = false;
  std::uint32_t failures_ = 0; ///< in a row
  std::uint32_t refusals_ = 0; ///< in a row
};

} // namespace mneme
