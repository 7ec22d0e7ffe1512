#pragma once
/// Byte layout of a journal frame (one atomic commit group) and of a segment's head. Pure; the
/// tables are in docs/FORMATS.md and pinned by golden files.
///
///   frame   = prefix ‖ header block ‖ payload block
///   prefix  = fixed size, little-endian: u32 magic ‖ u16 format ‖ u16 flags (1 = seal) ‖
///             u64 first seq ‖ u32 entry count ‖ u32 header block bytes ‖ u64 payload block bytes ‖
///             32 hash of the previous frame ‖ 32 OverallRoot as of the previous frame ‖
///             u64 durable_through ‖ u32 CRC-32 of the header block ‖ u32 CRC-32 of the prefix
///   header block  = per entry: u32 length ‖ canonical header
///   payload block = per entry: u8 state (0 live, 1 erased, 2 trimmed) ‖ u32 length ‖ u32 CRC-32 ‖
///                   bytes (of a trimmed one: none, and 0 for their CRC)
///   frame hash = SHA-256(prefix ‖ header block): payloads are bound by payload_hash alone
///
///   A frame that a trim has dropped payloads of has format 2, and between prefix and header block
///   u64 payload block bytes as they are now ‖ u64 seq of the trim ‖ u32 CRC-32 of both. Its hash
///   is that of the frame as it was written: with format 1, and the CRC of that.
///
///   head    = fixed size, little-endian: u32 magic ‖ u16 format ‖ u16 zero ‖ 16 world ‖ 16 branch
///   ‖
///             u64 first seq ‖ 32 hash of the frame before ‖ u64 first seq of the segment before ‖
///             u32 zero ‖ u32 CRC-32 of the head
///
/// Sizes of prefix and head, and the place of their magic, format and CRC, never change: so that
/// damage is told from a newer format. All CRCs are zlib's CRC-32.
///
/// A seal frame has no entries and no seq of its own: first seq = last seq + 1, and its prefix
/// carries the last root.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/entry.hpp"

namespace mneme {

inline constexpr std::uint16_t journal_format = 1;
/// Of a frame that lacks payloads.
inline constexpr std::uint16_t trimmed_frame_format = 2;
inline constexpr std::size_t frame_prefix_bytes = 112;
inline constexpr std::size_t segment_head_bytes = 96;
/// Behind the prefix of a frame that lacks payloads.
inline constexpr std::size_t trim_mark_bytes = 20;
/// State, length and CRC before each payload.
inline constexpr std::size_t payload_entry_bytes = 9;
/// Bounds that a reader checks before it allocates.
inline constexpr std::uint32_t max_frame_entries = 100'000;
inline constexpr std::uint64_t max_frame_bytes = 1ULL << 31;

struct frame_prefix {
  bool seal = false;
  seq_no first_seq;
  std::uint32_t count = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t payload_bytes = 0; ///< of the block, as it was written
  digest previous_frame;
  digest previous_root; ///< OverallRoot after the previous frame (before this one)
  seq_no durable_through;
  std::uint32_t header_crc = 0;
  seq_no trimmed_by;              ///< a trim that dropped payloads of it; 0: it is whole
  std::uint64_t stored_bytes = 0; ///< of the payload block then

  friend bool operator==(const frame_prefix&, const frame_prefix&) = default;
};
/// Sizes of the whole frame as it is stored, and of what stands before its header block and in its
/// payload block.
std::uint64_t frame_bytes(const frame_prefix& p);
std::size_t prefix_bytes(const frame_prefix& p);
std::uint64_t stored_payload_bytes(const frame_prefix& p);
/// Seq of its last entry; of a seal: of the entry before it.
seq_no last_seq(const frame_prefix& p);
/// The first four bytes of every frame, to look for one in damaged bytes.
std::string_view frame_magic_bytes();
/// Of a prefix as it was written.
digest frame_hash(std::string_view prefix, std::string_view header_block);
/// As a frame was written, whatever it lacks now.
digest frame_hash(const frame_prefix& prefix, std::string_view header_block);

struct segment_head {
  world_id world;
  std::array<std::uint8_t, 16> branch{};
  seq_no first_seq;
  digest previous_frame;   ///< frame hash before this segment's first frame (zero for the first)
  seq_no previous_segment; ///< first seq of the segment before (0 for the first): shows a gap

  friend bool operator==(const segment_head&, const segment_head&) = default;
};

enum class payload_state : std::uint8_t { live = 0, erased = 1, trimmed = 2 };

std::string encode(const segment_head& head);
/// corrupt, or format_unsupported for a newer format.
result<segment_head> decode_segment_head(std::string_view bytes);

/// A frame ready to be written, and its hash.
struct encoded_frame {
  std::string bytes;
  digest hash;
  std::size_t payloads_at = 0; ///< where the payload block begins
};
encoded_frame encode_frame(std::span<const entry> entries, seq_no first_seq, bool seal,
                           const digest& previous_frame, const digest& previous_root,
                           seq_no durable_through);

/// corrupt if magic, CRC or bounds are wrong; format_unsupported for a newer format. Of `bytes` it
/// reads the prefix, and what stands behind that in a frame which lacks payloads.
result<frame_prefix> decode_frame_prefix(std::string_view bytes);

/// One entry's raw bytes inside a frame.
struct raw_entry {
  std::string header;
  std::string payload; ///< zero bytes when erased
  bool erased = false;
  std::optional<trimmed_payload> trimmed{}; ///< without payload
};
/// Checks the header block's CRC, the payloads' CRCs (live ones) and all lengths.
result<std::vector<raw_entry>> decode_frame_body(const frame_prefix& prefix,
                                                 std::string_view header_block,
                                                 std::string_view payload_block);

/// A trim that a journal has.
struct journaled_trim {
  seq_no at; ///< its entry
  trim_payload trim;
};
/// No payload is there: it was erased, or a trim has dropped it.
bool lacks_payload(const raw_entry& raw);
/// Whether the frame of these entries has a payload that the trim drops.
bool has_dropped(const trim_payload& trim, const frame_prefix& prefix,
                 std::span<const raw_entry> entries);
/// The frame as it is without what the trim drops; its hash stays.
encoded_frame frame_without(const journaled_trim& by, const frame_prefix& prefix,
                            std::span<const raw_entry> entries);

} // namespace mneme
