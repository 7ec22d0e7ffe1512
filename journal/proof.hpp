#pragma once
/// The parts of the verifier behind mneme::verify(). Pure: no storage, no actors; counts and sizes
/// are checked before anything is hashed or allocated. Built as a library of its own
/// (mneme_verifier).

#include <cstdint>
#include <span>

#include "mneme/proof.hpp"

namespace mneme {

/// True if `leaf` is at `index` of the log of `size` leaves with `root` (RFC 6962 2.1.1).
bool verify_inclusion(const digest& leaf, std::uint64_t index, std::uint64_t size,
                      std::span<const digest> proof, const digest& root);
/// True if the log of `old_size` leaves is a prefix of that of `new_size` (RFC 6962 2.1.2).
bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size,
                        std::span<const digest> proof, const digest& old_root,
                        const digest& new_root);
/// True if `proof` shows membership (value_hash set) or absence of its path under `root`.
bool verify_tree_proof(const tree_proof& proof, const digest& root);

} // namespace mneme
