#pragma once
/// The op `trim` in JSON.

#include <span>

#include "mneme/retention.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> trim_keys() noexcept;
result<json> run_trim(session& s, const json& request);
json trim_answer(const trim_report& done, bool dry_run);

} // namespace mneme::protocol
