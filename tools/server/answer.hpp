#pragma once
/// What a server answers: the JSON of the line protocol and the HTTP status that fits it.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tools/protocol/json_text.hpp"

namespace mneme::server {

using protocol::json;

struct answer {
  int status = 200;
  json body; ///< {"ok":true,…} or {"ok":false,"error":{…}}
};

/// 400 the request itself, 403 not allowed, 404 not there, 409 in conflict with what is there,
/// 413 too long, 422 understood and refused, 429 too often, 503 try again, 504 too late, 500 the
/// store.
int status_of(errc code) noexcept;
/// Seconds of a Retry-After header; 0 where a retry is of no use.
int retry_after_s(int status) noexcept;

answer done(json members); ///< adds ok
answer failed(const error& e);
answer answer_of(result<json> outcome);
/// A refusal of the server's own: unauthorized, forbidden, and those of HTTP.
answer refused(int status, std::string_view code, std::string_view message,
               std::string_view at = {});

bool is_ok(const answer& a) noexcept;

} // namespace mneme::server
