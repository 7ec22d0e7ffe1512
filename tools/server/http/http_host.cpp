#include "tools/server/http/http_host.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "messages/text/lower_case.hpp"

namespace mneme::server {

namespace {

bool parse_number(std::string_view text, int most, int& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size()
         && number >= 0 && number <= most;
}

} // namespace

result<listen_address> parse_listen(std::string_view text) {
  const auto colon = text.rfind(':');
  listen_address a;
  std::string_view host = colon == std::string_view::npos ? "" : text.substr(0, colon);
  if (host.starts_with('['))
    host = host.ends_with(']') ? host.substr(1, host.size() - 2) : std::string_view();
  else if (host.find(':') != std::string_view::npos)
    host = {};
  a.host = host;
  if (a.host.empty() || !parse_number(text.substr(colon + 1), 65535, a.port))
    return fail(errc::bad_value,
                fmt::format("\"{}\" is not HOST:PORT, such as 127.0.0.1:8765 or [::1]:8765", text),
                "listen");
  return a;
}

bool is_loopback(std::string_view host) noexcept {
  if (host == "localhost" || host == "::1") return true;
  int parts = 0;
  std::string_view rest = host;
  for (;;) {
    const auto dot = rest.find('.');
    int number = 0;
    if (!parse_number(rest.substr(0, dot), 255, number)) return false;
    if (parts == 0 && number != 127) return false;
    ++parts;
    if (dot == std::string_view::npos) return parts == 4;
    rest.remove_prefix(dot + 1);
  }
}

std::string host_of_header(std::string_view header) {
  if (header.starts_with('[')) {
    const auto end = header.find(']');
    const bool is_whole =
        end != std::string_view::npos && (end + 1 == header.size() || header[end + 1] == ':');
    return is_whole ? lower_ascii(header.substr(1, end - 1)) : "";
  }
  return lower_ascii(header.substr(0, header.find(':')));
}

std::string host_of_option(std::string_view text) {
  const bool is_bare_v6 = !text.starts_with('[') && std::ranges::count(text, ':') > 1;
  return is_bare_v6 ? lower_ascii(text) : host_of_header(text);
}

std::string host_of_origin(std::string_view origin) {
  const auto scheme = origin.find("://");
  if (scheme == std::string_view::npos) return {};
  return host_of_header(origin.substr(scheme + 3));
}

bool host_rule::admits(std::string_view host_header, std::string_view origin) const {
  const std::string host = host_of_header(host_header);
  const auto knows = [&](const std::string& name) {
    return std::ranges::find(allowed, name) != allowed.end()
           || (is_on_loopback && is_loopback(name));
  };
  const bool checks_host = is_on_loopback || !allowed.empty();
  if (checks_host && !knows(host)) return false;
  if (origin.empty()) return true;
  const std::string from = host_of_origin(origin);
  return !from.empty() && (knows(from) || (!is_on_loopback && from == host));
}

} // namespace mneme::server
