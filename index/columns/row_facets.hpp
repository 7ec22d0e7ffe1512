#pragma once
/// What search filters by, one entry per row beside its columns: the lifecycle of the memory, where
/// a chunk comes from, which other memory a content names, and how far it is trusted.

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "index/numbers.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// As the writer gives them; texts are copied.
struct facet_values {
  std::optional<lifecycle_status> status{};
  std::optional<timestamp> due{};
  std::optional<lifecycle_origin> origin{};
  std::optional<lifecycle_audience> audience{};
  bool atomic = false;
  std::string_view project{};
  // Of the content.
  std::string_view path{};       ///< of a Chunk
  bool from_github = false;      ///< of a Chunk
  node_no reference{};           ///< what a Decision replaces, or a Chunk was promoted to
  std::uint32_t distrust_e9 = 0; ///< 1 less its own trust, in units of 1e-9
  seq_no stands_since{};         ///< see row_facets
};

struct row_facets {
  std::int64_t due_ns;
  std::uint32_t project; ///< place term; no_number = none
  std::uint32_t path;    ///< place term; no_number = none
  std::uint32_t reference;
  std::uint32_t before_of_reference; ///< the row before this one with the same reference
  std::uint8_t status;               ///< 0 = none
  std::uint8_t origin;
  std::uint8_t audience;
  std::uint8_t flags;
  std::uint32_t distrust_e9; ///< 1 less its own trust, in units of 1e-9
  /// The seq at which somebody last stood by it: of its newest version, or when it was affirmed. A
  /// tombstone leaves it as it is (views/standing.hpp).
  std::uint64_t stands_since;
};
static_assert(std::has_unique_object_representations_v<row_facets>,
              "no padding may enter the image");

inline constexpr std::uint8_t facet_atomic = 1;
inline constexpr std::uint8_t facet_from_github = 2;
inline constexpr std::uint8_t facet_has_due = 4;
inline constexpr std::uint8_t facet_flags_all = 7;
inline constexpr std::uint32_t distrust_max_e9 = 1'000'000'000;

} // namespace mneme
