#pragma once
/// The vectors of the world's one space: a flat append-only array by slot with an exact SIMD scan,
/// and immutable HNSW segments over fixed ranges that a background thread builds in slot order.
/// Distance = 1 - cosine, vectors as given (f32), sums in f64 in a fixed order, so the same bits on
/// every machine and compiler. One writer, many concurrent readers. A query of another dimension
/// than the space's has no neighbours.
///
/// Beside each vector stand 8-bit codes with a proven error bound: exact scans read the codes and
/// compute the true distance only where the bound does not decide; graphs are built over the codes.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/image.hpp"
#include "index/loop_watch.hpp"
#include "index/numbers.hpp"
#include "index/vectors/slot_filter.hpp"
#include "mneme/types.hpp"

namespace mneme {

struct near_hit {
  slot_no slot;
  double distance = 0;
};

/// Cosine distance in f64, at least 0: the definition that every path must agree with. 1 if a
/// vector is zero.
double cosine_distance(std::span<const float> a, std::span<const float> b);

struct vector_index_options {
  bool background_segments = true; ///< false: exact scans only (deterministic mode)
  bool builds_segments = true;     ///< false: those of an image are used, and no others made
  std::uint32_t m = 16;
  std::uint32_t ef_construction = 100;
  std::uint32_t ef_search = 64;
  bool testing_builds_fail = false; ///< a test's fault: as if memory ran out at every segment
};

class compared_query;

class vectors {
public:
  explicit vectors(const vector_index_options& options = {});
  ~vectors();

  // Writer.
  /// Fixes the space before the first append, from `since` on. Precondition: not fixed yet, or the
  /// same; dim is 1..4096.
  void set_space(const vector_space& space, seq_no since = {});
  /// Precondition: values are finite, values.size() == dim, slot above every earlier one.
  void append(slot_no slot, std::span<const float> values);

  // Readers.
  [[nodiscard]] vector_space space() const; ///< dim 0 = none yet
  /// The same as of `at`. What an image had is taken as fixed from the beginning.
  [[nodiscard]] vector_space space_at(seq_no at) const;
  [[nodiscard]] std::uint64_t size() const; ///< vectors held
  /// How many builds of a segment have failed: what they would cover is scanned until it has grown.
  [[nodiscard]] std::uint64_t failed_builds() const;
  /// The vector of `slot`; empty if it has none. Valid for the index's life.
  [[nodiscard]] std::span<const float> get(slot_no slot) const;
  // What compares many vectors asks `goes_on` now and then; what it answers after a no is a part.
  /// Distances of the given slots (those without a vector are left out), in the given order.
  [[nodiscard]] std::vector<near_hit> distances(std::span<const float> query,
                                                std::span<const slot_no> slots,
                                                const goes_on_check& goes_on = {}) const;
  /// The k nearest of the given slots: by distance, ties by `tie` (smaller id first).
  [[nodiscard]] std::vector<near_hit> nearest_of(std::span<const float> query,
                                                 std::span<const slot_no> slots, std::size_t k,
                                                 const std::function<memory_id(slot_no)>& tie,
                                                 const goes_on_check& goes_on = {}) const;
  /// Whether nearest_of so many slots costs less than nearest() that accepts no others, which walks
  /// through those of a graph. 10,000 always are: up to there near is promised to be exact.
  [[nodiscard]] bool are_few(std::uint64_t slots) const;
  /// The query beside all vectors but those left out (compared_query.hpp).
  [[nodiscard]] compared_query compare(std::span<const float> query,
                                       const goes_on_check& goes_on = {},
                                       const slots_left_out& left_out = {}) const;
  /// The k nearest of all slots that the filter accepts, by exact scan.
  [[nodiscard]] std::vector<near_hit> nearest_exact(std::span<const float> query, std::size_t k,
                                                    const slot_filter& asked,
                                                    const std::function<memory_id(slot_no)>& tie,
                                                    const goes_on_check& goes_on = {}) const;
  /// As nearest_exact, through HNSW segments and an exact tail; expands until k are found or all
  /// is exhausted (never fewer than there are). `expected` = how many slots will be accepted,
  /// by which it may fall back to the exact scan. `used_hnsw` tells which way answered.
  [[nodiscard]] std::vector<near_hit> nearest(std::span<const float> query, std::size_t k,
                                              std::uint64_t expected, const slot_filter& asked,
                                              const std::function<memory_id(slot_no)>& tie,
                                              bool& used_hnsw,
                                              const goes_on_check& goes_on = {}) const;

  /// Waits until every full range of vectors is in a segment (benches and tests).
  void wait_for_segments();

  /// The space as of `at`, those of the given vectors that are there, and the segments that are
  /// ready, with the vectors that they need besides; slots ascend. May run beside the writer.
  [[nodiscard]] std::string save(std::span<const slot_no> kept, seq_no at) const;
  void save(image_writer& out, std::span<const slot_no> kept, seq_no at) const;
  /// Are there segments that no image had yet, saved or loaded?
  [[nodiscard]] bool has_unsaved_segments() const;
  /// The space and the same vectors in an index of their own, with segments to come. `replaced` are
  /// in place of those of these slots; an empty one: it has none. `since`: from when on the space
  /// is fixed, where that is another than before; 0: it is not, and there is no vector.
  [[nodiscard]] std::unique_ptr<vectors>
  copy(std::span<const slot_no> kept,
       const std::map<std::uint32_t, std::span<const float>>& replaced = {},
       std::optional<seq_no> since = {}) const;
  /// Does the image say, by its first bytes alone, that this build has written it?
  [[nodiscard]] static bool knows(std::string_view image);
  /// Into an empty object, which stays empty if the image is damaged (corrupt).
  result<void> load(const image_bytes& image);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
