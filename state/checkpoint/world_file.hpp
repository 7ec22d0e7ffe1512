#pragma once
/// The WORLD file: what a directory is. Written once when the world is made.
///   "MNEMEWLD" ‖ canonical map {0: format, 1: world id, 2: name, 3: branch id, 4: embedder spec,
///   5: search weights, 6: language} ‖ SHA-256 of everything before
/// Format 1 has no search weights, format 2 has, format 3 has a language and perhaps search
/// weights; a world with the default ones is written as 1.

#include <array>
#include <string>

#include "mneme/ids.hpp"
#include "storage/file.hpp"

namespace mneme {

struct world_file {
  world_id id;
  std::string name;
  std::array<std::uint8_t, 16> branch{}; ///< tells forks of one world apart; zero for the first
  std::string embedder;                  ///< spec: "hash:384", "none", or "host:<model>"
  std::string search{};                  ///< spec of the search weights; empty = the default ones
  std::string language = "english";      ///< of its texts: whose stems its words are found by

  friend bool operator==(const world_file&, const world_file&) = default;
};

std::string encode(const world_file& w);
/// corrupt, or format_unsupported for a newer format.
result<world_file> decode_world_file(std::string_view bytes);

/// The id that a world made with a seed gets: the first 16 bytes of
/// SHA-256("mneme world" ‖ 0x00 ‖ name ‖ u64be seed).
world_id seeded_world_id(std::string_view name, std::uint64_t seed);

} // namespace mneme
