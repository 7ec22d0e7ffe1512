#pragma once
/// The op tick: a whole round of a simulator in one request.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> tick_keys() noexcept;
/// An item whose values cannot be read fails alone, like one that the engine refuses.
result<json> run_tick(session& s, const json& request);

} // namespace mneme::protocol
