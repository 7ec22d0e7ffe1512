#include "tools/protocol/held_answer.hpp"

#include "query/answer_bytes.hpp"

namespace mneme::protocol {

namespace {

std::uint64_t text_bytes(const std::vector<context_item>& items) {
  std::uint64_t bytes = 0;
  for (const auto& i : items) bytes += sizeof(i) + i.text.size();
  return bytes;
}

} // namespace

std::uint64_t held_bytes(const find_result& found) {
  std::uint64_t bytes = answer_bytes(found.memories);
  for (const auto& text : found.rendered) bytes += sizeof(std::string) + text.size();
  return bytes;
}
std::uint64_t held_bytes(const search_result& found) {
  return answer_bytes(found.results) + found.query.size();
}
std::uint64_t held_bytes(const retrieve_result& found) {
  return answer_bytes(found.candidates) + found.summary_text.size();
}
std::uint64_t held_bytes(const chroma_result& found) {
  return answer_bytes(found.rows);
}
std::uint64_t held_bytes(const context_result& found) {
  return text_bytes(found.pinned) + text_bytes(found.outcomes) + text_bytes(found.frame_relevant);
}
std::uint64_t held_bytes(const memory_reading& found) {
  return answer_bytes(found);
}
std::uint64_t held_bytes(const std::vector<edge_record>& found) {
  return answer_bytes(found);
}

} // namespace mneme::protocol
