#pragma once
/// What one workload has come to.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mneme::workloads {

/// Where the error of a run is whose answer was not right; its message says which.
inline constexpr const char* wrong_answer = "answer";

/// One side of a workload: the engine, its floor, or what a user would take instead.
struct side_report {
  std::string name{}; ///< of the floor and the peer: what it is; empty: there is none
  std::size_t repetitions = 0;
  double p50_us = 0;
  double p99_us = 0;
  double per_second = 0; ///< of what the workload counts
  double right = 0;      ///< share of the answers that is right; of what is approximate: recall
  double bytes = 0;      ///< of a workload that measures room instead of time
};

struct measured {
  std::string name{};
  std::string what{};
  std::size_t size = 0; ///< memories
  side_report engine{};
  side_report floor{};
  side_report peer{};
  /// What else was found, by names that end in their unit: _us, _bytes, _percent; without one it is
  /// a number.
  std::vector<std::pair<std::string, double>> facts{};
};

/// What a side took: time, or room where that is measured.
double cost_of(const side_report& side);

// As people read them.
std::string time_text(double us);
std::string size_text(double bytes);
std::string cost_text(const side_report& side);
/// A fact, whose name says its unit.
std::string fact_text(const std::string& name, double value);

} // namespace mneme::workloads
