#include "tools/import/derived_id.hpp"

#include "messages/hash.hpp"

namespace mneme::importing {

memory_id derived_id(std::string_view format, std::string_view source, std::string_view key,
                     timestamp at) {
  sha256 hash;
  for (const auto part : {std::string_view("mneme import"), format, source}) {
    hash.update_u64be(part.size()); // lengths in front: no two splits give the same bytes
    hash.update(part);
  }
  const digest d = hash.update(key).finish();
  memory_id id;
  auto ms = static_cast<std::uint64_t>(at.ns) / 1'000'000;
  for (std::size_t i = 6; i-- > 0; ms >>= 8) id.bytes[i] = static_cast<std::uint8_t>(ms & 0xFFU);
  std::copy_n(d.bytes.begin(), id.bytes.size() - 6, id.bytes.begin() + 6);
  return id;
}

} // namespace mneme::importing
