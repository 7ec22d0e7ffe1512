#pragma once
/// Rows, their columns and postings, and activation. One writer, many concurrent readers: columns
/// live in 64k pages that never move; lengths are release-published; a row's `end` is atomic;
/// postings are a sealed part (immutable Roaring bitmap, swapped) and an append-only tail.
/// A reader at seq S sees exactly the rows with begin <= S < end.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/numbers.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// What one row says; the writer copies what it needs.
struct row_values {
  node_no node;
  slot_no slot;
  memory_type type{};
  mneme::visibility visibility{};
  std::uint8_t importance = 0;
  bool tombstoned = false;
  bool erased = false;
  bool has_vector = false;
  std::uint32_t version = 0;
  std::string_view actor_scope;
  timestamp created_at; ///< of the head
  timestamp last_updated_at;
  timestamp version_created_at;
  timestamp valid_from;
  std::int64_t valid_until_ns = 0; ///< min(valid_until, expires_at); int64 max = open
  double confidence = 1.0;
  std::span<const std::string> tags;
  std::span<const intent_frame> frames;
};

/// Dense number of an interned string (actor or tag); no_number if it was never seen.
struct term_no {
  std::uint32_t value = no_number;
  friend auto operator<=>(const term_no&, const term_no&) = default;
};

/// The columns of one row by value, for code that wants several of them.
struct row_columns {
  node_no node;
  slot_no slot;
  std::uint64_t begin = 0;
  memory_type type{};
  mneme::visibility visibility{};
  std::uint8_t importance = 0;
  bool tombstoned = false;
  bool erased = false;
  bool has_vector = false;
  std::uint32_t version = 0;
  term_no actor;
  std::int64_t created_at_ns = 0;
  std::int64_t last_updated_at_ns = 0;
  std::int64_t version_created_at_ns = 0;
  std::int64_t valid_from_ns = 0;
  std::int64_t valid_until_ns = 0;
  double confidence = 1.0;
};

/// A sorted set of rows, read-only and safe to hold while the writer goes on. Contains dead rows
/// too: test alive() at the seq read.
class posting_view {
public:
  virtual ~posting_view() = default;
  /// Upper bound of the number of rows.
  [[nodiscard]] virtual std::uint64_t cardinality() const = 0;
  /// Rows ascending; `visit` returns false to stop.
  virtual void for_each(const std::function<bool(row_no)>& visit) const = 0;
  /// The rows as an array, ascending (faster than for_each for small sets).
  virtual void append_to(std::vector<std::uint32_t>& rows) const = 0;
};

class attributes {
public:
  attributes();
  ~attributes();

  // Writer.
  /// Appends the row and ends the node's row before it at `begin`.
  row_no put(const row_values& values, seq_no begin);
  /// A new activation record of `node`, visible from `seq` on.
  void set_activation(node_no node, seq_no seq, const activation& values);
  /// Activation records older than the last one at or before `seq` may be freed.
  void retain_from(seq_no seq);

  // Readers.
  [[nodiscard]] std::uint32_t row_count() const;
  [[nodiscard]] row_columns columns(row_no row) const;
  [[nodiscard]] bool alive(row_no row, seq_no at) const;
  [[nodiscard]] node_no node(row_no row) const;
  [[nodiscard]] slot_no slot(row_no row) const;
  /// The row of `node` alive at `at`, or no_number.
  [[nodiscard]] row_no row_of(node_no node, seq_no at) const;
  /// The row alive at `at` whose content is `slot`, or no_number.
  [[nodiscard]] row_no row_of_slot(slot_no slot, seq_no at) const;
  [[nodiscard]] bool has_tag(row_no row, term_no tag) const;
  [[nodiscard]] std::vector<term_no> tags(row_no row) const;
  [[nodiscard]] term_no tag_term(std::string_view tag) const;
  [[nodiscard]] term_no actor_term(std::string_view actor) const;
  [[nodiscard]] std::string tag_text(term_no tag) const;
  [[nodiscard]] std::string actor_text(term_no actor) const;
  /// Never null; an unknown term has an empty posting.
  [[nodiscard]] std::shared_ptr<const posting_view> with_type(memory_type type) const;
  [[nodiscard]] std::shared_ptr<const posting_view> with_tag(term_no tag) const;
  [[nodiscard]] std::shared_ptr<const posting_view> with_actor(term_no actor) const;
  [[nodiscard]] std::shared_ptr<const posting_view> with_frame(const intent_frame& frame) const;
  /// Newest record at or before `at`; default values if there is none.
  [[nodiscard]] activation activation_of(node_no node, seq_no at) const;
  /// Memories alive (not tombstoned) at `at`, by type; one pass over the type postings.
  [[nodiscard]] std::uint64_t live_count(memory_type type, seq_no at) const;

  /// The state as of `at`, written beside a running writer.
  [[nodiscard]] std::string save(seq_no at) const;
  result<void> load(std::string_view image); ///< into an empty object

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
