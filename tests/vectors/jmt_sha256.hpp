#pragma once
/// Roots of penumbra-zone/jmt with SHA-256, src/tests/sha2_256_vectors.json, and the tags of its
/// leaf, node and empty hashes. Path = SHA-256(key), value hash = SHA-256(value).

#include <string_view>
#include <utility>
#include <vector>

namespace mneme::vectors {

inline constexpr std::string_view jmt_leaf_tag = "JMT::LeafNode";
inline constexpr std::string_view jmt_node_tag = "JMT::IntrnalNode";
inline constexpr std::string_view jmt_empty = "SPARSE_MERKLE_PLACEHOLDER_HASH__";

struct jmt_tree {
  std::string_view root;
  std::vector<std::pair<std::string_view, std::string_view>> contents; ///< key, value
};
inline const std::vector<jmt_tree> jmt_trees = {
    {"5350415253455f4d45524b4c455f504c414345484f4c4445525f484153485f5f", {}},
    {"6b97115f56e533f2fd443f7e76e4d1ff94d34e6b2e233f2dbdf5cfd1ec39a30c", {{"hello", "world"}}},
    {"e1e1e220d4b4a9611a9a09dbcee964b4a6c3a40f6f4dee265ad45cf64568790b",
     {{"hello", "world"}, {"goodbye", "world"}}},
};

} // namespace mneme::vectors
