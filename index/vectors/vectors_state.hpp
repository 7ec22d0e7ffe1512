#pragma once
/// What the class vectors holds; shared by its writer, its searches and its image.

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "index/image.hpp"
#include "index/vectors/nearest_collector.hpp"
#include "index/vectors/segment_builder.hpp"
#include "index/vectors/vector_rows.hpp"
#include "index/vectors/vectors.hpp"

namespace mneme {

inline constexpr std::uint32_t dimension_max = 4096;

struct vectors::impl {
  explicit impl(const vector_index_options& o)
      : options(o),
        builder(rows, {.m = o.m, .ef_construction = o.ef_construction},
                o.testing_builds_fail ? no_segment : hnsw_segment::extend) {
    ensure(o.m >= 2 && o.ef_construction >= 1 && o.ef_search >= 1, "graphs have links");
  }

  const vector_index_options options;
  vector_rows rows;
  std::unique_ptr<const vector_space> fixed_space;
  seq_no fixed_since; ///< readers: after `space`
  std::atomic<const vector_space*> space{nullptr};
  /// Up to here segments were saved, or loaded; by whoever saves, whose index is const.
  mutable std::atomic<std::uint32_t> saved_to{0};
  std::uint64_t failed_before = 0; ///< builds, of the index that this one is a copy of
  segment_builder builder;         ///< last, so that it is stopped first

  /// The build that testing_builds_fail plants.
  static std::unique_ptr<hnsw_segment> no_segment(const hnsw_segment* base, const vector_rows& rows,
                                                  std::uint32_t begin, std::uint32_t end,
                                                  const graph_parameters& p,
                                                  const std::atomic<bool>& stop);
  /// Writer, once.
  void fix_space(const vector_space& s, seq_no since);
  /// The parts of an image, into what is empty; false if it is damaged.
  [[nodiscard]] bool read_rows(image_reader& in);
  [[nodiscard]] bool adopt_rows(image_reader& in, const std::shared_ptr<const void>& holder);
  [[nodiscard]] bool read_segments(image_reader& in, const segment_links::saved_form& form);
  [[nodiscard]] bool builds() const {
    return options.background_segments && options.builds_segments;
  }
  /// Is this a query of the space?
  [[nodiscard]] bool fits(std::span<const float> query) const;
  /// Offers the accepted vectors at [begin, end).
  void scan(const prepared_query& query, std::uint32_t begin, std::uint32_t end,
            const slot_filter& asked, nearest_collector& nearest,
            const goes_on_check& goes_on) const;
  /// Offers those of `slots` that can be among the k nearest.
  void offer_best(const prepared_query& query, std::span<const slot_no> slots, std::size_t k,
                  nearest_collector& nearest, const goes_on_check& goes_on) const;
  /// Offers those of the positions, nearest first, that can be among the k nearest and pass; false
  /// if most of them do not.
  bool offer_found(const prepared_query& query, std::span<const std::uint32_t> positions,
                   const std::function<bool(slot_no)>& accept, std::size_t k,
                   nearest_collector& nearest) const;
  /// nullopt if a scan is cheaper, or has to decide.
  [[nodiscard]] std::optional<std::vector<near_hit>>
  search_segments(const prepared_query& query, std::size_t k, std::uint64_t expected,
                  const slot_filter& asked, const std::function<memory_id(slot_no)>& tie,
                  const goes_on_check& goes_on) const;
};

} // namespace mneme
