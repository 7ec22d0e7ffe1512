#pragma once
/// Many writes as one step: all or none.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> batch_keys() noexcept;
/// Precondition: the shape was checked.
result<json> run_batch(session& s, const json& request);
/// Of a batch that is refused for `first`: that, or all that is wrong with its items if there is
/// more.
error batch_fault(const json& request, error first);

} // namespace mneme::protocol
