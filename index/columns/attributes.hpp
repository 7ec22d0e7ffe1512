#pragma once
/// Rows, their columns and postings, and activation. One writer, many concurrent readers: columns
/// live in pages that never move; lengths are release-published; a row's `end` is atomic; postings
/// are a sealed part (immutable Roaring bitmap, swapped) and an append-only tail.
/// A reader at seq S sees exactly the rows with begin <= S < end. Numbers given to an accessor must
/// come from this object: a row from a posting or row_of, a term from a *_term function.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/colour/colour_index.hpp"
#include "index/columns/live_counts.hpp"
#include "index/columns/row_facets.hpp"
#include "index/columns/search_settings.hpp"
#include "index/lexical/posting.hpp"
#include "index/numbers.hpp"
#include "index/rows/row_store.hpp"
#include "mneme/agents.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// What one row says; the writer copies what it needs.
struct row_values {
  node_no node{};
  slot_no slot{};
  memory_type type{};
  mneme::visibility visibility{};
  std::uint8_t importance = 0;
  bool tombstoned = false;
  bool past = false; ///< tombstoned as superseded
  bool erased = false;
  bool has_vector = false;
  bool archived = false; ///< lifecycle status
  std::uint32_t version = 0;
  std::string_view actor_scope{};
  timestamp created_at{}; ///< of the head
  timestamp last_updated_at{};
  timestamp version_created_at{};
  timestamp valid_from{};
  std::int64_t valid_until_ns = 0; ///< min(valid_until, expires_at); int64 max = open
  double confidence = 1.0;
  std::span<const std::string> tags{};
  std::span<const intent_frame> frames{};
  facet_values facets{};
};

/// Of a content that something else is in place of.
struct refilled_slot {
  seq_no since; ///< of its row, which has the vector where one is there
  bool has_vector = false;
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
  /// What `actor` has learned, visible from `seq` on.
  void set_weights(std::string_view actor, seq_no seq, const learned_weights& weights);
  /// Every entry comes by here, in their order, and when it was made.
  void note_entry(seq_no seq, timestamp at);
  /// What searches weigh by from an entry on.
  void set_search(search_setting setting);
  /// The colour space, which shares the rows' writer, window and image.
  [[nodiscard]] colour_index& colours();
  /// The memories live after the last put. Only while nothing is put.
  [[nodiscard]] const live_counts& live() const;
  /// Nobody reads at a seq before `seq` from now on: activation records and rows in postings that
  /// only such reads would need may be dropped. A reader that is still there gets default values
  /// and misses rows, but nothing torn or later.
  void retain_from(seq_no seq);
  /// Earlier activation records that are kept.
  [[nodiscard]] std::uint64_t activation_history_size() const;

  // Readers.
  /// Rows that have ended: each state of a memory but its last one.
  [[nodiscard]] std::uint32_t ended_rows() const;
  [[nodiscard]] const colour_index& colours() const;
  /// The columns, for inner loops.
  [[nodiscard]] const row_store& rows() const { return *rows_; }
  [[nodiscard]] std::uint32_t row_count() const { return rows_->size(); }
  [[nodiscard]] row_columns columns(row_no row) const { return rows_->columns(row); }
  [[nodiscard]] bool alive(row_no row, seq_no at) const { return rows_->alive(row, at); }
  [[nodiscard]] node_no node(row_no row) const { return {rows_->line(row).node}; }
  [[nodiscard]] slot_no slot(row_no row) const { return {rows_->line(row).slot}; }
  /// The row of `node` alive at `at`, or no_number.
  [[nodiscard]] row_no row_of(node_no node, seq_no at) const { return rows_->row_of(node, at); }
  /// The row alive at `at` whose content is `slot`, or no_number.
  [[nodiscard]] row_no row_of_slot(slot_no slot, seq_no at) const {
    return rows_->row_of_slot(slot, at);
  }
  [[nodiscard]] bool has_tag(row_no row, term_no tag) const { return rows_->has_tag(row, tag); }
  [[nodiscard]] const row_facets& facets(row_no row) const { return (*facets_)[row.value]; }
  /// Rows whose content names `node`, newest first, of any age; `visit` returns false to stop.
  void for_each_referring(node_no node, const std::function<bool(row_no)>& visit) const;
  /// Whether the content of any row, of any age, names `node`.
  [[nodiscard]] bool is_referred_to(node_no node) const;
  /// A project or the path of a chunk; no_number if no row ever had it.
  [[nodiscard]] term_no place_term(std::string_view place) const;
  [[nodiscard]] std::string_view place_text(term_no place) const;
  /// The seq given to retain_from last.
  [[nodiscard]] seq_no retained() const;
  /// How many distinct tags there ever were, or frames, actors or places if those are more.
  [[nodiscard]] std::uint32_t name_count() const;
  [[nodiscard]] std::vector<term_no> tags(row_no row) const;
  [[nodiscard]] std::vector<intent_frame> frames(row_no row) const;
  [[nodiscard]] term_no tag_term(std::string_view tag) const;
  /// Tags "speaker:NAME" where NAME has these words, folded as terms are (folded_words).
  [[nodiscard]] std::vector<term_no> speaker_tags(std::span<const std::string> words) const;
  /// The same where NAME has several words, one of which is this.
  [[nodiscard]] std::vector<term_no> speaker_tags_with(std::string_view word) const;
  [[nodiscard]] term_no actor_term(std::string_view actor) const;
  [[nodiscard]] std::string tag_text(term_no tag) const;
  /// Tags that there ever were and that begin so.
  [[nodiscard]] std::vector<std::pair<std::string, term_no>>
  tags_with_prefix(std::string_view prefix) const;
  /// The last entry that was made at or before `time`, among those up to `at`; nullopt if none of
  /// those retained was.
  [[nodiscard]] std::optional<seq_no> entry_at(timestamp time, seq_no at) const;
  [[nodiscard]] std::string actor_text(term_no actor) const;
  /// Never null; an unknown term has an empty posting. All rows that are alive at `at`, and perhaps
  /// others; at seq 0 rows of any age.
  [[nodiscard]] std::shared_ptr<const posting_view> with_type(memory_type type, seq_no at) const;
  [[nodiscard]] std::shared_ptr<const posting_view> with_tag(term_no tag, seq_no at) const;
  [[nodiscard]] std::shared_ptr<const posting_view> with_actor(term_no actor, seq_no at) const;
  /// Of the visibility actor_public.
  [[nodiscard]] std::shared_ptr<const posting_view> everybodys(seq_no at) const;
  [[nodiscard]] std::shared_ptr<const posting_view> with_frame(const intent_frame& frame,
                                                               seq_no at) const;
  // Rows of any age.
  /// Rows whose lifecycle status is archived.
  [[nodiscard]] std::shared_ptr<const posting_view> archived() const;
  /// Rows that are not valid for ever: they have a valid_until_ns.
  [[nodiscard]] std::shared_ptr<const posting_view> ending() const;
  /// Rows of memories that are tombstoned as superseded.
  [[nodiscard]] std::shared_ptr<const posting_view> past() const;
  /// Rows whose content names another memory.
  [[nodiscard]] std::shared_ptr<const posting_view> referring() const;
  /// Rows whose own trust is below 1.
  [[nodiscard]] std::shared_ptr<const posting_view> distrusted() const;
  /// False where no row of `node` that some retained read can see is tombstoned, or of an own trust
  /// below 1: most of what others rest on needs no look at its rows.
  [[nodiscard]] bool ever_in_doubt(node_no node) const;
  /// Hints that this is asked soon, or for the facets of a row.
  void expect_doubts(node_no node) const;
  void expect_facets(row_no row) const { __builtin_prefetch(&facets(row)); }
  /// Newest record at or before `at`; default values if there is none.
  [[nodiscard]] activation activation_of(node_no node, seq_no at) const;
  /// Hints that the activation of `node` is asked for soon.
  void prefetch_activation(node_no node) const;
  /// The actor's salience weights as of `at`; the defaults if it had learned nothing.
  [[nodiscard]] learned_weights weights_of(std::string_view actor, seq_no at) const;
  /// What searches weigh by as of `at`; null = nobody has set that.
  [[nodiscard]] std::shared_ptr<const search_setting> search_at(seq_no at) const;
  /// When the entry `at` was made; nullopt before what is retained, and of seq 0.
  [[nodiscard]] std::optional<timestamp> entry_time(seq_no at) const;
  /// Memories alive (not tombstoned) at `at`, by type; one pass over the type postings.
  [[nodiscard]] std::uint64_t live_count(memory_type type, seq_no at) const;

  /// The state as of `at`, with what reads back to retained() need; may run beside the writer,
  /// which must not retain less than `at` before it is done. Rows that ended before are left out,
  /// so that rows get new numbers when the image is loaded. `refilled`: by slot.
  [[nodiscard]] std::string save(seq_no at,
                                 const std::map<std::uint32_t, refilled_slot>& refilled = {}) const;
  void save(image_writer& out, seq_no at,
            const std::map<std::uint32_t, refilled_slot>& refilled = {}) const;
  /// The rows that save() keeps, ascending. Of a memory that was erased none but that it was.
  [[nodiscard]] std::vector<row_no> kept_rows(seq_no at) const;
  /// Their contents; ascending, each once.
  [[nodiscard]] std::vector<slot_no> kept_slots(seq_no at) const;
  /// Into an empty object, which stays empty if the image is damaged (corrupt).
  result<void> load(const image_bytes& image);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
  const row_store* rows_;                  ///< of impl_
  const paged_column<row_facets>* facets_; ///< of impl_
};

} // namespace mneme
