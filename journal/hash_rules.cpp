#include "journal/hash_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "messages/hash.hpp"

namespace mneme {

namespace {

constexpr std::uint8_t leaf_tag = 0x00;
constexpr std::uint8_t node_tag = 0x01;

digest tagged_pair(std::uint8_t tag, const digest& first, const digest& second) {
  std::array<char, 65> message;
  message[0] = static_cast<char>(tag);
  auto* end = std::ranges::copy(first.raw(), message.begin() + 1).out;
  std::ranges::copy(second.raw(), end);
  return sha256_of({message.data(), message.size()});
}

} // namespace

digest empty_log_root() {
  return sha256_of({});
}

digest log_leaf_hash(std::string_view header_bytes) {
  thread_local sha256 hasher;
  return hasher.update(leaf_tag).update(header_bytes).finish();
}

digest log_node_hash(const digest& left, const digest& right) {
  return tagged_pair(node_tag, left, right);
}

digest tree_leaf_hash(const tree_leaf& leaf) {
  return tagged_pair(leaf_tag, leaf.path, leaf.value_hash);
}

digest tree_node_hash(const digest& left, const digest& right) {
  return tagged_pair(node_tag, left, right);
}

} // namespace mneme
