#pragma once
/// How long a request may run, through the deadline_ms that requests have anyway.

#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tools/protocol/json_text.hpp"

namespace mneme::server {

using protocol::json;

/// Gives a request of `op` (empty: it names its own), and the requests that it lists, a deadline of
/// `most_ms`, unless they ask for less. What no deadline stops (writes, which are whole or not at
/// all) is left as it is; so is what validation will refuse.
void limit_time(json& request, std::string_view op, std::int64_t most_ms);

} // namespace mneme::server
