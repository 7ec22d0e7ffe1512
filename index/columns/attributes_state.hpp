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
  posting referring;
  posting distrusted;
  sparse_column<std::uint8_t> doubted; ///< by node: 1 = see ever_in_doubt
  live_counts live;                    ///< of the rows that are open; the writer's alone
  std::uint32_t ended_rows = 0;        ///< likewise
  std::atomic<std::uint64_t> retained{0};
  row_is_gone is_gone = [this](std::uint32_t row) {
    return rows.end({row}) <= retained.load(std::memory_order_relaxed);
  };

  /// Writes the terms of one row unless they are those of `like`; returns where they begin.
  std::uint32_t place_terms(std::span<const std::uint32_t> tag_terms,
                            std::span<const std::uint32_t> frame_terms, row_no like);
  /// Appends a row and enters it in the postings. `rest` has its counts filled in here.
  row_no append(const row_line& line, row_rest rest, row_facets its_facets,
                std::span<const std::uint32_t> tag_terms,
                std::span<const std::uint32_t> frame_terms);
  void raise_use(row_no row, row_no before);
  row_facets intern(const facet_values& values);

  /// Could put() have made this row after the rows that are there?
  [[nodiscard]] bool fits(const row_facets& its_facets) const;
  [[nodiscard]] bool fits(const row_line& line, std::span<const std::uint32_t> tag_terms,
                          std::span<const std::uint32_t> frame_terms) const;
  /// Appends the rows of an image as of `at`; false if they cannot be right.
  bool load_rows(image_reader& in, seq_no at);
  /// Sets the activation records of an image, and what bounds the use of the rows, all of which are
  /// there.
  bool load_activations(image_reader& in, seq_no at);
};

inline bool is_memory_type(memory_type type) {
  const auto byte = static_cast<std::uint8_t>(type);
  return byte >= 1 && byte <= memory_type_count;
}

/// The dictionary text of a frame: action byte, kind byte, ref.
std::string frame_text(const intent_frame& frame);

} // namespace mneme
