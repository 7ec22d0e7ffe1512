#pragma once
/// Forgetting and superseding by words: forget_matching, supersede_matching.

#include "mneme/selection.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> forget_matching_keys() noexcept;
std::span<const key_shape> supersede_matching_keys() noexcept;

/// Precondition of both: the shape was checked.
result<forget_matching_request> read_forget_matching(const json& request, const json_path& at);
result<supersede_matching_request> read_supersede_matching(const json& request,
                                                           const json_path& at);

result<json> run_forget_matching(session& s, const json& request);
result<json> run_supersede_matching(session& s, const json& request);

} // namespace mneme::protocol
