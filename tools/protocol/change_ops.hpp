#pragma once
/// The op `changes`: what was committed, as the change feed tells it. Precondition: the shape was
/// checked.

#include <span>

#include "mneme/changes.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> changes_keys() noexcept;

json change_json(const change& c);

result<json> run_changes(session& s, const json& request);

} // namespace mneme::protocol
