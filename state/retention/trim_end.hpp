#pragma once
/// What the committer answers to a trim.

#include <cstdint>

#include "mneme/types.hpp"

namespace mneme {

struct trim_end {
  seq_no at; ///< its entry
  std::uint64_t journal_bytes = 0;
};

} // namespace mneme
