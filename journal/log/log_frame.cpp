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

} // namespace

result<log_frame> split_frame(std::string_view bytes) {
  auto prefix = decode_frame_prefix(bytes);
  if (!prefix) return propagate(prefix);
  if (prefix->trimmed_by.value != 0)
    return no_log_frame("a frame that lacks payloads is not appended");
  if (bytes.size() != frame_bytes(*prefix)) return no_log_frame("a frame of another length");
  const std::size_t head = frame_prefix_bytes + prefix->header_bytes;
  log_frame frame{.last_seq = last_seq(*prefix),
                  .hash = frame_hash(bytes.substr(0, frame_prefix_bytes),
                                     bytes.substr(frame_prefix_bytes, prefix->header_bytes)),
                  .head = std::string(bytes.substr(0, head)),
                  .payloads = std::string(bytes.substr(head))};
  return frame;
}

result<frame_prefix> check_log_frame(const log_frame& frame) {
  auto prefix = decode_frame_prefix(frame.head);
  if (!prefix) return propagate(prefix);
  if (prefix->trimmed_by.value != 0
      || frame.head.size() != frame_prefix_bytes + prefix->header_bytes)
    return no_log_frame("a frame's head of another length");
  const std::string_view head = frame.head;
  if (frame_hash(head.substr(0, frame_prefix_bytes), head.substr(frame_prefix_bytes)) != frame.hash)
    return no_log_frame("a frame's head that does not have its hash");
  if (last_seq(*prefix) != frame.last_seq)
    return no_log_frame("a frame of other seqs than its head says");
  if (frame.payloads.size() != (frame.is_trimmed ? 0 : prefix->payload_bytes))
    return no_log_frame("a payload block of another length than its head says");
  return prefix;
}

result<bool> erase_in_block(const frame_prefix& prefix, std::string& payloads,
                            std::span<const seq_no> seqs) {
  ensure(std::ranges::is_sorted(seqs), "what is erased is named in order");
  if (payloads.size() != prefix.payload_bytes) return no_log_frame("a short payload block");
  bool changed = false;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < prefix.count; ++i) {
    if (payloads.size() - at < payload_entry_bytes)
      return no_log_frame("a payload block that ends early");
    const std::uint32_t length = length_at(payloads, at + 1); // behind the state
    const std::size_t bytes = at + payload_entry_bytes;
    if (payloads.size() - bytes < length) return no_log_frame("a payload block that ends early");
    if (std::ranges::binary_search(seqs, seq_no{prefix.first_seq.value + i})) {
      changed = changed || payloads[at] != static_cast<char>(payload_state::erased);
      payloads[at] = static_cast<char>(payload_state::erased);
      std::fill_n(payloads.begin() + static_cast<std::ptrdiff_t>(bytes), length, '\0');
    }
    at = bytes + length;
  }
  return changed;
}

} // namespace mneme
