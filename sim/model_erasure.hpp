#pragma once
/// What an erasure of named memories comes to.

#include <vector>

#include "mneme/erasure.hpp"
#include "sim/model.hpp"
#include "sim/model_write.hpp"

namespace mneme::sim {

/// Fields of which none of the topics that have them is tombstoned.
std::vector<topic_field> erasable_fields(const model& state);

/// The entries that it has to make, with placeholders for what is drawn. Of ids alone.
std::vector<expected_entry> erasure_of(const model& state, const erase_request& r, timestamp now);

/// What it answers, but for its seq.
erase_result erase_answer_of(const model& state, const erase_request& r);

} // namespace mneme::sim
