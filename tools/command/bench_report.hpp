#pragma once
/// What `mneme bench` prints: a table for people, or JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workloads/report.hpp"

namespace mneme::command {

/// With how a cost grows, where there are rows of several sizes.
std::string bench_table(const std::vector<workloads::measured>& all);
/// One line; `mneme help bench` says what is in it. `load` is that of the machine before.
std::string bench_json(const std::vector<workloads::measured>& all, std::uint64_t seed,
                       double load);

} // namespace mneme::command
