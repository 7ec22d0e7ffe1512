#pragma once
/// The columns of all rows. What filters test lies in one cache line per row, so a scattered
/// candidate costs one memory access whatever is asked of it; the rest lies in a second page.
/// One writer, many readers: entries are written before the row number is given out, and only
/// `end` changes afterwards (atomically, once). Scans of many rows read four bytes of each first.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "index/columns/paged_column.hpp"
#include "index/columns/use_bound.hpp"
#include "index/image.hpp"
#include "index/numbers.hpp"
#include "mneme/types.hpp"

namespace mneme {

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

/// The part of a row that filters test.
struct alignas(64) row_line {
  std::uint64_t begin;
  std::uint64_t end; ///< atomic; 0 = a row that is not there yet
  std::int64_t created_at_ns;
  std::int64_t last_updated_at_ns;
  std::int64_t valid_from_ns;
  std::int64_t valid_until_ns;
  std::uint32_t node;
  std::uint32_t slot;
  std::uint32_t actor;
  memory_type type;
  mneme::visibility visibility;
  std::uint8_t importance;
  std::uint8_t flags;
};
static_assert(sizeof(row_line) == 64);

inline constexpr std::uint8_t row_tombstoned = 1;
inline constexpr std::uint8_t row_erased = 2;
inline constexpr std::uint8_t row_has_vector = 4;
inline constexpr std::uint8_t row_archived = 8; ///< lifecycle status
/// Tombstoned since something took its place: it held once, and is found by who asks for that.
inline constexpr std::uint8_t row_past = 16;
/// Shown only to who asks for what is no more.
inline constexpr std::uint8_t row_gone = row_tombstoned | row_erased;
/// Found through no door unless asked for by name.
inline constexpr std::uint8_t row_unfindable = row_gone | row_archived;

/// Held once at least: there, or tombstoned as superseded.
constexpr bool may_have_held(std::uint8_t flags) {
  return (flags & row_gone) == 0 || (flags & row_past) != 0;
}

/// What of a row most tests need, in four bytes: bits 0 to 3 are its flags, 4 to 7 its type, bit 8
/// says that it is closed, and of bits 9 to 31 each of its tags has one. A row that is not closed
/// lives on; of one that is, its line says until when.
using row_brief = std::uint32_t;
inline constexpr row_brief brief_closed = 1U << 8;

/// The bit that a row with this tag has; so may one without.
constexpr row_brief brief_of_tag(term_no tag) {
  constexpr std::uint32_t bits = 23;
  return 1U << (9 + tag.value % bits);
}
constexpr row_brief brief_of_flags(std::uint8_t flags) {
  return flags & 0xFU;
}
/// A memory type's byte.
constexpr std::uint8_t type_of(row_brief brief) {
  return (brief >> 4) & 0xFU;
}

/// Rows come about in the order of their times: of so many rows that follow each other the earliest
/// and the latest time are kept, and what bounds their use, so that a span of time, or who looks
/// for the most salient, passes over most.
inline constexpr std::uint32_t rows_per_zone = 1024;
struct row_zone {
  std::int64_t first_created_ns;
  std::int64_t last_created_ns;
  use_bound use;
};

/// Of so many contents that follow each other, whether any is that of a row that is alive: who
/// looks through contents passes over those that were overwritten.
inline constexpr std::uint32_t slots_per_zone = 256;
struct slot_zone {
  std::uint64_t over_by; ///< the last end of a row; atomic
  std::uint64_t open;    ///< rows without an end; atomic
};

/// The rest of a row. Its tags and then its frames are consecutive entries of the term list.
struct row_rest {
  std::int64_t version_created_at_ns;
  double confidence;
  std::uint32_t version;
  std::uint32_t terms_begin;
  std::uint16_t tag_count;
  std::uint16_t frame_count;
  std::uint32_t before_of_node; ///< the node's row before this one, or no_number
};
static_assert(sizeof(row_rest) == 32);

class row_store {
public:
  /// Writer: appends a row whose tags and frames are already in the term list.
  row_no append(const row_line& line, row_rest rest);
  /// Writer: the row is alive up to `end` only.
  void close(row_no row, std::uint64_t end);
  /// Writer: what bounds the use of the row's memory, while the row is alive.
  void raise_use(row_no row, use_bound use);
  /// Writer: appends to the term list.
  std::uint32_t append_term(std::uint32_t term) {
    ensure(term_count_ != no_number, "the list of row terms is full");
    terms_.grow(term_count_) = term;
    return term_count_++;
  }
  /// Writer: where the next term will be.
  [[nodiscard]] std::uint32_t terms_end() const { return term_count_; }

  [[nodiscard]] std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] const row_line& line(row_no row) const { return lines_[row.value]; }
  [[nodiscard]] const row_rest& rest(row_no row) const { return rest_[row.value]; }
  /// A copy as of `at`, beside the writer, which may close the row meanwhile.
  [[nodiscard]] row_line line_as_of(row_no row, seq_no at) const;
  [[nodiscard]] row_brief brief(row_no row) const { return load_acquire(briefs_[row.value]); }
  /// Briefs that lie together with that of `row`; each is read atomically.
  [[nodiscard]] column_run<row_brief> briefs_with(row_no row) const {
    return briefs_.run_of(row.value);
  }
  /// Was any row of the zone that has `row` created within [first, last]?
  [[nodiscard]] bool zone_meets(row_no row, std::int64_t first, std::int64_t last) const {
    const row_zone& zone = zones_[row.value / rows_per_zone];
    return load_acquire(zone.first_created_ns) <= last
           && first <= load_acquire(zone.last_created_ns);
  }
  /// Do all rows of the zone that has `row` lie within [first, last] by their creation?
  [[nodiscard]] bool zone_is_within(row_no row, std::int64_t first, std::int64_t last) const {
    const row_zone& zone = zones_[row.value / rows_per_zone];
    return first <= load_acquire(zone.first_created_ns)
           && load_acquire(zone.last_created_ns) <= last;
  }
  /// The memory of the row was never used more while the row was alive.
  [[nodiscard]] use_bound use(row_no row) const { return load_acquire(uses_[row.value]); }
  /// The same of every row of the zone that has `row`.
  [[nodiscard]] use_bound zone_use(row_no row) const {
    return load_acquire(zones_[row.value / rows_per_zone].use);
  }
  [[nodiscard]] std::uint64_t end(row_no row) const { return load_acquire(lines_[row.value].end); }
  [[nodiscard]] bool alive(row_no row, seq_no at) const {
    const row_line& l = lines_[row.value];
    return l.begin <= at.value && at.value < load_acquire(l.end);
  }
  [[nodiscard]] std::uint32_t term(std::uint32_t position) const { return terms_[position]; }
  [[nodiscard]] row_columns columns(row_no row) const;
  [[nodiscard]] bool has_tag(row_no row, term_no tag) const {
    const row_rest& r = rest_[row.value];
    for (std::uint32_t i = 0; i < r.tag_count; ++i)
      if (terms_[r.terms_begin + i] == tag.value) return true;
    return false;
  }
  [[nodiscard]] row_no row_of(node_no node, seq_no at) const;
  /// Hints that the newest row of `node` is asked for soon.
  void prefetch_last_of(node_no node) const { __builtin_prefetch(last_of_node_.find(node.value)); }
  /// Hints that the row's line is looked at soon, if there is such a row.
  void prefetch(row_no row) const {
    if (row.value != no_number) __builtin_prefetch(&lines_[row.value]);
  }
  [[nodiscard]] row_no row_of_slot(slot_no slot, seq_no at) const;
  /// The newest row of `node`, or no_number.
  [[nodiscard]] row_no last_of(node_no node) const {
    const std::uint32_t* last = last_of_node_.find(node.value);
    return {last == nullptr ? no_number : load_acquire(*last) - 1};
  }
  /// Whether the memory of `node` is erased as of `at`, and so for good.
  [[nodiscard]] bool is_erased(node_no node, seq_no at = {forever}) const {
    const row_no last = last_of(node);
    if (last.value == no_number) return false;
    const row_line& l = lines_[last.value];
    return (l.flags & row_erased) != 0 && l.begin <= at.value;
  }
  /// Whether the row says what its memory was before it was erased.
  [[nodiscard]] bool is_erased_content(row_no row, seq_no at) const {
    const row_line& l = lines_[row.value];
    return (l.flags & row_erased) == 0 && is_erased({l.node}, at);
  }
  /// Whether no row is alive at `at` whose content is one of [first, end). At the newest seqs it
  /// tells all that are over, but for contents beside others that are not; before, few.
  [[nodiscard]] bool slots_are_over(slot_no first, slot_no end, seq_no at) const {
    ensure(first < end, "some contents are asked about");
    const std::uint32_t behind = (end.value - 1) / slots_per_zone + 1;
    for (std::uint32_t zone = first.value / slots_per_zone; zone < behind;) {
      if (slot_zones_.find(zone) == nullptr) { // and none of its page
        zone =
            (zone / decltype(slot_zones_)::page_entries + 1) * decltype(slot_zones_)::page_entries;
      } else if (!slot_zone_is_over(zone++, at)) {
        return false;
      }
    }
    return true;
  }
  /// Rows with begin <= `at` are exactly those below this number.
  [[nodiscard]] std::uint32_t count_at(seq_no at) const;

  /// All columns, as they lie in memory. Only while nothing is appended.
  void save(image_writer& out) const;
  /// Into a store that has no rows; false if they do not fit together.
  [[nodiscard]] bool adopt(image_reader& in);

private:
  [[nodiscard]] row_brief brief_of(const row_line& line, const row_rest& rest) const;
  void widen_zone(std::uint32_t row, std::int64_t created_at_ns);
  /// What ended is known before that it is no more open.
  [[nodiscard]] bool slot_zone_is_over(std::uint32_t number, seq_no at) const {
    const slot_zone* zone = slot_zones_.find(number);
    return zone == nullptr
           || (load_acquire(zone->open) == 0 && load_acquire(zone->over_by) <= at.value);
  }

  paged_column<row_line> lines_;
  paged_column<row_brief> briefs_;
  paged_column<row_zone> zones_;
  paged_column<use_bound> uses_;
  paged_column<row_rest> rest_;
  paged_column<std::uint32_t> before_of_slot_; ///< the slot's row before this one, or no_number
  paged_column<std::uint32_t> terms_;
  sparse_column<std::uint32_t> last_of_node_; ///< row + 1; 0 = none
  sparse_column<std::uint32_t> last_of_slot_;
  sparse_column<slot_zone> slot_zones_; ///< by slot / slots_per_zone
  std::uint32_t term_count_ = 0;
  std::atomic<std::uint32_t> size_{0};
};

inline row_line row_store::line_as_of(row_no row, seq_no at) const {
  const row_line& l = lines_[row.value];
  const std::uint64_t its_end = load_acquire(l.end);
  return {.begin = l.begin,
          .end = its_end > at.value ? forever : its_end,
          .created_at_ns = l.created_at_ns,
          .last_updated_at_ns = l.last_updated_at_ns,
          .valid_from_ns = l.valid_from_ns,
          .valid_until_ns = l.valid_until_ns,
          .node = l.node,
          .slot = l.slot,
          .actor = l.actor,
          .type = l.type,
          .visibility = l.visibility,
          .importance = l.importance,
          .flags = l.flags};
}

inline row_columns row_store::columns(row_no row) const {
  const row_line& l = lines_[row.value];
  const row_rest& r = rest_[row.value];
  return {.node = {l.node},
          .slot = {l.slot},
          .begin = l.begin,
          .type = l.type,
          .visibility = l.visibility,
          .importance = l.importance,
          .tombstoned = (l.flags & row_tombstoned) != 0,
          .erased = (l.flags & row_erased) != 0,
          .has_vector = (l.flags & row_has_vector) != 0,
          .version = r.version,
          .actor = {l.actor},
          .created_at_ns = l.created_at_ns,
          .last_updated_at_ns = l.last_updated_at_ns,
          .version_created_at_ns = r.version_created_at_ns,
          .valid_from_ns = l.valid_from_ns,
          .valid_until_ns = l.valid_until_ns,
          .confidence = r.confidence};
}

} // namespace mneme
