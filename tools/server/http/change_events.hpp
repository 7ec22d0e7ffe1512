#pragma once
/// GET /v1/changes as server-sent events: each change is an event whose id is its seq, so that a
/// client that comes back says where it was (Last-Event-ID).

#include <functional>

#include "tools/server/access/gateway.hpp"
#include "tools/server/http/http_message.hpp"
#include "tools/server/http/stream_places.hpp"

namespace mneme::server {

/// A quiet stream says so often that it is there, and finds out whether its client is.
inline constexpr std::int64_t heartbeat_ms = 15'000;

/// `request` is that of the op; `may_go_on` is asked now and then whether `who` still has its
/// rights. Borrows `to` and `places`.
http_response change_events(gateway& to, stream_places& places, const client& who, json request,
                            std::function<bool()> may_go_on);

/// Whether the client wants events: unless it asks for JSON.
bool wants_events(const http_request& request);

} // namespace mneme::server
