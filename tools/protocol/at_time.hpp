#pragma once
/// `at`, a time, in place of `at_seq` wherever a request takes that: what was then, which is as of
/// the last entry at or before it.

#include <array>

#include "mneme/engine.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

/// Keys of a request that hold lists of requests.
inline constexpr std::array<const char*, 2> request_lists = {"items", "reads"};

/// The time that `at` says; who gives it a seq is told what takes one.
result<timestamp> read_moment(const json& value);
/// Does the request, or one in a list of it, say `at`?
bool names_a_time(const json& request);
/// Puts `at_seq` in place of every `at`. Precondition: the shape was checked.
result<void> resolve_times(engine& target, json& request, const json_path& at);

} // namespace mneme::protocol
