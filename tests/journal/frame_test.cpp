// The byte layout of frames and segment heads: pinned bytes, round trips, and that nothing damaged,
// oversized or newer gets through.
#include "journal/frame.hpp"

#include <rapidcheck.h>
#include <zlib.h>

#include "tests/journal/journal_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

digest filled(std::uint8_t fill) {
  digest d;
  d.bytes.fill(fill);
  return d;
}

std::vector<entry> two_entries() {
  return {raw_bytes_entry(seq_no{5}, "head one", "payload one"),
          raw_bytes_entry(seq_no{6}, "h2", "p2")};
}

encoded_frame two_entry_frame() {
  return encode_frame(two_entries(), seq_no{5}, false, filled(0x22), filled(0x33), seq_no{4});
}

result<std::vector<raw_entry>> decode_body(std::string_view bytes) {
  auto prefix = decode_frame_prefix(bytes);
  if (!prefix) return propagate(prefix);
  const auto body = bytes.substr(frame_prefix_bytes);
  return decode_frame_body(*prefix, body.substr(0, prefix->header_bytes),
                           body.substr(std::min<std::size_t>(prefix->header_bytes, body.size())));
}

/// `bytes` with `value` at `offset` (little-endian), and the CRC in the last four bytes of the
/// first `size` made to fit again.
template <class Integer>
std::string patched(std::string bytes, std::size_t offset, Integer value, std::size_t size) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes[offset + i] = static_cast<char>(value >> (8 * i));
  const auto crc =
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(size - 4));
  for (std::size_t i = 0; i < 4; ++i) bytes[size - 4 + i] = static_cast<char>(crc >> (8 * i));
  return bytes;
}

} // namespace

TEST_CASE("a segment head has these bytes", "[frame]") {
  segment_head head;
  for (std::size_t i = 0; i < 16; ++i) {
    head.world.bytes[i] = static_cast<std::uint8_t>(i);
    head.branch[i] = static_cast<std::uint8_t>(0xB0 + i);
  }
  head.first_seq = {7};
  head.previous_frame = filled(0x11);
  head.previous_segment = {3};
  const std::string golden =
      from_hex("4d4e534701000000000102030405060708090a0b0c0d0e0fb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
               "07000000000000001111111111111111111111111111111111111111111111111111111111111111"
               "030000000000000000000000b501b8f8");
  REQUIRE(golden.size() == segment_head_bytes);
  CHECK(encode(head) == golden);
  CHECK(decode_segment_head(golden).value() == head);
}

TEST_CASE("a frame and a seal have these bytes and hashes", "[frame]") {
  const auto frame = two_entry_frame();
  CHECK(frame.bytes
        == from_hex("4d4e465201000000050000000000000002000000120000001f00000000000000"
                    "2222222222222222222222222222222222222222222222222222222222222222"
                    "3333333333333333333333333333333333333333333333333333333333333333"
                    "040000000000000084d1bb772945d169"
                    "0800000068656164206f6e65020000006832"
                    "000b000000888d3f877061796c6f6164206f6e65"
                    "0002000000893a31a67032"));
  CHECK(to_hex(frame.hash) == "115c8643c2d3823c6b3768c17b08735c092838ea441cec6a841adccace0adf00");
  const auto seal = encode_frame({}, seq_no{7}, true, frame.hash, filled(0x44), seq_no{6});
  CHECK(seal.bytes
        == from_hex("4d4e4652010001000700000000000000000000000000000000000000000000"
                    "00115c8643c2d3823c6b3768c17b08735c092838ea441cec6a841adccace0adf"
                    "0044444444444444444444444444444444444444444444444444444444444444"
                    "4406000000000000000000000043b50232"));
  CHECK(to_hex(seal.hash) == "5351f4f1d6e95489b0e0f21acd751016070b96c5456b3db0b02615e99edd61f9");
}

TEST_CASE("frames come back as they were encoded", "[frame]") {
  CHECK(rc::check([](std::uint64_t seed, bool small) {
    const seq_no first{1 + seed % 1000};
    const auto entries = entries_of(seed, first, small ? 3 : 5000);
    const auto frame =
        encode_frame(entries, first, false, filled(1), filled(2), seq_no{first.value - 1});
    const auto prefix = decode_frame_prefix(frame.bytes);
    RC_ASSERT(prefix.has_value());
    RC_ASSERT(prefix->first_seq == first);
    RC_ASSERT(prefix->count == entries.size());
    RC_ASSERT(prefix->durable_through.value == first.value - 1);
    RC_ASSERT(frame_bytes(*prefix) == frame.bytes.size());
    RC_ASSERT(last_seq(*prefix).value == first.value + entries.size() - 1);
    const auto back = decode_body(frame.bytes);
    RC_ASSERT(back.has_value());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      RC_ASSERT((*back)[i].header == entries[i].header_bytes);
      RC_ASSERT((*back)[i].payload == entries[i].payload_bytes);
    }
    const std::string_view bytes = frame.bytes;
    RC_ASSERT(frame_hash(bytes.substr(0, frame_prefix_bytes),
                         bytes.substr(frame_prefix_bytes, prefix->header_bytes))
              == frame.hash);
  }));
}

TEST_CASE("every flipped bit and every missing byte is noticed", "[frame]") {
  const auto frame = two_entry_frame();
  for (std::size_t size = 0; size < frame.bytes.size(); ++size) {
    const auto cut = decode_body(frame.bytes.substr(0, size));
    REQUIRE_FALSE(cut);
    REQUIRE(cut.error().code == errc::corrupt);
  }
  segment_head head;
  head.first_seq = {1};
  const std::string head_bytes = encode(head);
  for (int bit = 0; bit < 8; ++bit) {
    for (std::size_t at = 0; at < frame.bytes.size(); ++at) {
      INFO("byte " << at << ", bit " << bit);
      std::string damaged = frame.bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const auto found = decode_body(damaged);
      REQUIRE_FALSE(found);
      REQUIRE(found.error().code == errc::corrupt);
    }
    for (std::size_t at = 0; at < head_bytes.size(); ++at) {
      std::string damaged = head_bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      REQUIRE(decode_segment_head(damaged).error().code == errc::corrupt);
    }
  }
  for (std::size_t size = 0; size < head_bytes.size(); ++size)
    REQUIRE(decode_segment_head(head_bytes.substr(0, size)).error().code == errc::corrupt);
}

TEST_CASE("a frame that lacks payloads has the hash of the frame that was written", "[frame]") {
  auto entries = two_entries();
  const auto whole = two_entry_frame();
  const auto prefix = decode_frame_prefix(whole.bytes).value();
  entries[0].payload = trimmed_payload{
      .bytes = static_cast<std::uint32_t>(entries[0].payload_bytes.size()), .by = {99}};
  entries[0].payload_bytes.clear();
  const auto frame = encode_frame(entries, prefix.first_seq, false, prefix.previous_frame,
                                  prefix.previous_root, prefix.durable_through);
  CHECK(frame.hash == whole.hash);
  const auto found = decode_frame_prefix(frame.bytes);
  REQUIRE(found);
  CHECK(found->trimmed_by == seq_no{99});
  CHECK(found->payload_bytes == prefix.payload_bytes);
  CHECK(frame_bytes(*found) == frame.bytes.size());
  CHECK(prefix_bytes(*found) == frame_prefix_bytes + trim_mark_bytes);
  const auto body_of = [](std::string_view bytes) -> result<std::vector<raw_entry>> {
    auto p = decode_frame_prefix(bytes);
    if (!p) return propagate(p);
    if (bytes.size() < frame_bytes(*p)) return fail(errc::corrupt, "cut");
    const auto body = bytes.substr(prefix_bytes(*p));
    return decode_frame_body(*p, body.substr(0, p->header_bytes), body.substr(p->header_bytes));
  };
  const auto back = body_of(frame.bytes);
  REQUIRE(back);
  REQUIRE((*back)[0].trimmed);
  CHECK((*back)[0].payload.empty());
  CHECK_FALSE((*back)[1].trimmed);
  CHECK((*back)[1].payload == entries[1].payload_bytes);
  CHECK(frame_hash(*found,
                   std::string_view(frame.bytes).substr(prefix_bytes(*found), found->header_bytes))
        == whole.hash);
  for (std::size_t size = 0; size < frame.bytes.size(); ++size)
    REQUIRE_FALSE(body_of(frame.bytes.substr(0, size)));
  for (std::size_t at = 0; at < frame.bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      INFO("byte " << at << ", bit " << bit);
      std::string damaged = frame.bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      REQUIRE_FALSE(body_of(damaged));
    }
}

TEST_CASE("a newer format is refused as such", "[frame]") {
  const auto newer = patched(two_entry_frame().bytes, 4, std::uint16_t{3}, frame_prefix_bytes);
  CHECK(decode_frame_prefix(newer).error().code == errc::format_unsupported);
  segment_head head;
  head.first_seq = {1};
  const auto newer_head = patched(encode(head), 4, std::uint16_t{2}, segment_head_bytes);
  CHECK(decode_segment_head(newer_head).error().code == errc::format_unsupported);
}

TEST_CASE("impossible sizes are refused before anything is allocated", "[frame]") {
  const std::string good = two_entry_frame().bytes;
  const auto refused = [&](std::size_t offset, auto value) {
    const auto prefix = decode_frame_prefix(patched(good, offset, value, frame_prefix_bytes));
    return !prefix && prefix.error().code == errc::corrupt;
  };
  CHECK(refused(6, std::uint16_t{2}));        // an unknown flag
  CHECK(refused(6, std::uint16_t{1}));        // a seal with entries
  CHECK(refused(8, std::uint64_t{0}));        // first seq
  CHECK(refused(8, ~std::uint64_t{0}));       // a seq that overflows
  CHECK(refused(16, std::uint32_t{0}));       // no entries, no seal
  CHECK(refused(16, std::uint32_t{5}));       // more entries than the header block has room for
  CHECK(refused(16, ~std::uint32_t{0}));      // over the entry limit
  CHECK(refused(20, std::uint32_t{7}));       // too small for two entries
  CHECK(refused(20, ~std::uint32_t{0}));      // over the size limit
  CHECK(refused(24, std::uint64_t{17}));      // too small for two entries
  CHECK(refused(24, ~std::uint64_t{0}));      // would wrap around
  CHECK(refused(24, max_frame_bytes));        // over the limit with the rest
  CHECK(refused(24, std::uint64_t{1} << 63)); // would wrap around
  CHECK(refused(96, std::uint64_t{5}));       // durable before it was written
  CHECK_FALSE(refused(96, std::uint64_t{0}));
  CHECK_FALSE(refused(24, max_frame_bytes / 2));
}

TEST_CASE("lengths inside the blocks are checked against the blocks", "[frame]") {
  const auto entries = two_entries();
  const auto frame = two_entry_frame();
  const auto prefix = decode_frame_prefix(frame.bytes).value();
  const auto body = frame.bytes.substr(frame_prefix_bytes);
  std::string headers = body.substr(0, prefix.header_bytes);
  std::string payloads = body.substr(prefix.header_bytes);
  const auto decode = [&](const std::string& h, const std::string& p) {
    auto fitting = prefix;
    fitting.header_bytes = static_cast<std::uint32_t>(h.size());
    fitting.payload_bytes = p.size();
    fitting.header_crc = static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(h.data()), static_cast<uInt>(h.size())));
    return decode_frame_body(fitting, h, p);
  };
  CHECK(decode(headers, payloads));
  for (const std::uint32_t wrong : {0U, 7U, 9U, 200U, 0xFFFFFFFFU}) {
    std::string h = headers;
    std::string p = payloads;
    for (std::size_t i = 0; i < 4; ++i) {
      h[i] = static_cast<char>(wrong >> (8 * i));
      p[1 + i] = static_cast<char>(wrong >> (8 * i));
    }
    CHECK(decode(h, payloads).error().code == errc::corrupt);
    CHECK(decode(headers, p).error().code == errc::corrupt);
  }
  CHECK(decode(headers + "x", payloads).error().code == errc::corrupt);
  CHECK(decode(headers, payloads + "x").error().code == errc::corrupt);
}

TEST_CASE("an erased payload is zeros, and does not change the frame's hash", "[frame]") {
  const auto frame = two_entry_frame();
  const std::size_t first_payload = frame_prefix_bytes + 18;
  std::string erased = frame.bytes;
  erased[first_payload] = 1;
  CHECK(decode_body(erased).error().code == errc::corrupt);
  for (std::size_t i = 0; i < 11; ++i) erased[first_payload + 9 + i] = '\0';
  const auto back = decode_body(erased);
  REQUIRE(back);
  CHECK((*back)[0].erased);
  CHECK((*back)[0].header == "head one");
  CHECK((*back)[0].payload == std::string(11, '\0'));
  CHECK((*back)[1].payload == "p2");
  CHECK_FALSE((*back)[1].erased);
  const std::string_view bytes = erased;
  CHECK(frame_hash(bytes.substr(0, frame_prefix_bytes), bytes.substr(frame_prefix_bytes, 18))
        == frame.hash);
}
