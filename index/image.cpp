#include "index/image.hpp"

#include <limits>

#include <zlib.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t name_bytes = 8;
constexpr std::size_t checksum_bytes = 4;

std::uint32_t checksum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

} // namespace

image_writer::image_writer(std::string_view name) {
  ensure(name.size() == name_bytes, "an image's name has 8 characters");
  bytes_.append(name);
}

void image_writer::put_text(std::string_view text) {
  ensure(text.size() <= std::numeric_limits<std::uint32_t>::max(), "a text is under 4 GiB");
  put(static_cast<std::uint32_t>(text.size()));
  put_raw(text);
}

std::string image_writer::finish() {
  put(checksum_of(bytes_));
  return std::move(bytes_);
}

result<image_reader> image_reader::open(std::string_view image, std::string_view name) {
  if (image.size() < name_bytes + checksum_bytes)
    return fail(errc::corrupt, "the image " + std::string(name) + " is too short");
  const std::string_view body = image.substr(0, image.size() - checksum_bytes);
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, image.data() + body.size(), sizeof checksum);
  if (checksum_of(body) != checksum)
    return fail(errc::corrupt,
                "the checksum of the image " + std::string(name) + " does not match");
  if (body.substr(0, name_bytes) != name)
    return fail(errc::corrupt, "this is not an image " + std::string(name));
  return image_reader(body.substr(name_bytes));
}

std::string_view image_reader::get_raw(std::size_t length) {
  if (!ok_ || length > rest_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view raw = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return raw;
}

std::uint64_t image_reader::get_count(std::size_t bytes_each) {
  const auto count = get<std::uint64_t>();
  if (ok_ && count > rest_.size() / bytes_each) ok_ = false;
  return ok_ ? count : 0;
}

} // namespace mneme
