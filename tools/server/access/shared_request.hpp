#pragma once
/// What goes through a world's socket: who asks and for what, and the answer. JSON with the keys
/// `client`, `op`, `request`, and `status`, `body`.

#include <optional>
#include <string>
#include <string_view>

#include "tools/server/access/door.hpp"

namespace mneme::server {

struct shared_request {
  client who;
  std::string op; ///< empty: the request names its own
  json request;
};

std::string encode(const shared_request& request);
result<shared_request> decode_shared_request(std::string_view bytes);

/// What a listener answers a client's bytes with.
std::string answer_shared(door& to, std::string_view bytes);

/// One request of the host's to the process that has the world in `directory` open; nullopt where
/// none answers. Where it ended before it had answered, or was stopped: busy of what changes
/// nothing, else outcome_unknown.
std::optional<result<json>> ask_who_has(const std::string& directory, std::string_view op,
                                        json request);

std::string encode(const answer& answered);
result<answer> decode_answer(std::string_view bytes);

/// Of one that came through a socket.
inline constexpr std::size_t most_answer_bytes = 1U << 30;

/// Whether it may be asked again by who does not know whether it was done: it changes nothing, or
/// the same again.
bool may_be_repeated(std::string_view op, const json& request);

/// The members of an answer without `ok`, or the error that it tells.
result<json> outcome_of(answer answered);

} // namespace mneme::server
