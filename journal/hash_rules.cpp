#include "journal/hash_rules.hpp"

#include <cstdint>

#include "messages/hash.hpp"

namespace mneme {

namespace {

constexpr std::uint8_t leaf_tag = 0x00;
constexpr std::uint8_t node_tag = 0x01;

digest hash_of_pair(std::uint8_t tag, const digest& first, const digest& second) {
  digest hash;
  const tagged_pair pair{tag, &first, &second, &hash};
  sha256_of_pairs({&pair, 1});
  return hash;
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
  return hash_of_pair(node_tag, left, right);
}

digest tree_leaf_hash(const tree_leaf& leaf) {
  return hash_of_pair(leaf_tag, leaf.path, leaf.value_hash);
}

digest tree_node_hash(const digest& left, const digest& right) {
  return hash_of_pair(node_tag, left, right);
}

tagged_pair tree_leaf_pair(const digest& path, const digest& value_hash, digest& hash) {
  return {leaf_tag, &path, &value_hash, &hash};
}

tagged_pair tree_node_pair(const digest& left, const digest& right, digest& hash) {
  return {node_tag, &left, &right, &hash};
}

} // namespace mneme
