#pragma once
/// What a browser asks and is told before a page of another origin may read an answer (CORS). Of
/// origins that are served alone: host_rule has judged the request before.

#include <string_view>

#include "tools/server/http/http_message.hpp"

namespace mneme::server {

/// The question before the request itself, which shows no key.
bool is_preflight(const http_request& head);
/// `methods` of the route, as in the header Allow.
http_response preflight_answer(const http_request& head, std::string_view methods);
/// Lets the page that asked read the answer. Nothing is added where no page did.
void admit_page(const http_request& head, http_response& made);

} // namespace mneme::server
