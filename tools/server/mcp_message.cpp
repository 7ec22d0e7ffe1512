#include "tools/server/mcp_message.hpp"

#include <nlohmann/json.hpp>

namespace mneme::server {

rpc_kind kind_of(const json& message) {
  if (!message.is_object() || message.value("jsonrpc", json()) != "2.0") return rpc_kind::invalid;
  const bool has_id = message.contains("id");
  const bool has_method = message.contains("method") && message["method"].is_string();
  if (has_method && !has_id) return rpc_kind::notification;
  if (has_id && !message["id"].is_string() && !message["id"].is_number_integer())
    return rpc_kind::invalid;
  if (has_method) return rpc_kind::request;
  return message.contains("result") || message.contains("error") ? rpc_kind::response
                                                                 : rpc_kind::invalid;
}

json rpc_result(const json& id, json result) {
  json message{{"jsonrpc", "2.0"}};
  message["id"] = id;
  message["result"] = std::move(result);
  return message;
}

json rpc_error(const json& id, rpc_code code, std::string_view message) {
  return rpc_error(id, code, message, json());
}

json rpc_error(const json& id, rpc_code code, std::string_view message, json data) {
  json body{{"code", static_cast<int>(code)}, {"message", message}};
  if (!data.is_null()) body["data"] = std::move(data);
  json answer{{"jsonrpc", "2.0"}};
  answer["id"] = id;
  answer["error"] = std::move(body);
  return answer;
}

json rpc_notification(std::string_view method, json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

} // namespace mneme::server
