#pragma once
/// Several engines on one log, in one thread, in an order that the seed decides: each is a machine
/// of its own behind a network of its own, and they take the lead from each other while requests,
/// answers, processes, power, disks and time are lost. Same seed, same run.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/check.hpp"

namespace mneme::sim {

struct cluster_options {
  std::uint64_t seed = 1;
  std::uint64_t steps = 5000;
  std::size_t engines = 3; ///< 2 to 7
  /// Planted: an engine acknowledges before the log has the write.
  bool reply_before_publish = false;
  bool keep_log = false;
};

struct cluster_report {
  std::optional<wrong_answer> failure; ///< oracle "progress": it went no further
  std::uint64_t failed_at_step = 0;
  std::uint64_t log_digest = 0; ///< equal in two runs with the same seed
  std::string root;
  std::uint64_t last = 0; ///< seq
  std::uint64_t operations = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t refused = 0;
  std::uint64_t unknown = 0; ///< outcomes of writes
  std::uint64_t epochs = 0;
  std::uint64_t crashes = 0;
  std::uint64_t trims = 0;  ///< that were done
  std::uint64_t halted = 0; ///< replicas, where the log was not what it was
  std::vector<std::string> log;
};

cluster_report simulate_cluster(const cluster_options& options);

} // namespace mneme::sim
