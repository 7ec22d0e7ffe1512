#include "journal/log/log_frame.hpp"

#include <algorithm>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

std::unexpected<error> no_log_frame(std::string_view what) {
  return fail(errc::corrupt, "a log: " + std::string(what));
}

std::uint32_t length_at(std::string_view block, std::size_t at) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < sizeof length; ++i)
    length |= std::uint32_t{static_cast<unsigned char>(block[at + i])} << (8 * i);
  return length;
}

/// Of the bytes of a whole frame with this prefix.
log_frame split(const frame_prefix& prefix, std::string_view bytes) {
  const std::size_t head = prefix_bytes(prefix) + prefix.header_bytes;
  const std::string_view header_block = bytes.substr(prefix_bytes(prefix), prefix.header_bytes);
  return {.last_seq = last_seq(prefix),
          .hash = frame_hash(prefix, header_block),
          .head = std::string(bytes.substr(0, head)),
          .payloads = std::string(bytes.substr(head))};
}

} // namespace

result<log_frame> split_frame(std::string_view bytes) {
  auto prefix = decode_frame_prefix(bytes);
  if (!prefix) return propagate(prefix);
  if (prefix->trimmed_by.value != 0)
    return no_log_frame("a frame that lacks payloads is not appended");
  if (bytes.size() != frame_bytes(*prefix)) return no_log_frame("a frame of another length");
  return split(*prefix, bytes);
}

result<frame_prefix> check_log_frame(const log_frame& frame) {
  auto prefix = decode_frame_prefix(frame.head);
  if (!prefix) return propagate(prefix);
  const std::size_t front = prefix_bytes(*prefix);
  if (frame.head.size() != front + prefix->header_bytes)
    return no_log_frame("a frame's head of another length");
  if (frame_hash(*prefix, std::string_view(frame.head).substr(front)) != frame.hash)
    return no_log_frame("a frame's head that does not have its hash");
  if (last_seq(*prefix) != frame.last_seq)
    return no_log_frame("a frame of other seqs than its head says");
  if (frame.payloads.size() != stored_payload_bytes(*prefix))
    return no_log_frame("a payload block of another length than its head says");
  return prefix;
}

result<bool> erase_in_block(const frame_prefix& prefix, std::string& payloads,
                            std::span<const seq_no> seqs) {
  ensure(std::ranges::is_sorted(seqs), "what is erased is named in order");
  if (payloads.size() != stored_payload_bytes(prefix)) return no_log_frame("a short payload block");
  bool changed = false;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < prefix.count; ++i) {
    if (payloads.size() - at < payload_entry_bytes)
      return no_log_frame("a payload block that ends early");
    const bool is_there = payloads[at] != static_cast<char>(payload_state::trimmed);
    // Behind the state; of one that a trim has dropped it says how long it was.
    const std::uint32_t length = is_there ? length_at(payloads, at + 1) : 0;
    const std::size_t bytes = at + payload_entry_bytes;
    if (payloads.size() - bytes < length) return no_log_frame("a payload block that ends early");
    if (is_there && std::ranges::binary_search(seqs, seq_no{prefix.first_seq.value + i})) {
      changed = changed || payloads[at] != static_cast<char>(payload_state::erased);
      payloads[at] = static_cast<char>(payload_state::erased);
      std::fill_n(payloads.begin() + static_cast<std::ptrdiff_t>(bytes), length, '\0');
    }
    at = bytes + length;
  }
  return changed;
}

result<bool> drop_in_log_frame(const journaled_trim& by, log_frame& frame) {
  auto prefix = check_log_frame(frame);
  if (!prefix) return propagate(prefix);
  auto entries = decode_frame_body(
      *prefix, std::string_view(frame.head).substr(prefix_bytes(*prefix)), frame.payloads);
  if (!entries) return propagate(entries);
  if (!has_dropped(by.trim, *prefix, *entries)) return false;
  if (last_seq(*prefix) >= by.trim.before)
    return no_log_frame("a trim of what is behind its point");
  const auto made = frame_without(by, *prefix, *entries);
  auto now = decode_frame_prefix(made.bytes);
  if (!now) return propagate(now);
  ensure(made.hash == frame.hash, "what a frame lacks does not change its hash");
  frame = split(*now, made.bytes);
  return true;
}

} // namespace mneme
