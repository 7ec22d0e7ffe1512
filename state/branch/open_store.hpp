#pragma once
/// The tables of a world that is open, for a fork of it.

#include <string>

#include "state/world.hpp"

namespace mneme {

/// Gives the fork in `to`, which nobody has open yet, the files of the store as of the checkpoint
/// that the fork begins with, if they still are of that; else who first needs them makes them. On
/// the disk of the world.
result<void> place_open_store(world& w, const std::string& to, seq_no checkpoint);

} // namespace mneme
