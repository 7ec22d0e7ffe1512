#pragma once
/// The rows that carry one term: a sealed part (an immutable Roaring bitmap, replaced whole) and an
/// append-only tail that is sealed when it has grown. The writer appends ascending rows; a view is
/// a snapshot that its holder may keep while the writer goes on.
///
///     rows added   in the sealed part   in the tail, of its capacity
///              4                    0         4 of 4
///              5                    0         5 of 8         a copy, twice as wide
///          1,024                    0     1,024 of 1,024
///          1,025                1,024         1 of 4         sealed; a view keeps its tail
///          5,121                5,120         1 of 4
///          6,145                5,120     1,025 of 2,048     a quarter of the sealed ones is more
///          7,169                7,168         1 of 4
///
/// When the tail is sealed, a row that nobody needs any more is left out, and the rows that have
/// ended by then go into the past of the sealed part: a view for a read behind their ends has none
/// of them. What such a read costs does not grow with what was overwritten.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "index/columns/paged_column.hpp"
#include "index/image.hpp"
#include "index/numbers.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// A sorted set of rows, read-only and safe to hold while the writer goes on. Contains dead rows
/// too: test alive() at the seq read.
class posting_view {
public:
  virtual ~posting_view() = default;
  /// Upper bound of the number of rows.
  [[nodiscard]] virtual std::uint64_t cardinality() const = 0;
  [[nodiscard]] virtual bool contains(row_no row) const = 0;
  /// Rows ascending; `visit` returns false to stop.
  virtual void for_each(const std::function<bool(row_no)>& visit) const = 0;
  /// The rows as an array, ascending (faster than for_each for small sets).
  virtual void append_to(std::vector<std::uint32_t>& rows) const = 0;
};

/// Until when a row is needed, for sealing.
struct row_lives {
  /// Is this row needed by no reader any more?
  std::function<bool(std::uint32_t row)> is_gone;
  /// The seq from which on reads do not see it; `forever` if none is known.
  std::function<std::uint64_t(std::uint32_t row)> end;
};

/// Views whose union is meant; a row may be in more than one.
using posting_list = std::vector<std::shared_ptr<const posting_view>>;
/// Upper bound of the number of rows in all of them.
std::uint64_t cardinality(const posting_list& list);

class posting {
public:
  posting();
  ~posting();

  /// Writer: `row` is above every row added before.
  void add(std::uint32_t row, const row_lives& lives);
  /// Of the rows added so far all that are alive at `at`, and perhaps others; at seq 0 all that are
  /// needed at any seq.
  [[nodiscard]] std::shared_ptr<const posting_view> view(seq_no at = {}) const;
  /// As it is. Only while nothing is added.
  void save(image_writer& out) const;
  /// Into a posting that has no rows; false if it does not fit together.
  [[nodiscard]] bool load(image_reader& in);

  struct sealed_part;
  struct tail_part;

private:
  void replace_tail(std::uint32_t capacity, std::uint32_t keep);
  void seal(const row_lives& lives);

  mutable std::mutex mutex_; ///< held only while the two pointers are copied or replaced
  std::shared_ptr<const sealed_part> sealed_;
  std::shared_ptr<tail_part> tail_;
};

/// The view of a term that no row carries.
std::shared_ptr<const posting_view> empty_posting();

/// The postings of one kind of term, by term number.
class posting_set {
public:
  /// Writer: the posting of `term`, made if need be.
  posting& grow(std::uint32_t term);
  /// Never null.
  [[nodiscard]] std::shared_ptr<const posting_view> view(std::uint32_t term, seq_no at) const;
  /// Those of the terms below `limit`. Only while nothing is added.
  void save(image_writer& out, std::uint32_t limit) const;
  /// Into a set that has none; false if they do not fit together.
  [[nodiscard]] bool load(image_reader& in);

private:
  sparse_column<posting*> by_term_;
  std::vector<std::unique_ptr<posting>> owned_;
};

} // namespace mneme
