#include "tools/server/http/cross_origin.hpp"

#include <string>

namespace mneme::server {

namespace {

/// Headers that clients may send besides those of our own: a page says which it wants.
bool is_list_of_names(std::string_view text) {
  constexpr std::string_view characters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_, ";
  constexpr std::size_t most_bytes = 1'024;
  return !text.empty() && text.size() <= most_bytes
         && text.find_first_not_of(characters) == std::string_view::npos;
}

} // namespace

bool is_preflight(const http_request& head) {
  return head.method == "OPTIONS" && head.has_header("origin")
         && head.has_header("access-control-request-method");
}

http_response preflight_answer(const http_request& head, std::string_view methods) {
  http_response made{.status = 204};
  made.headers.emplace_back("Access-Control-Allow-Methods", methods);
  const auto wanted = head.header("access-control-request-headers");
  if (is_list_of_names(wanted)) made.headers.emplace_back("Access-Control-Allow-Headers", wanted);
  made.headers.emplace_back("Access-Control-Max-Age", "600");
  return made;
}

void admit_page(const http_request& head, http_response& made) {
  const auto origin = head.header("origin");
  if (origin.empty()) return;
  made.headers.emplace_back("Access-Control-Allow-Origin", origin);
  made.headers.emplace_back("Vary", "Origin");
  made.headers.emplace_back("Access-Control-Expose-Headers",
                            "Mcp-Session-Id, Retry-After, WWW-Authenticate");
}

} // namespace mneme::server
