#pragma once
/// What is right to answer, found in plain C++ over arrays in memory. Timed, the same functions are
/// the floors: nothing that answers these questions from rows takes less.

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/workloads/dataset.hpp"

namespace mneme::workloads {

using rows = std::vector<std::uint32_t>;

/// The k nearest of `among` to a unit vector, nearest first.
rows nearest_of(const dataset& d, const float* vector, const rows& among, std::size_t k);
/// The k nearest of all.
rows nearest_of_all(const dataset& d, const float* vector, std::size_t k);

/// Of a row's vector with another unit vector.
double cosine_of(const dataset& d, const float* vector, std::uint32_t row);

/// A memory's salience at query_time without a near vector, by the engine's definition: recency,
/// use, and importance (nothing is cited here).
double salience_of(const row& r);
/// With one at this cosine.
double salience_of(const row& r, double cosine);

/// Rows of the query's tag and type in its span of time.
rows in_tag_type_time(const dataset& d, const query& q);
/// The same of one actor's own.
rows own_in_tag_type_time(const dataset& d, std::uint32_t actor, const query& q);
/// The k best by salience, ties by number.
rows most_salient(const dataset& d, const rows& among, std::size_t k);
/// The k best by salience with a near vector: recency, importance, relevance.
rows most_relevant(const dataset& d, const float* vector, const rows& among, std::size_t k);

/// Rows within three hops over the query's types, each with its hops, by (hops, number); at
/// most 20.
std::vector<std::pair<std::uint32_t, std::uint32_t>> within_three_hops(const dataset& d,
                                                                       const query& q);
/// Rows within two hops that have the query's tag.
rows tagged_in_reach(const dataset& d, const query& q);

} // namespace mneme::workloads
