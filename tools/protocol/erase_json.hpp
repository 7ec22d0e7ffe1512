#pragma once
/// The op `erase` in JSON.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> erase_keys() noexcept;
result<json> run_erase(session& s, const json& request);

} // namespace mneme::protocol
