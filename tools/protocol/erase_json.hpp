#pragma once
/// The op `erase` in JSON.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> erase_keys() noexcept;
result<json> run_erase(session& s, const json& request);

/// As the op has it.
json erase_request_json(const erase_request& request);
/// What went, from the op's answer by another process; format_unsupported where it is no such
/// answer.
result<erase_result> read_erase_answer(const json& answer);

} // namespace mneme::protocol
