#pragma once
/// What the workloads ask and write, as requests of the public API.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/workloads/dataset.hpp"
#include "mneme/query.hpp"
#include "mneme/search.hpp"
#include "mneme/topics.hpp"

namespace mneme::workloads {

/// The nearest 10 to the q-th vector.
find_request near_request(const dataset& d, std::size_t q);
find_request near_in_tag_request(const dataset& d, std::size_t q, std::uint32_t tag);
/// By tag, type and time, the 20 most salient.
find_request salient_request(const query& q);
/// All around the query's start; no types: any.
find_request walk_request(const query& q, std::int64_t hops, std::vector<edge_type> types);
/// The first 20 within 3 hops over 2 types.
find_request three_hops_request(const query& q);
find_request as_actor(find_request f, std::uint32_t actor);
/// The best 10 for three words, however far behind the best.
search_request words_request(const query& q);

inline constexpr std::size_t topic_fields = 3;
std::string topic_field_name(std::size_t k);
std::string topic_field_text(const dataset& d, std::size_t topic, std::size_t k);
/// A topic with fields, linked to topics before it.
ingest_request topic_request(const dataset& d, std::size_t t);
/// Through all stages, without a touch.
retrieve_request bundles_request(const dataset& d, std::size_t q, std::int64_t count);

} // namespace mneme::workloads
