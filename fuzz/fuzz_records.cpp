// Canonical records: what decodes has no other encoding, and what does not is called corrupt, or of
// another format. The first byte chooses the record.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/property.hpp"
#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"

namespace {

using namespace mneme;

template <class Decode>
void check(Decode decode, std::string_view bytes) {
  const auto value = decode(bytes);
  if (value)
    fuzz::require(encode(*value) == bytes, "one value, one encoding");
  else
    fuzz::require(value.error().code == errc::corrupt
                      || value.error().code == errc::format_unsupported, // an unknown kind
                  "what is malformed is corrupt");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
  case 0:
    check(decode_head, bytes);
    break;
  case 1:
    check(decode_version, bytes);
    break;
  case 2:
    check(decode_edge, bytes);
    break;
  case 3:
    check(decode_manifest, bytes);
    break;
  case 4:
    check(decode_entry_header, bytes);
    break;
  default:
    // Kinds are numbered from 1; those that no payload belongs to are refused.
    check([kind = static_cast<entry_kind>(data[0] - 4)](
              std::string_view payload) { return decode_entry_payload(kind, payload); },
          bytes);
    break;
  }
  return 0;
}
