#include "tools/protocol/base64.hpp"

#include <limits>

#include <openssl/evp.h>

#include "messages/ensure.hpp"

namespace mneme::protocol {

namespace {

// OpenSSL counts in int, and its text is a third longer than the bytes.
constexpr std::size_t text_size_max = std::numeric_limits<int>::max() - 4;
constexpr std::size_t byte_size_max = text_size_max / 4 * 3;

std::unexpected<error> malformed() {
  return fail(errc::bad_value, "opaque bytes are written as base64 (RFC 4648, with padding)");
}

std::size_t padding_of(std::string_view text) {
  if (text.ends_with("==")) return 2;
  return text.ends_with('=') ? 1 : 0;
}

} // namespace

std::string to_base64(std::string_view bytes) {
  ensure(bytes.size() <= byte_size_max, "what is written as base64 is under 1.5 GiB");
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0'); // EVP ends it with a NUL
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > text_size_max) return malformed();
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  const std::size_t padding = padding_of(text);
  if (size < 0 || static_cast<std::size_t>(size) < padding) return malformed();
  bytes.resize(static_cast<std::size_t>(size) - padding);
  // EVP passes over white space at the ends, takes padding anywhere, and never looks at unused
  // bits.
  if (to_base64(bytes) != text) return malformed();
  return bytes;
}

} // namespace mneme::protocol
