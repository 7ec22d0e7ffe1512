#pragma once
/// What the class attributes holds; shared by its writer, its readers and its image.

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "index/columns/activation_chain.hpp"
#include "index/columns/attributes.hpp"
#include "index/columns/entry_times.hpp"
#include "index/columns/live_counts.hpp"
#include "index/columns/search_settings.hpp"
#include "index/columns/weight_table.hpp"
#include "index/image.hpp"
#include "index/lexical/posting.hpp"
#include "index/lexical/term_dictionary.hpp"
#include "index/rows/row_store.hpp"

namespace mneme {

struct attributes::impl {
  row_store rows;
  activation_chain activations;
  colour_index colours;
  weight_table weights;
  search_settings searches;
  entry_times times;
  term_dictionary tags;
  term_dictionary speakers;                     ///< of tags "speaker:NAME" the names, folded
  sparse_column<std::uint32_t> tag_of_speaker;  ///< by speaker: the newest such tag + 1; 0 = none
  sparse_column<std::uint32_t> tag_of_the_same; ///< by tag: another one of that speaker + 1
  /// A speaker's tag whose name of several words has a word, and where the next such is + 1.
  struct named_part {
    std::uint32_t tag;
    std::uint32_t next;
  };
  term_dictionary name_parts;               ///< words of such names, folded
  sparse_column<std::uint32_t> newest_part; ///< by word: of named_parts, + 1; 0 = none
  paged_column<named_part> named_parts;
  std::uint32_t named_part_count = 0; ///< the writer's alone
  term_dictionary actors;
  term_dictionary frames;
  term_dictionary places;
  paged_column<row_facets> facets;                ///< by row
  sparse_column<std::uint32_t> last_of_reference; ///< by node: row + 1; 0 = none
  posting_set by_type;                            ///< by the type's byte
  posting_set by_tag;
  posting_set by_actor;
  posting_set by_frame;
  posting everybodys; ///< visibility actor_public
  posting archived;
  posting ending;
  posting past;
  posting referring;
  posting distrusted;
  sparse_column<std::uint8_t> doubted; ///< by node: 1 = see ever_in_doubt
  live_counts live;                    ///< of the rows that are open; the writer's alone
  std::atomic<std::uint32_t> ended_rows{0};
  std::atomic<std::uint64_t> retained{0};
  std::shared_ptr<const void> holder; ///< of an image that columns lie in
  row_lives lives = {.is_gone =
                         [this](std::uint32_t row) {
                           return rows.end({row}) <= retained.load(std::memory_order_relaxed);
                         },
                     .end = [this](std::uint32_t row) { return rows.end({row}); }};

  /// Writes the terms of one row unless they are those of `like`; returns where they begin.
  std::uint32_t place_terms(std::span<const std::uint32_t> tag_terms,
                            std::span<const std::uint32_t> frame_terms, row_no like);
  /// Appends a row and enters it in the postings. `rest` has its counts filled in here.
  row_no append(const row_line& line, row_rest rest, row_facets its_facets,
                std::span<const std::uint32_t> tag_terms,
                std::span<const std::uint32_t> frame_terms);
  void raise_use(row_no row, row_no before);
  row_facets intern(const facet_values& values);
  /// Of the tags from `first` on, those that name who speaks. Of every tag once, in their order.
  void note_speakers(std::uint32_t first);
  void note_parts(const std::vector<std::string>& name, std::uint32_t tag);

  /// Everything but the colours and what actors have learned, as it lies in memory. Only while
  /// nothing is put.
  void save(image_writer& out) const;
  /// Into an empty one; false if it does not fit together.
  bool adopt(image_reader& in);
};

/// Does the row put its memory in doubt (attributes::ever_in_doubt)?
inline bool is_doubtful(const row_line& line, const row_facets& facets) {
  return facets.distrust_e9 != 0 || (line.flags & row_tombstoned) != 0;
}

inline bool is_memory_type(memory_type type) {
  const auto byte = static_cast<std::uint8_t>(type);
  return byte >= 1 && byte <= memory_type_count;
}

/// The dictionary text of a frame: action byte, kind byte, ref.
std::string frame_text(const intent_frame& frame);

} // namespace mneme
