#pragma once
/// SHA-256 of a tag byte and two digests: what Merkle trees are made of. Two at a time by the
/// processor's own instructions where it has them, else by OpenSSL, which is what they are held to.

#include <cstdint>
#include <span>

#include "mneme/ids.hpp"

namespace mneme {

/// `hash` becomes that of tag ‖ first ‖ second. It may be where `first` or `second` is.
struct tagged_pair {
  std::uint8_t tag = 0;
  const digest* first = nullptr;
  const digest* second = nullptr;
  digest* hash = nullptr;
};

/// None waits for the hash of another.
void sha256_of_pairs(std::span<const tagged_pair> pairs);

/// The two ways; which there are is the processor's to say.
bool has_sha256_instructions();
void sha256_of_pairs_by_instructions(std::span<const tagged_pair> pairs);
void sha256_of_pairs_by_openssl(std::span<const tagged_pair> pairs);

} // namespace mneme
