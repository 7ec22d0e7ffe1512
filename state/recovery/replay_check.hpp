#pragma once
/// What a journaled entry says of the state before it must be true, whoever wrote the journal.

#include <span>

#include "state/world.hpp"

namespace mneme {

/// Checks the embed entries among a frame's, before any of it is applied: the memory lives, its
/// head is as it was but for the vector, the space is the world's, the leaf is the head's. corrupt,
/// naming the seq.
result<void> check_embeddings(world& w, std::span<const entry> entries);

} // namespace mneme
