#include <charconv>

#include <fmt/format.h>

#include "mneme/types.hpp"

namespace mneme {

namespace {

constexpr std::string_view scheme = "mneme://";

/// Decimal without sign or leading zeros, 1 to 2^32 - 1.
std::optional<std::uint32_t> parse_version(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  std::uint32_t version = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return version;
}

} // namespace

std::string to_string(const memory_uri& uri) {
  return fmt::format("{}{}/{}#{}", scheme, to_string(uri.type), to_string(uri.id), uri.version);
}

result<memory_uri> parse_memory_uri(std::string_view text) {
  if (!text.starts_with(scheme)) return fail(errc::bad_uri, "a uri begins with mneme://");
  text.remove_prefix(scheme.size());
  const std::size_t slash = text.find('/');
  const std::size_t hash = text.find('#');
  if (slash == std::string_view::npos || hash == std::string_view::npos || hash < slash)
    return fail(errc::bad_uri, "a uri is mneme://<Type>/<ulid>#<version>");
  const auto type = parse_enum<memory_type>(text.substr(0, slash));
  if (!type) return fail(errc::bad_uri, "the uri names no known memory type");
  const auto id = parse_memory_id(text.substr(slash + 1, hash - slash - 1));
  if (!id) return fail(errc::bad_uri, "the uri has a malformed id: " + id.error().message);
  const auto version = parse_version(text.substr(hash + 1));
  if (!version) return fail(errc::bad_uri, "the version of a uri is a number of at least 1");
  return memory_uri{*type, *id, *version};
}

} // namespace mneme
