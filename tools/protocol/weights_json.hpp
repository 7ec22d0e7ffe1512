#pragma once
/// Requests and answers about what searches of the world weigh by.

#include <span>

#include "mneme/requests.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> set_weights_keys() noexcept;
std::span<const key_shape> weights_keys() noexcept;

result<mutation> read_set_weights(const json& request, const json_path& at, fault_list faults = {});
json set_weights_result_json(const mutation_result& r);
result<json> run_weights(session& s, const json& request);

} // namespace mneme::protocol
