#pragma once
/// The model of find: evaluates everything row by row from the plain history of a small_world, in
/// the simplest way that the rules can be written down. Shares with the engine only exp and log,
/// the cosine distance, and the parsing and printing of literals.

#include <optional>

#include "tests/query/find/small_world.hpp"

namespace mneme::testing {

struct naive_answer {
  std::vector<memory_id> ids;
  std::vector<double> scores;
  std::vector<double> distances;
  std::vector<std::int64_t> hops;
  std::vector<edge_key> via;
  std::vector<std::string> rendered;
  std::int64_t trimmed = 0;
  std::int64_t total = 0;
};

/// Precondition: the request is valid, its near is a vector (`near_query`) or absent.
naive_answer naive_find(const small_world& world, const find_request& request,
                        const std::optional<std::vector<float>>& near_query, timestamp now,
                        seq_no at);

/// A predicate on one state of a memory.
bool naive_test(const predicate& p, const head& h, const version& v);

} // namespace mneme::testing
