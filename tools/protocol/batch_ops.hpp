#pragma once
/// Many writes as one step: all or none.

#include <span>

#include "messages/validate/fault_list.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> batch_keys() noexcept;
/// Precondition: the shape was checked.
result<json> run_batch(session& s, const json& request);
/// Of a batch that is refused for `first`: that, or all that is wrong with its items if there is
/// more. `known` are those that reading them does not tell.
error batch_fault(const json& request, error first, const fault_list& known = {});

} // namespace mneme::protocol
