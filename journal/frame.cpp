#include "journal/frame.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "messages/ensure.hpp"
#include "messages/hash.hpp"

namespace mneme {

namespace {

// Read as text in a dump: "MNSG" and "MNFR".
constexpr std::uint32_t segment_magic = 0x47534E4D;
constexpr std::uint32_t frame_magic = 0x52464E4D;
constexpr std::uint16_t seal_flag = 1;
constexpr std::size_t crc_bytes = 4;
constexpr std::size_t header_entry_bytes = 4; // u32 length

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class Integer>
void put(std::string& out, Integer v) {
  for (std::size_t i = 0; i < sizeof v; ++i) out.push_back(static_cast<char>(v >> (8 * i)));
}

/// Takes fixed-size values off the front. Precondition: they are there; the caller checked.
class byte_reader {
public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  template <class Integer>
  Integer take() {
    std::uint64_t v = 0;
    const auto bytes = take_bytes(sizeof(Integer));
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      v |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return static_cast<Integer>(v);
  }
  template <std::size_t Size>
  void take_into(std::array<std::uint8_t, Size>& out) {
    const auto bytes = take_bytes(Size);
    std::copy(bytes.begin(), bytes.end(), out.begin());
  }
  std::string_view take_bytes(std::size_t size) {
    ensure(size <= rest_.size(), "bytes are read after their number was checked");
    const auto front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

private:
  std::string_view rest_;
};

template <std::size_t Size>
std::string_view raw(const std::array<std::uint8_t, Size>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), Size};
}

std::uint32_t length_of(std::string_view bytes) {
  ensure(bytes.size() <= std::numeric_limits<std::uint32_t>::max(),
         "an entry's part is smaller than 4 GiB");
  return static_cast<std::uint32_t>(bytes.size());
}

std::string encode_prefix(const frame_prefix& p, std::uint16_t format) {
  std::string out;
  out.reserve(frame_prefix_bytes);
  put(out, frame_magic);
  put(out, format);
  put(out, static_cast<std::uint16_t>(p.seal ? seal_flag : 0));
  put(out, p.first_seq.value);
  put(out, p.count);
  put(out, p.header_bytes);
  put(out, p.payload_bytes);
  out += p.previous_frame.raw();
  out += p.previous_root.raw();
  put(out, p.durable_through.value);
  put(out, p.header_crc);
  put(out, crc_of(out));
  ensure(out.size() == frame_prefix_bytes, "a frame prefix has a fixed size");
  return out;
}

std::string encode_mark(const frame_prefix& p) {
  std::string out;
  put(out, p.stored_bytes);
  put(out, p.trimmed_by.value);
  put(out, crc_of(out));
  ensure(out.size() == trim_mark_bytes, "the mark of a trim has a fixed size");
  return out;
}

std::unexpected<error> damaged(std::string_view what) {
  return fail(errc::corrupt, std::string(what));
}

/// Fields whose CRC matches but which no writer of this format makes.
result<void> check_bounds(const frame_prefix& p, std::uint16_t flags) {
  if ((flags & ~seal_flag) != 0) return damaged("unknown flags in a frame prefix");
  if (p.first_seq.value == 0
      || p.first_seq.value > std::numeric_limits<std::uint64_t>::max() - p.count)
    return damaged("impossible first seq in a frame prefix");
  if (p.durable_through >= p.first_seq) return damaged("impossible durable seq in a frame prefix");
  if (p.seal != (p.count == 0)) return damaged("only a seal frame has no entries");
  if (p.count > max_frame_entries || p.payload_bytes > max_frame_bytes
      || frame_bytes(p) > max_frame_bytes)
    return damaged("a frame over the size limit");
  if (p.header_bytes < std::uint64_t{p.count} * header_entry_bytes
      || p.payload_bytes < std::uint64_t{p.count} * payload_entry_bytes
      || (p.seal && (p.header_bytes != 0 || p.payload_bytes != 0)))
    return damaged("block sizes that do not fit the entry count");
  return {};
}

/// What stands behind the prefix of a frame that lacks payloads.
result<void> decode_mark(std::string_view bytes, frame_prefix& p) {
  if (bytes.size() < trim_mark_bytes) return damaged("a short frame prefix");
  bytes = bytes.substr(0, trim_mark_bytes);
  byte_reader in(bytes);
  p.stored_bytes = in.take<std::uint64_t>();
  p.trimmed_by = {in.take<std::uint64_t>()};
  if (in.take<std::uint32_t>() != crc_of(bytes.substr(0, trim_mark_bytes - crc_bytes)))
    return damaged("the mark of a trim with a wrong checksum");
  if (p.seal || p.trimmed_by < p.first_seq || p.trimmed_by <= last_seq(p)
      || p.stored_bytes > p.payload_bytes
      || p.stored_bytes < std::uint64_t{p.count} * payload_entry_bytes)
    return damaged("impossible values in the mark of a trim");
  return {};
}

} // namespace

std::uint64_t frame_bytes(const frame_prefix& p) {
  return prefix_bytes(p) + p.header_bytes + stored_payload_bytes(p);
}

std::size_t prefix_bytes(const frame_prefix& p) {
  return frame_prefix_bytes + (p.trimmed_by.value == 0 ? 0 : trim_mark_bytes);
}

std::uint64_t stored_payload_bytes(const frame_prefix& p) {
  return p.trimmed_by.value == 0 ? p.payload_bytes : p.stored_bytes;
}

seq_no last_seq(const frame_prefix& p) {
  return {p.first_seq.value + p.count - 1};
}

std::string_view frame_magic_bytes() {
  return "MNFR";
}

std::string encode(const segment_head& head) {
  std::string out;
  put(out, segment_magic);
  put(out, journal_format);
  put(out, std::uint16_t{0});
  out += head.world.raw();
  out += raw(head.branch);
  put(out, head.first_seq.value);
  out += head.previous_frame.raw();
  put(out, head.previous_segment.value);
  put(out, std::uint32_t{0});
  put(out, crc_of(out));
  ensure(out.size() == segment_head_bytes, "a segment head has a fixed size");
  return out;
}

result<segment_head> decode_segment_head(std::string_view bytes) {
  if (bytes.size() < segment_head_bytes) return damaged("a short segment head");
  bytes = bytes.substr(0, segment_head_bytes);
  byte_reader in(bytes);
  if (in.take<std::uint32_t>() != segment_magic) return damaged("not a segment head");
  // Size and place of the CRC are the same in all formats, so that damage is not taken for one.
  byte_reader crc(bytes.substr(segment_head_bytes - crc_bytes));
  if (crc.take<std::uint32_t>() != crc_of(bytes.substr(0, segment_head_bytes - crc_bytes)))
    return damaged("a segment head with a wrong checksum");
  const auto format = in.take<std::uint16_t>();
  if (format != journal_format)
    return fail(errc::format_unsupported,
                fmt::format("journal format {}; this program reads {}", format, journal_format));
  const auto reserved = in.take<std::uint16_t>();
  segment_head head;
  in.take_into(head.world.bytes);
  in.take_into(head.branch);
  head.first_seq = {in.take<std::uint64_t>()};
  in.take_into(head.previous_frame.bytes);
  head.previous_segment = {in.take<std::uint64_t>()};
  if (reserved != 0 || in.take<std::uint32_t>() != 0 || head.first_seq.value == 0)
    return damaged("impossible values in a segment head");
  return head;
}

encoded_frame encode_frame(std::span<const entry> entries, seq_no first_seq, bool seal,
                           const digest& previous_frame, const digest& previous_root,
                           seq_no durable_through) {
  ensure(entries.size() <= max_frame_entries, "a frame holds a bounded number of entries");
  ensure(seal == entries.empty(), "a seal, and nothing else, is a frame without entries");
  ensure(durable_through < first_seq, "a frame is not durable before it is written");
  std::string header_block;
  std::uint64_t payload_bytes = 0;
  std::uint64_t stored_bytes = 0;
  seq_no trimmed_by;
  for (const auto& e : entries) {
    put(header_block, length_of(e.header_bytes));
    header_block += e.header_bytes;
    stored_bytes += payload_entry_bytes + e.payload_bytes.size();
    const auto* dropped = std::get_if<trimmed_payload>(&e.payload);
    payload_bytes +=
        payload_entry_bytes + (dropped != nullptr ? dropped->bytes : e.payload_bytes.size());
    if (dropped != nullptr) trimmed_by = std::max(trimmed_by, dropped->by);
  }
  const frame_prefix prefix{.seal = seal,
                            .first_seq = first_seq,
                            .count = static_cast<std::uint32_t>(entries.size()),
                            .header_bytes = length_of(header_block),
                            .payload_bytes = payload_bytes,
                            .previous_frame = previous_frame,
                            .previous_root = previous_root,
                            .durable_through = durable_through,
                            .header_crc = crc_of(header_block),
                            .trimmed_by = trimmed_by,
                            .stored_bytes = trimmed_by.value == 0 ? 0 : stored_bytes};
  encoded_frame frame;
  if (trimmed_by.value == 0)
    frame.bytes = encode_prefix(prefix, journal_format);
  else
    frame.bytes = encode_prefix(prefix, trimmed_frame_format) + encode_mark(prefix);
  frame.bytes.reserve(frame_bytes(prefix));
  frame.bytes += header_block;
  frame.hash = frame_hash(prefix, header_block);
  frame.payloads_at = frame.bytes.size();
  for (const auto& e : entries) {
    // A copy of a journal has what was erased in it as it is there: so many zeros.
    if (const auto* dropped = std::get_if<trimmed_payload>(&e.payload)) {
      frame.bytes.push_back(static_cast<char>(payload_state::trimmed));
      put(frame.bytes, dropped->bytes);
      put(frame.bytes, std::uint32_t{0});
      continue;
    }
    const bool is_erased = std::holds_alternative<erased_payload>(e.payload);
    frame.bytes.push_back(
        static_cast<char>(is_erased ? payload_state::erased : payload_state::live));
    put(frame.bytes, length_of(e.payload_bytes));
    put(frame.bytes, crc_of(e.payload_bytes));
    frame.bytes += e.payload_bytes;
  }
  ensure(frame.bytes.size() == frame_bytes(prefix), "a frame is as long as its prefix says");
  return frame;
}

result<frame_prefix> decode_frame_prefix(std::string_view bytes) {
  if (bytes.size() < frame_prefix_bytes) return damaged("a short frame prefix");
  const std::string_view behind = bytes.substr(frame_prefix_bytes);
  bytes = bytes.substr(0, frame_prefix_bytes);
  byte_reader in(bytes);
  if (in.take<std::uint32_t>() != frame_magic) return damaged("not a frame prefix");
  byte_reader crc(bytes.substr(frame_prefix_bytes - crc_bytes));
  if (crc.take<std::uint32_t>() != crc_of(bytes.substr(0, frame_prefix_bytes - crc_bytes)))
    return damaged("a frame prefix with a wrong checksum");
  const auto format = in.take<std::uint16_t>();
  if (format != journal_format && format != trimmed_frame_format)
    return fail(errc::format_unsupported,
                fmt::format("journal format {}; this program reads {} and {}", format,
                            journal_format, trimmed_frame_format));
  const auto flags = in.take<std::uint16_t>();
  frame_prefix p;
  p.seal = (flags & seal_flag) != 0;
  p.first_seq = {in.take<std::uint64_t>()};
  p.count = in.take<std::uint32_t>();
  p.header_bytes = in.take<std::uint32_t>();
  p.payload_bytes = in.take<std::uint64_t>();
  in.take_into(p.previous_frame.bytes);
  in.take_into(p.previous_root.bytes);
  p.durable_through = {in.take<std::uint64_t>()};
  p.header_crc = in.take<std::uint32_t>();
  if (format == trimmed_frame_format)
    if (auto ok = decode_mark(behind, p); !ok) return propagate(ok);
  if (auto ok = check_bounds(p, flags); !ok) return propagate(ok);
  return p;
}

namespace {

result<void> decode_headers(const frame_prefix& prefix, std::string_view block,
                            std::vector<raw_entry>& entries) {
  if (block.size() != prefix.header_bytes) return damaged("a short header block");
  if (crc_of(block) != prefix.header_crc) return damaged("a header block with a wrong checksum");
  byte_reader in(block);
  for (auto& e : entries) {
    if (in.left() < header_entry_bytes) return damaged("a header block that ends early");
    const auto length = in.take<std::uint32_t>();
    if (in.left() < length) return damaged("a header block that ends early");
    e.header = in.take_bytes(length);
  }
  if (in.left() != 0) return damaged("a header block with more than its entries");
  return {};
}

result<void> decode_payload(byte_reader& in, seq_no trimmed_by, raw_entry& e) {
  if (in.left() < payload_entry_bytes) return damaged("a payload block that ends early");
  const auto state = in.take<std::uint8_t>();
  const auto length = in.take<std::uint32_t>();
  const auto crc = in.take<std::uint32_t>();
  if (state == static_cast<std::uint8_t>(payload_state::trimmed) && trimmed_by.value != 0) {
    if (crc != 0) return damaged("a trimmed payload with a checksum");
    e.trimmed = trimmed_payload{.bytes = length, .by = trimmed_by};
    return {};
  }
  if (in.left() < length) return damaged("a payload block that ends early");
  const auto bytes = in.take_bytes(length);
  if (state == static_cast<std::uint8_t>(payload_state::erased)) {
    // An erased payload has no checksum of its own; without this, one flipped bit in the state
    // would pass a live one for erased.
    if (bytes.find_first_not_of('\0') != std::string_view::npos)
      return damaged("an erased payload that still has content");
    e.erased = true;
  } else if (state != static_cast<std::uint8_t>(payload_state::live)) {
    return damaged("a payload in an unknown state");
  } else if (crc != crc_of(bytes)) {
    return damaged("a payload with a wrong checksum");
  }
  e.payload = bytes;
  return {};
}

/// The payload block as it was written was as long as the prefix says.
bool was_as_long(const frame_prefix& prefix, std::span<const raw_entry> entries) {
  std::uint64_t bytes = 0;
  for (const auto& e : entries)
    bytes += payload_entry_bytes + (e.trimmed ? e.trimmed->bytes : e.payload.size());
  return bytes == prefix.payload_bytes;
}

} // namespace

result<std::vector<raw_entry>> decode_frame_body(const frame_prefix& prefix,
                                                 std::string_view header_block,
                                                 std::string_view payload_block) {
  ensure(prefix.count <= max_frame_entries, "a prefix that was decoded is within its bounds");
  std::vector<raw_entry> entries(prefix.count);
  if (auto ok = decode_headers(prefix, header_block, entries); !ok) return propagate(ok);
  if (payload_block.size() != stored_payload_bytes(prefix)) return damaged("a short payload block");
  byte_reader in(payload_block);
  for (auto& e : entries)
    if (auto ok = decode_payload(in, prefix.trimmed_by, e); !ok) return propagate(ok);
  if (in.left() != 0) return damaged("a payload block with more than its entries");
  if (!was_as_long(prefix, entries)) return damaged("payloads of other lengths than were written");
  return entries;
}

bool lacks_payload(const raw_entry& raw) {
  return raw.erased || raw.trimmed.has_value();
}

bool has_dropped(const trim_payload& trim, const frame_prefix& prefix,
                 std::span<const raw_entry> entries) {
  seq_no seq = prefix.first_seq;
  for (const raw_entry& raw : entries) {
    if (!lacks_payload(raw) && trim.drops(seq)) return true;
    seq = seq.next();
  }
  return false;
}

encoded_frame frame_without(const journaled_trim& by, const frame_prefix& prefix,
                            std::span<const raw_entry> raws) {
  ensure(raws.size() == prefix.count, "a frame has the entries that its prefix counts");
  std::vector<entry> entries;
  entries.reserve(raws.size());
  seq_no seq = prefix.first_seq;
  for (const raw_entry& raw : raws) {
    entry& e = entries.emplace_back();
    e.header_bytes = raw.header;
    if (raw.trimmed) {
      e.payload = *raw.trimmed;
    } else if (!raw.erased && by.trim.drops(seq)) {
      e.payload =
          trimmed_payload{.bytes = static_cast<std::uint32_t>(raw.payload.size()), .by = by.at};
    } else {
      if (raw.erased) e.payload = erased_payload{};
      e.payload_bytes = raw.payload;
    }
    seq = seq.next();
  }
  return encode_frame(entries, prefix.first_seq, prefix.seal, prefix.previous_frame,
                      prefix.previous_root, prefix.durable_through);
}

digest frame_hash(std::string_view prefix, std::string_view header_block) {
  sha256 hash;
  return hash.update(prefix).update(header_block).finish();
}

digest frame_hash(const frame_prefix& prefix, std::string_view header_block) {
  return frame_hash(encode_prefix(prefix, journal_format), header_block);
}

} // namespace mneme
