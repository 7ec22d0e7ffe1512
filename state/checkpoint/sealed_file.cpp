#include "state/checkpoint/sealed_file.hpp"

#include "messages/ensure.hpp"
#include "messages/hash.hpp"

namespace mneme {

namespace {
constexpr std::size_t magic_bytes = 8;
constexpr std::size_t hash_bytes = 32;
} // namespace

std::string seal_file(std::string_view magic, std::string_view body) {
  ensure(magic.size() == magic_bytes, "a magic has eight bytes");
  std::string bytes(magic);
  bytes += body;
  bytes += sha256_of(bytes).raw();
  return bytes;
}

result<std::string_view> open_sealed_file(std::string_view magic, std::string_view bytes,
                                          std::string_view what) {
  if (bytes.size() < magic_bytes + hash_bytes || bytes.substr(0, magic_bytes) != magic)
    return fail(errc::corrupt, std::string(what) + " is not what it should be: wrong magic");
  const auto content = bytes.substr(0, bytes.size() - hash_bytes);
  if (sha256_of(content).raw() != bytes.substr(content.size()))
    return fail(errc::corrupt, std::string(what) + " is damaged: its checksum does not match");
  return content.substr(magic_bytes);
}

} // namespace mneme
