// Decoders take bytes from strangers: whatever these are, they answer, with corrupt or with a
// value whose encoding they are.
// Of: messages/codec/records.cpp, messages/codec/payload.cpp, messages/validate/item_parser.cpp

#include <random>

#include <catch2/catch.hpp>

#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"

using namespace mneme;

namespace {

constexpr int rounds = 40'000;

/// Random bytes that look like MessagePack: mostly tags of small maps, keys and short items.
std::string noise(std::mt19937_64& random) {
  std::string bytes;
  const std::size_t size = random() % 120;
  for (std::size_t i = 0; i < size; ++i) {
    switch (random() % 6) {
    case 0:
      bytes.push_back(static_cast<char>(0x80U + random() % 0x40));
      break;
    case 1:
      bytes.push_back(static_cast<char>(0xC0U + random() % 0x20));
      break;
    case 2:
      bytes.append("\xC4\x10").append(16, static_cast<char>(random()));
      break;
    case 3:
      bytes.append("\xC4\x20").append(32, static_cast<char>(random()));
      break;
    case 4:
      bytes.push_back(static_cast<char>(random() % 19));
      break;
    default:
      bytes.push_back(static_cast<char>(random()));
      break;
    }
  }
  if (!bytes.empty() && random() % 2 == 0) {
    // The start of a record: a map whose first pair is the schema version.
    bytes[0] = static_cast<char>(0x80U + random() % 16);
    bytes.insert(1, std::string("\x00\x01", 2));
  }
  return bytes;
}

template <class Decode>
void check_noise(Decode decode) {
  std::mt19937_64 random(20240229);
  int faults = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string bytes = noise(random);
    const auto value = decode(bytes);
    const bool is_right = value ? encode(*value) == bytes : value.error().code == errc::corrupt;
    faults += is_right ? 0 : 1;
  }
  CHECK(faults == 0);
}

} // namespace

TEST_CASE("noise never breaks a decoder") {
  SECTION("head") {
    check_noise(decode_head);
  }
  SECTION("version") {
    check_noise(decode_version);
  }
  SECTION("edge") {
    check_noise(decode_edge);
  }
  SECTION("header") {
    check_noise(decode_entry_header);
  }
  SECTION("manifest") {
    check_noise(decode_manifest);
  }
  for (const auto kind : {entry_kind::write, entry_kind::update, entry_kind::tombstone,
                          entry_kind::add_edge, entry_kind::find_late, entry_kind::snapshot})
    SECTION("payload of " + std::string(to_string(kind))) {
      check_noise([kind](std::string_view bytes) { return decode_entry_payload(kind, bytes); });
    }
}
