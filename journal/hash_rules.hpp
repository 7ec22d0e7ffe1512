#pragma once
/// The hash rules of the journal's log and of the state trees, shared by the structures and by the
/// verifier. A tag byte in front keeps leaves and nodes apart.

#include <string_view>

#include "messages/hash_pairs.hpp"
#include "mneme/proof.hpp"

namespace mneme {

/// Root of a log without leaves: H("").
digest empty_log_root();
/// H(0x00 ‖ header bytes).
digest log_leaf_hash(std::string_view header_bytes);
/// H(0x01 ‖ left ‖ right).
digest log_node_hash(const digest& left, const digest& right);

/// H(0x00 ‖ path ‖ value_hash).
digest tree_leaf_hash(const tree_leaf& leaf);
/// H(0x01 ‖ left ‖ right).
digest tree_node_hash(const digest& left, const digest& right);
/// The same, to be computed together with others.
tagged_pair tree_leaf_pair(const digest& path, const digest& value_hash, digest& hash);
tagged_pair tree_node_pair(const digest& left, const digest& right, digest& hash);

} // namespace mneme
