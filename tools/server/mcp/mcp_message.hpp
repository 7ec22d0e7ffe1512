#pragma once
/// JSON-RPC 2.0 as the Model Context Protocol uses it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/protocol/json_text.hpp"

namespace mneme::server {

using protocol::json;

enum class rpc_code : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  resource_not_found = -32002,
};

enum class rpc_kind : std::uint8_t { request, notification, response, invalid };

/// The id of a message: text or an integer; null where there is none.
json id_of(const json& message);
/// The same of text that is no JSON, or none that is taken: whoever asked waits for an answer to
/// its id, which may stand behind the mistake.
json id_of_unread(std::string_view text);
/// Of one that is too long, by its beginning and its end.
json id_of_ends(std::string_view head, std::string_view tail);

/// What a message is. A request has an id that is text or an integer.
rpc_kind kind_of(const json& message);

json rpc_result(const json& id, json result);
/// `id` is null where the message had none that could be read.
json rpc_error(const json& id, rpc_code code, std::string_view message);
json rpc_error(const json& id, rpc_code code, std::string_view message, json data);
json rpc_notification(std::string_view method, json params);

/// Sends a notification on the way to a response.
using notifier = std::function<void(const json& notification)>;

} // namespace mneme::server
