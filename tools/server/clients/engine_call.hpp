#pragma once
/// Requests to the engine on behalf of a client of another project, with statuses of HTTP.

#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tools/server/access/door.hpp"
#include "tools/server/clients/client_wire.hpp"
#include "tools/server/http/http_message.hpp"

namespace mneme::server {

/// Why a request of a client is not answered: by the engine, or by the mapping.
struct refusal {
  int status = 400;
  std::string code;
  std::string message;
};

template <class T>
using outcome = std::expected<T, refusal>;

std::unexpected<refusal> refuse_as(int status, std::string_view code, std::string message);
inline std::unexpected<refusal> bad_value(std::string message) {
  return refuse_as(400, "bad_value", std::move(message));
}
template <class T>
std::unexpected<refusal> propagate_refusal(outcome<T>& of) {
  return std::unexpected(std::move(of).error());
}

/// The engine as one client may use it.
class engine_call {
public:
  engine_call(door& to, const client& who) : to_(to), who_(who) {}

  /// The answer to a request that names its op, without `ok`.
  outcome<json> run(json request) const;
  /// All or none of them; as many lists of answers as there are items.
  outcome<json> batch(json items) const;
  /// The memories of these ids, in that order; what cannot be seen any more is left out.
  outcome<json> memories(const std::vector<std::string>& ids) const;
  /// What of the past is there as well.
  struct past_shown {
    bool ended = true;
    bool archived = false;
  };
  /// All memories that pass `where`, in the order of newest_first(), as of one moment. `visit` says
  /// whether to go on.
  outcome<void> for_each(const json& where, past_shown also,
                         const std::function<bool(const json& memory)>& visit) const;

  /// A namespace for names that a client gives: keys are unique in a world, and no actor shall
  /// meet the names of another.
  [[nodiscard]] std::string own(std::string_view name_space) const;

private:
  door& to_;
  const client& who_;
};

/// `order_by` of lists: by creation, then by id.
json newest_first();

/// The body of a request as an object; no body is an empty one.
outcome<json> body_of(const http_request& request);
/// What a wire answers a request with, given its body as an object.
http_response answer_on(const client_wire& wire, const http_request& request,
                        const std::function<outcome<json>(json body)>& answered);
/// A parameter, or "".
std::string parameter(const http_request& request, std::string_view name);

} // namespace mneme::server
