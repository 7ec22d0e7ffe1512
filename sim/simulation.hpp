#pragma once
/// One run: the real actors, step by step in a seeded order, with clients, faults and oracles. Same
/// seed, same run, whatever `steps` is: a longer run begins with the shorter one.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/check.hpp"
#include "sim/profile.hpp"

namespace mneme::sim {

struct run_options {
  std::uint64_t seed = 1;
  std::uint64_t steps = 5000;
  planted_bugs bugs;
  /// Numbers of the operations and faults to issue; absent = all of them. Leaving some out does not
  /// change how the others are drawn.
  std::optional<std::set<std::string>> only;
  bool keep_log = false;
};

struct run_report {
  std::optional<wrong_answer> failure; ///< oracle "progress": it went no further
  std::uint64_t failed_at_step = 0;

  // Equal in two runs with the same seed.
  std::uint64_t log_digest = 0;
  digest journal_digest;
  digest root;
  seq_no last;

  std::uint64_t operations = 0;
  std::uint64_t answers = 0;
  std::uint64_t errors = 0; ///< among the answers
  std::uint64_t crashes = 0;
  std::uint64_t lost_entries = 0; ///< relaxed or unanswered ones that a crash took
  std::vector<std::string> plan;  ///< "<number>: <what>", in order
  std::vector<std::string> log;
};

run_report simulate(const run_options& options);

} // namespace mneme::sim
