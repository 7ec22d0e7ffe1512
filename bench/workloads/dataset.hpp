#pragma once
/// The seeded data set of `mneme bench`: memories of one of 8 types with 3 distinct Zipf tags of
/// 2,000, a 128-d unit vector of one of 200 clusters, about 200 bytes of text, spread over a year;
/// two edges per memory, most to popular ones; and the queries. Every memory is an actor's: half of
/// them belong to actors that have about 1,000, half to actors that have about 100.
///
/// What a run writes and touches is written and touched here too, so that the truth keeps up.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mneme/requests.hpp"

namespace mneme::workloads {

inline constexpr std::size_t dimension = 128;
inline constexpr std::uint32_t tag_count = 2000;
inline constexpr std::int64_t day_ns = 86'400'000'000'000;
inline constexpr timestamp first_day{1'735'689'600'000'000'000}; // 2025-01-01
inline constexpr timestamp query_time{first_day.ns + 366 * day_ns};
inline constexpr std::size_t query_count = 1000;

struct row {
  memory_type type{};
  std::uint8_t importance = 0;
  std::array<std::uint32_t, 3> tags{};
  std::uint32_t actor = 0; ///< of dataset::own
  std::uint32_t access_count = 0;
  timestamp created_at;
  timestamp last_used;
};

struct edge {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint8_t type = 0;
};

struct query {
  std::uint32_t tag_1_percent = 0;
  std::uint32_t tag_01_percent = 0;
  std::uint32_t tag_of_find = 0;
  std::uint32_t tag_in_reach = 0; ///< of a row within two hops of `start`
  memory_type type{};
  std::array<std::uint8_t, 2> edge_types{};
  std::uint32_t start = 0;
  timestamp from;
  timestamp until;
  std::uint32_t large_actor = 0;
  std::uint32_t small_actor = 0;
  std::array<std::string, 3> words{}; ///< that very many texts have
};

/// Both ways, of every edge type.
struct adjacency {
  struct step {
    std::uint32_t to;
    std::uint8_t type;
  };
  std::vector<std::uint32_t> offset; ///< rows + 1
  std::vector<step> steps;
};

struct dataset {
  std::vector<row> rows;
  std::vector<std::string> texts;
  // Columns of `rows`, by which the floors select.
  std::vector<memory_type> types;
  std::vector<std::int64_t> created_ns;
  std::vector<float> vectors; ///< rows × dimension
  std::vector<edge> edges;
  std::vector<query> queries;       ///< query_count
  std::vector<float> query_vectors; ///< query_count × dimension, of the same clusters
  std::vector<std::vector<std::uint32_t>> postings; ///< rows of each tag, ascending
  std::vector<std::vector<std::uint32_t>> own;      ///< rows of each actor, ascending
  std::uint32_t large_actors = 0;                   ///< the first ones of `own`
  adjacency around;                                 ///< of the rows that there were at first

  [[nodiscard]] const float* vector_of(std::size_t i) const { return &vectors[i * dimension]; }
  [[nodiscard]] const float* query_vector(std::size_t q) const {
    return &query_vectors[q * dimension];
  }
};

/// The same for the same size and seed, on every machine that rounds as IEEE 754 says.
dataset make_dataset(std::size_t size, std::uint64_t seed);

/// A new row like `like`, made at query_time; its number.
std::uint32_t add_row(dataset& d, std::size_t like);

/// As a find with late binding touches a memory at query_time.
void touch(row& r);

/// Rows around `start` in the order of a walk, without it, each with its hops. No types: any.
std::vector<std::pair<std::uint32_t, std::uint32_t>>
rows_around(const dataset& d, std::uint32_t start, std::uint32_t hops,
            const std::vector<std::uint8_t>& types);

memory_id id_of(std::size_t row);
std::size_t row_of(const memory_id& id);
std::string tag_name(std::uint32_t tag);
std::string actor_name(std::uint32_t actor);
write_request request_of(const dataset& d, std::size_t row);
std::vector<float> query_values(const dataset& d, std::size_t q);

} // namespace mneme::workloads
