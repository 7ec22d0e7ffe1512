#pragma once
/// The parts of the verifier behind mneme::verify(). Pure: no storage, no actors; counts and sizes
/// are checked before anything is hashed, nothing is allocated by an untrusted count, and every
/// field of a proof is either hashed or recomputed. Built as a library of its own (mneme_verifier).

#include <cstddef>
#include <cstdint>
#include <span>

#include "mneme/proof.hpp"

namespace mneme {

/// A longer header is refused unread.
inline constexpr std::size_t max_proof_header_bytes = 64ULL << 20;

/// True if `leaf` is at `index` of the log of `size` leaves with `root` (RFC 6962 2.1.1). The proof
/// must have exactly the length that index and size imply.
bool verify_inclusion(const digest& leaf, std::uint64_t index, std::uint64_t size,
                      std::span<const digest> proof, const digest& root);
/// True if the log of `old_size` leaves is a prefix of that of `new_size` (RFC 6962 2.1.2). The
/// proof must have exactly the length that the sizes imply.
bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size,
                        std::span<const digest> proof, const digest& old_root,
                        const digest& new_root);
/// True if `proof` shows membership (value_hash set) or absence of its path under `root`. That the
/// path belongs to a key is for the caller to check.
bool verify_tree_proof(const tree_proof& proof, const digest& root);

} // namespace mneme
