#pragma once
/// Answers as compact text for a model: one line for each result, uris included, within a budget.

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/protocol/json_text.hpp"

namespace mneme::server {

/// `answer` is that of an op that went well. A token counts as four bytes; what does not fit is
/// counted in a last line.
std::string compact_text(std::string_view op, const protocol::json& answer,
                         std::size_t budget_tokens);

/// At most `budget_tokens` of whole lines; of a single longer one its beginning.
std::string within_budget(const std::string& text, std::size_t budget_tokens);

} // namespace mneme::server
