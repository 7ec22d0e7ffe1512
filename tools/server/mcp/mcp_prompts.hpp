#pragma once
/// Prompts that a client can offer to its user.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tools/protocol/json_text.hpp"

namespace mneme::server {

using protocol::json;

/// For prompts/list.
const json& prompts();

/// What a prompt asks the engine first, so that the answer stands in its text; null op: nothing.
struct prompt_request {
  json request;     ///< with op; null: none
  std::string text; ///< "{}" where the answer goes
};
/// Nullopt: there is no such prompt. The error names a missing argument.
std::optional<result<prompt_request>> prompt_of(std::string_view name, const json& arguments);

} // namespace mneme::server
