#include "storage/checksum.hpp"

#include <wiredtiger.h>

namespace mneme {

std::uint32_t crc32c(std::string_view bytes) {
  static const auto checksum = wiredtiger_crc32c_func();
  return checksum(bytes.data(), bytes.size());
}

} // namespace mneme
