#include "tools/server/access/shared_request.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "tools/server/access/permission.hpp"
#include "tools/sharing/world_socket.hpp"

namespace mneme::server {

namespace {

std::unexpected<error> foreign() {
  return fail(errc::format_unsupported,
              "the process that has the world open speaks otherwise: is it of another version?");
}

/// Null where it is not there or of another type.
template <class T>
const T* member(const json& of, const char* key) {
  const auto at = of.find(key);
  return at == of.end() ? nullptr : at->get_ptr<const T*>();
}

result<json> object_of(std::string_view bytes) {
  auto parsed = protocol::parse_json(bytes);
  if (!parsed) return parsed;
  if (!parsed->is_object()) return foreign();
  return parsed;
}

} // namespace

std::string encode(const shared_request& request) {
  json client = json::object();
  if (!request.who.actor.empty()) client["actor"] = request.who.actor;
  if (request.who.read_only) client["read_only"] = true;
  return protocol::print({{"client", client}, {"op", request.op}, {"request", request.request}});
}

result<shared_request> decode_shared_request(std::string_view bytes) {
  auto whole = object_of(bytes);
  if (!whole) return propagate(whole);
  const auto* client = member<json::object_t>(*whole, "client");
  const auto* op = member<json::string_t>(*whole, "op");
  const auto request = whole->find("request");
  if (client == nullptr || op == nullptr || request == whole->end()) return foreign();
  shared_request read{.who = {}, .op = *op, .request = std::move(*request)};
  // What is said of a client and not understood here might have bound it.
  for (const auto& [key, value] : *client) {
    if (key == "actor" && value.is_string() && !value.get_ref<const std::string&>().empty())
      read.who.actor = value.get<std::string>();
    else if (key == "read_only" && value.is_boolean())
      read.who.read_only = value.get<bool>();
    else
      return foreign();
  }
  return read;
}

std::string encode(const answer& answered) {
  return protocol::print({{"status", answered.status}, {"body", answered.body}});
}

result<answer> decode_answer(std::string_view bytes) {
  // As long as an answer may be; what bounds requests is no bound for it.
  json whole = json::parse(bytes, nullptr, false);
  if (!whole.is_object()) return foreign();
  const auto* status = member<json::number_integer_t>(whole, "status");
  const auto body = whole.find("body");
  if (status == nullptr || body == whole.end() || !body->is_object()) return foreign();
  return answer{.status = static_cast<int>(*status), .body = std::move(*body)};
}

namespace {

errc code_named(std::string_view name) {
  for (std::uint8_t i = 1; !to_string(static_cast<errc>(i)).empty(); ++i)
    if (to_string(static_cast<errc>(i)) == name) return static_cast<errc>(i);
  return errc::io; // of the other process's own
}

std::string text_of(const json& object, const char* key) {
  const auto* text = member<json::string_t>(object, key);
  return text == nullptr ? std::string() : *text;
}

/// As error_json() has it.
error error_told(const json& told) {
  error e{code_named(text_of(told, "code")), text_of(told, "message"), text_of(told, "at"), {}};
  if (const auto* faults = member<json::array_t>(told, "faults"))
    for (const json& fault : *faults)
      if (fault.is_object())
        e.faults.push_back(
            {code_named(text_of(fault, "code")), text_of(fault, "message"), text_of(fault, "at")});
  return e;
}

} // namespace

result<json> outcome_of(answer answered) {
  const auto* ok = member<json::boolean_t>(answered.body, "ok");
  if (ok == nullptr) return foreign();
  if (*ok) {
    answered.body.erase("ok");
    return std::move(answered.body);
  }
  const auto told = answered.body.find("error");
  if (told == answered.body.end() || !told->is_object()) return foreign();
  return std::unexpected(error_told(*told));
}

std::string answer_shared(door& to, std::string_view bytes) {
  auto asked = decode_shared_request(bytes);
  if (!asked) return encode(failed(asked.error()));
  return encode(to.run(asked->who, asked->op, std::move(asked->request)));
}

std::optional<result<json>> ask_who_has(const std::string& directory, std::string_view op,
                                        json request) {
  auto stream = sharing::connect_to(directory);
  if (!stream) return std::nullopt;
  const shared_request asked{.who = {}, .op = std::string(op), .request = std::move(request)};
  if (!stream->send(encode(asked))) return std::nullopt;
  const bool changes_nothing = may_be_repeated(op, asked.request);
  auto bytes = stream->receive(most_answer_bytes);
  if (!bytes)
    return fail(changes_nothing ? errc::busy : errc::outcome_unknown, bytes.error().message);
  auto answered = decode_answer(*bytes);
  if (!answered) return propagate(answered);
  return outcome_of(std::move(*answered));
}

bool may_be_repeated(std::string_view op, const json& request) {
  json copy = request;
  return !narrow(copy, op, client{.read_only = true});
}

} // namespace mneme::server
