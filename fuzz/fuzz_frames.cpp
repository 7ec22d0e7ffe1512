// Journal segments: the head, frame prefixes and bodies, the entries in them. A fuzzer does not
// find checksums, so that the body's are made right before it is decoded.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <zlib.h>

#include "fuzz/property.hpp"
#include "journal/frame.hpp"
#include "messages/codec/entry.hpp"

namespace {

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The payload block with the checksum that each payload should have, as far as its lengths go.
std::string with_checksums(std::string block) {
  constexpr std::size_t state_bytes = 1;
  constexpr std::size_t number_bytes = 4;
  constexpr std::size_t head_bytes = state_bytes + 2 * number_bytes;
  for (std::size_t at = 0; at + head_bytes <= block.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, block.data() + at + state_bytes, number_bytes);
    if (length > block.size() - at - head_bytes) break;
    const auto crc = checksum(std::string_view(block).substr(at + head_bytes, length));
    std::memcpy(block.data() + at + state_bytes + number_bytes, &crc, number_bytes);
    at += head_bytes + length;
  }
  return block;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mneme;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size >= segment_head_bytes) (void)decode_segment_head(bytes.substr(0, segment_head_bytes));
  if (size >= frame_prefix_bytes) (void)decode_frame_prefix(bytes.substr(0, frame_prefix_bytes));
  if (size < 2) return 0;
  const std::string_view rest = bytes.substr(2);
  frame_prefix prefix;
  prefix.first_seq = seq_no{1};
  prefix.count = data[0] % 8U;
  prefix.header_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(data[1], rest.size()));
  const std::string_view headers = rest.substr(0, prefix.header_bytes);
  const std::string payloads = with_checksums(std::string(rest.substr(prefix.header_bytes)));
  prefix.payload_bytes = payloads.size();
  prefix.header_crc = checksum(headers);
  auto entries = decode_frame_body(prefix, headers, payloads);
  if (!entries) return 0;
  fuzz::require(entries->size() == prefix.count, "as many entries as the prefix says");
  for (auto& raw : *entries)
    (void)open_entry(std::move(raw.header), std::move(raw.payload), raw.erased);
  return 0;
}
