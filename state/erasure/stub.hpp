#pragma once
/// What is left of a memory, and of an edge, whose content was erased.

#include "mneme/types.hpp"

namespace mneme {

/// Of the memory: that it was there, of which type and whose, in how many versions, and the hash of
/// the last one, which its nonce keeps from confirming a guess. The tombstone says the rest.
head stub_of(const head& h, tombstone why, const nonce& fresh);
[[nodiscard]] bool is_stub(const head& h);

/// Of the edge: its ends, type, weight and times.
edge_record stub_of(const edge_record& e, const nonce& fresh);
[[nodiscard]] bool is_stub(const edge_record& e);

} // namespace mneme
