#pragma once
/// The same questions in plain C++ over arrays in memory.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workloads/dataset.hpp"

namespace mneme::workloads {

using rows = std::vector<std::uint32_t>;

/// The k nearest of `among` to a unit vector, nearest first.
rows nearest_of(const dataset& d, const float* vector, const rows& among, std::size_t k);
/// Rows of a tag and type in a span of time.
rows in_tag_type_time(const dataset& d, const query& q);
/// The best 20 of these by importance and age.
rows best_in_tag_type_time(const dataset& d, const query& q);
/// Rows within two hops that have the query's tag.
rows tagged_in_reach(const dataset& d, const query& q);

/// A file written ahead, as a journal is, to which blocks are written and synced.
class synced_file {
public:
  explicit synced_file(const std::string& path);
  ~synced_file();
  synced_file(const synced_file&) = delete;
  synced_file& operator=(const synced_file&) = delete;
  void append(std::size_t bytes);

private:
  int descriptor_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
};

} // namespace mneme::workloads
