#pragma once
/// What attest, compact and load_compact are refused for without a look at any state.

#include <cstddef>
#include <cstdint>

#include "mneme/agents.hpp"

namespace mneme {

inline constexpr std::size_t max_cited = 256;
inline constexpr std::size_t max_step_name_bytes = 256; ///< of an intent_id or a step_id
inline constexpr std::size_t max_compact_uris = 10'000; ///< of each list

/// In order: intent_id, cited, outcome, then sizes and UTF-8. Names of intents and steps are not
/// blank (missing_field).
result<void> validate(const attest_request& r);
result<void> validate(const compact_request& r);
result<void> validate(const load_compact_request& r);

} // namespace mneme
