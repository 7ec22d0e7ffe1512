#pragma once
/// The definition of a search, row by row over plain lists: what the engine must answer.

#include <map>
#include <string>
#include <vector>

#include "mneme/engine.hpp"

namespace mneme::testing {

/// A memory or chunk as it stands at one time.
struct naive_row {
  memory_id id;
  memory_type type{};
  std::string text; ///< that is indexed
  std::string path;
  std::string actor;
  bool is_public = false;
  bool tombstoned = false;
  std::optional<timestamp> past_since{}; ///< tombstoned as superseded then
  lifecycle state;
  std::vector<std::string> tags;
  std::vector<float> vector;
  double trust = 1;                   ///< its own
  std::optional<memory_id> reference; ///< replaces, promoted_to
  timestamp valid_from;
  std::optional<timestamp> valid_until;
  std::optional<timestamp> expires_at;
  timestamp created_at;
  timestamp updated_at;
};

struct naive_world {
  std::map<memory_id, naive_row> rows;
  std::map<std::pair<memory_id, memory_id>, bool> supersedes; ///< newer, older
  std::map<std::pair<memory_id, memory_id>, bool> derived;    ///< from the second
  std::map<std::pair<memory_id, memory_id>, bool> next;
  std::map<std::pair<memory_id, memory_id>, bool> answers; ///< among them
};

struct naive_hit {
  memory_id id;
  double score = 0;
  double raw = 0;
  std::optional<memory_id> older_of{};
};
struct naive_answer {
  std::vector<naive_hit> hits;
  leg_coverage memory;
  leg_coverage content;
};

naive_answer search_naively(const naive_world& world, const search_request& r,
                            const search_weights& w, timestamp now);

} // namespace mneme::testing
