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

/// The short form of a memory on one line, quoted where nobody vouches for it.
std::string name_in_list(const protocol::json& memory);

/// At most `budget_tokens` of whole lines, with a last one that counts those that are left out; its
/// beginning where not even that fits. Without a line end behind the last line.
std::string within_budget(std::string text, std::size_t budget_tokens);

} // namespace mneme::server
