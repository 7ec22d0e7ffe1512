#include "tools/server/mcp/mcp_message.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tools/protocol/error_text.hpp"

namespace mneme::server {

namespace {

/// Walks over JSON without judging it.
class member_walk {
public:
  explicit member_walk(std::string_view text) : text_(text) {}

  /// The text of the value of the outermost object's member `name` that comes first; "" if none.
  std::string_view find(std::string_view name) {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '{' || c == '[') ++depth_;
      if (c == '}' || c == ']') --depth_;
      if (c != '"') continue;
      const auto quoted = string();
      if (depth_ != 1 || quoted != name || !skip_to_colon()) continue;
      return scalar();
    }
    return {};
  }

private:
  /// From one quotation mark to the other, which is where it stands then.
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
    return text_.substr(begin, std::min(at_, text_.size()) - begin);
  }
  bool skip_to_colon() {
    const auto next = text_.find_first_not_of(" \t\r\n", at_ + 1);
    if (next == std::string_view::npos || text_[next] != ':') return false;
    at_ = next;
    return true;
  }
  std::string_view scalar() {
    const auto begin = text_.find_first_not_of(" \t\r\n", at_ + 1);
    if (begin == std::string_view::npos) return {};
    if (text_[begin] != '"')
      return text_.substr(begin, text_.find_first_of(",}] \t\r\n", begin) - begin);
    at_ = begin;
    string();
    return text_.substr(begin, at_ + 1 - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

json id_of(const json& message) {
  if (!message.is_object()) return nullptr;
  const auto id = message.find("id");
  if (id == message.end() || (!id->is_string() && !id->is_number_integer())) return nullptr;
  return *id;
}

json id_of_unread(std::string_view text) {
  auto id = protocol::parse_json(member_walk(text).find("id"));
  return id && (id->is_string() || id->is_number_integer()) ? std::move(*id) : json(nullptr);
}

namespace {

/// Members behind one another at the very end of an object, the last first, are the object's own as
/// long as each is a scalar.
json id_at_end(std::string_view tail) {
  constexpr std::string_view blank = " \t\r\n";
  const auto trim = [&] {
    const auto last = tail.find_last_not_of(blank);
    tail = tail.substr(0, last == std::string_view::npos ? 0 : last + 1);
  };
  trim();
  if (!tail.ends_with('}')) return nullptr;
  tail.remove_suffix(1);
  for (int i = 0; i < 3; ++i) {
    trim();
    const auto comma = tail.rfind(',');
    if (comma == std::string_view::npos) return nullptr;
    const auto member = protocol::parse_json("{" + std::string(tail.substr(comma + 1)) + "}");
    if (!member || member->size() != 1 || member->begin()->is_structured()) return nullptr;
    if (member->contains("id")) return id_of(*member);
    tail = tail.substr(0, comma);
  }
  return nullptr;
}

} // namespace

json id_of_ends(std::string_view head, std::string_view tail) {
  json id = id_of_unread(head);
  return id.is_null() ? id_at_end(tail) : id;
}

rpc_kind kind_of(const json& message) {
  if (!message.is_object() || message.value("jsonrpc", json()) != "2.0") return rpc_kind::invalid;
  const bool has_id = message.contains("id");
  const bool has_method = message.contains("method") && message["method"].is_string();
  if (has_method && !has_id) return rpc_kind::notification;
  if (has_id && id_of(message).is_null()) return rpc_kind::invalid;
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
  json body{{"code", static_cast<int>(code)}, {"message", protocol::error_text(message)}};
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
