#include "tests/index/damage.hpp"

#include <cstring>
#include <zlib.h>

namespace mneme {

std::string with_checksum(std::string image) {
  const std::size_t body = image.size() - 4;
  const auto checksum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(image.data()), body));
  std::memcpy(image.data() + body, &checksum, sizeof checksum);
  return image;
}

} // namespace mneme
