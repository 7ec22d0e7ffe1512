#include "journal/segment.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace mneme {

namespace {

constexpr std::string_view extension = ".seg";
constexpr std::size_t name_digits = 20;
constexpr std::size_t scan_bytes = 256 << 10;
constexpr std::size_t window_bytes = 32 << 10;
constexpr std::size_t jump_bytes = 512;

bool all_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

frame_slot damaged_slot(std::string_view problem) {
  return {.found = frame_slot::kind::damaged, .frame = {}, .problem = std::string(problem)};
}

std::optional<seq_no> parse_segment_name(std::string_view name) {
  if (name.size() != name_digits + extension.size()) return std::nullopt;
  std::uint64_t first = 0;
  const char* const end = name.data() + name_digits;
  const auto parsed = std::from_chars(name.data(), end, first);
  if (parsed.ec != std::errc() || parsed.ptr != end || first == 0) return std::nullopt;
  return seq_no{first};
}

/// Whether `bytes` begin with a whole frame whose writer knew the frame that begins at `seq` to be
/// durable. One that begins at `seq` too follows a seal, and seals are synced before the next
/// frame.
bool vouches(std::string_view bytes, seq_no seq) {
  const auto prefix = decode_frame_prefix(bytes);
  if (!prefix || frame_bytes(*prefix) > bytes.size()) return false;
  if (prefix->durable_through < seq && prefix->first_seq != seq) return false;
  bytes.remove_prefix(prefix_bytes(*prefix));
  return decode_frame_body(*prefix, bytes.substr(0, prefix->header_bytes),
                           bytes.substr(prefix->header_bytes, stored_payload_bytes(*prefix)))
      .has_value();
}

} // namespace

std::string segment_name(seq_no first_seq) {
  return fmt::format("{:020}{}", first_seq.value, extension);
}

result<std::vector<seq_no>> list_segments(file_system& fs, const std::string& dir) {
  auto names = fs.list(dir);
  if (!names) return propagate(names);
  std::vector<seq_no> found;
  for (const auto& name : *names) {
    if (!name.ends_with(extension)) continue;
    const auto first = parse_segment_name(name);
    if (!first) return corrupt_at(name, 0, "the name is not that of a segment");
    found.push_back(*first);
  }
  std::ranges::sort(found);
  return found;
}

result<void> make_own(file_system& fs, const std::string& path) {
  auto names = fs.names_of(path);
  if (!names) return propagate(names);
  if (*names < 2) return {};
  auto bytes = read_file(fs, path);
  if (!bytes) return propagate(bytes);
  return replace_file(fs, path, *bytes);
}

std::unexpected<error> corrupt_at(const std::string& segment, std::uint64_t offset,
                                  std::string_view problem) {
  return fail(errc::corrupt, fmt::format("segment {}, offset {}: {}", segment, offset, problem),
              fmt::format("{}:{}", segment, offset));
}

result<segment_reader> segment_reader::open(file_system& fs, const std::string& dir,
                                            seq_no first_seq) {
  const std::string name = segment_name(first_seq);
  auto in = fs.open(dir + "/" + name, open_mode::read);
  if (!in) return propagate(in);
  segment_reader reader(std::move(*in), name, first_seq);
  auto size = reader.size();
  if (!size) return propagate(size);
  reader.known_size_ = *size;
  return reader;
}

result<std::uint64_t> segment_reader::size() {
  return in_->size();
}

result<bool> segment_reader::reaches(std::uint64_t end) {
  if (end <= known_size_) return true;
  auto size = in_->size();
  if (!size) return propagate(size);
  known_size_ = *size;
  return end <= known_size_;
}

result<segment_head> segment_reader::head(const world_id& world) {
  auto bytes = in_->read_at(0, segment_head_bytes);
  if (!bytes) return propagate(bytes);
  auto head = decode_segment_head(*bytes);
  if (!head) {
    if (head.error().code == errc::corrupt) return corrupt_at(name_, 0, head.error().message);
    return fail(head.error().code, fmt::format("segment {}: {}", name_, head.error().message),
                name_);
  }
  if (head->world != world)
    return fail(errc::format_unsupported,
                fmt::format("segment {} belongs to another world, {}", name_, to_hex(head->world)),
                name_);
  if (head->first_seq != first_seq_)
    return corrupt_at(name_, 0, fmt::format("the head says first seq {}", head->first_seq.value));
  return head;
}

result<bool> segment_reader::blank_from(std::uint64_t offset) {
  for (;; offset += scan_bytes) {
    auto bytes = in_->read_at(offset, scan_bytes);
    if (!bytes) return propagate(bytes);
    if (!all_zero(*bytes)) return false;
    if (bytes->size() < scan_bytes) return true;
  }
}

result<frame_slot> segment_reader::locate(std::uint64_t offset) {
  std::string bytes;
  return locate(offset, bytes);
}

result<std::string_view> segment_reader::take(std::uint64_t offset, std::size_t size, bool fresh) {
  const bool inside = offset >= window_offset_ && offset + size <= window_offset_ + window_.size();
  if (fresh || !inside) {
    // Whoever passes over what lies between looks at little here, too.
    const bool passes_over = offset > window_offset_ + window_.size();
    auto bytes = in_->read_at(offset, std::max(size, passes_over ? jump_bytes : window_bytes));
    if (!bytes) return propagate(bytes);
    window_ = std::move(*bytes);
    window_offset_ = offset;
  }
  return std::string_view(window_).substr(offset - window_offset_, size);
}

result<frame_slot> segment_reader::locate(std::uint64_t offset, std::string& prefix_text) {
  // Of one that lacks payloads: what stands behind the prefix, too.
  constexpr std::size_t most = frame_prefix_bytes + trim_mark_bytes;
  auto bytes = take(offset, most, false);
  if (!bytes) return propagate(bytes);
  auto prefix = decode_frame_prefix(*bytes);
  if (!prefix) {
    bytes = take(offset, most, true);
    if (!bytes) return propagate(bytes);
    prefix = decode_frame_prefix(*bytes);
  }
  if (!prefix) {
    if (all_zero(bytes->substr(0, frame_magic_bytes().size()))) {
      auto blank = blank_from(offset);
      if (!blank) return propagate(blank);
      if (*blank) return frame_slot{};
      return damaged_slot("bytes behind the last frame");
    }
    if (prefix.error().code == errc::corrupt) return damaged_slot(prefix.error().message);
    return fail(prefix.error().code,
                fmt::format("segment {}, offset {}: {}", name_, offset, prefix.error().message),
                name_);
  }
  prefix_text = *bytes;
  auto whole = reaches(offset + frame_bytes(*prefix));
  if (!whole) return propagate(whole);
  if (!*whole) return damaged_slot("a frame that is cut off by the end of the file");
  frame_slot slot;
  slot.found = frame_slot::kind::frame;
  slot.frame.prefix = *prefix;
  slot.frame.segment = name_;
  slot.frame.segment_first = first_seq_;
  slot.frame.offset = offset;
  return slot;
}

result<frame_slot> segment_reader::read(std::uint64_t offset) {
  std::string prefix_text;
  auto slot = locate(offset, prefix_text);
  if (!slot || slot->found != frame_slot::kind::frame) return slot;
  const auto& prefix = slot->frame.prefix;
  const std::size_t body_at = prefix_bytes(prefix);
  const auto body_bytes = static_cast<std::size_t>(frame_bytes(prefix) - body_at);
  for (const bool fresh : {false, true}) {
    auto body = take(offset + body_at, body_bytes, fresh);
    if (!body) return propagate(body);
    const auto header_block = body->substr(0, prefix.header_bytes);
    auto entries = decode_frame_body(prefix, header_block, body->substr(header_block.size()));
    if (!entries) {
      if (fresh) return damaged_slot(entries.error().message);
      continue;
    }
    slot->frame.entries = std::move(*entries);
    slot->frame.hash = prefix.trimmed_by.value == 0
                           ? frame_hash(prefix_text.substr(0, frame_prefix_bytes), header_block)
                           : frame_hash(prefix, header_block);
    break;
  }
  return slot;
}

result<std::uint64_t> segment_reader::find_last_voucher(std::uint64_t voucher, seq_no seq) {
  auto size = in_->size();
  if (!size) return propagate(size);
  ensure(voucher < *size, "a frame that was found is there");
  auto rest = in_->read_at(voucher, static_cast<std::size_t>(*size - voucher));
  if (!rest) return propagate(rest);
  const std::string_view bytes = *rest;
  std::size_t last = 0;
  // Frames are passed over whole: what is inside one is content.
  for (std::size_t at = 0; at != std::string_view::npos;) {
    std::size_t behind = at + 1;
    if (vouches(bytes.substr(at), seq)) {
      last = at;
      behind = at + frame_bytes(*decode_frame_prefix(bytes.substr(at)));
    }
    at = bytes.find(frame_magic_bytes(), behind);
  }
  return voucher + last;
}

result<std::optional<std::uint64_t>> segment_reader::find_voucher(std::uint64_t offset,
                                                                  seq_no seq) {
  auto slot = locate(offset);
  if (!slot) return propagate(slot);
  // What is inside a frame is content, which may look like a frame.
  const std::uint64_t start = slot->found == frame_slot::kind::frame
                                  ? offset + frame_bytes(slot->frame.prefix)
                                  : offset + 1;
  auto size = in_->size();
  if (!size) return propagate(size);
  if (start >= *size) return std::nullopt;
  auto rest = in_->read_at(start, static_cast<std::size_t>(*size - start));
  if (!rest) return propagate(rest);
  const std::string_view bytes = *rest;
  for (auto at = bytes.find(frame_magic_bytes()); at != std::string_view::npos;
       at = bytes.find(frame_magic_bytes(), at + 1))
    if (vouches(bytes.substr(at), seq)) return start + at;
  return std::nullopt;
}

} // namespace mneme
