#include "tests/index/damage.hpp"

#include "index/image.hpp"

namespace mneme {

std::string with_checksum(std::string image) {
  // By its size alone: what it says of its length may have been changed, too.
  constexpr std::size_t page = 64 << 10;
  constexpr std::size_t sum = 4;
  constexpr std::size_t end = 8 + sum + 8;
  const std::size_t pages = (image.size() - end + page + sum - 1) / (page + sum);
  image.resize(image.size() - end - pages * sum);
  image_writer out;
  out.put_raw(image);
  return out.finish();
}

} // namespace mneme
