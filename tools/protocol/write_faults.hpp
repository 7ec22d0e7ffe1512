#pragma once
/// All that is wrong with a write, told as one error: what has another shape, what cannot be read,
/// and which rules the rest is against.

#include "messages/validate/fault_list.hpp"
#include "mneme/requests.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/op_table.hpp"

namespace mneme::protocol {

/// What has been read, or all that is wrong with it. Only what has a fault already is held against
/// the rules here: the engine does it with what it is given.
result<mutation> finish_write(fault_list faults, mutation read, const json_path& at);

/// Of a request whose shape has `faults`, the others too. Precondition: the op has a `read`.
error with_other_faults(const op_spec& op, const json& request, const json_path& at,
                        fault_list faults);

/// What is wrong with a write, whatever it is; nothing if it is a write that the engine can be
/// asked. `faults` are known already. Precondition: the op has a `read`.
std::optional<error> fault_of_write(const op_spec& op, const json& request, const json_path& at,
                                    fault_list faults = {});

} // namespace mneme::protocol
