#pragma once
/// The WORLD file: what a directory is. Written when the world is made, and when it gets another
/// embedder.
///   "MNEMEWLD" ‖ canonical map {0: format, 1: world id, 2: name, 3: branch id, 4: embedder spec,
///   5: search weights, 6: language, 7: former embedders, 8: is being embedded anew}
///   ‖ SHA-256 of everything before
/// Format 1 has no search weights, format 2 has, format 3 has a language and perhaps search
/// weights; a world with the default ones is written as 1. Format 4 has former embedders, and any
/// of the others.

#include <array>
#include <string>
#include <vector>

#include "mneme/ids.hpp"
#include "storage/file.hpp"

namespace mneme {

/// An embedder that a world had before.
struct former_embedder {
  std::string spec;
  seq_no until; ///< the last entry whose vectors are of it

  friend bool operator==(const former_embedder&, const former_embedder&) = default;
};

struct world_file {
  world_id id;
  std::string name;
  std::array<std::uint8_t, 16> branch{}; ///< tells forks of one world apart; zero for the first
  std::string embedder;                  ///< spec: "hash:384", "none", or "host:<model>"
  std::string search{};                  ///< spec of the search weights; empty = the default ones
  std::string language = "english";      ///< of its texts: whose stems its words are found by
  std::vector<former_embedder> former{}; ///< the oldest first
  bool is_being_embedded = false;        ///< by the embedder that follows these; not all of it is

  /// The first entry whose vector is of the world's embedder. What earlier entries brought is of
  /// another space, and found by nothing.
  [[nodiscard]] seq_no vectors_since() const {
    return former.empty() ? seq_no{} : former.back().until.next();
  }
  /// The first entries of each embedder but the first, ascending.
  [[nodiscard]] std::vector<seq_no> changes_of_space() const;
  friend bool operator==(const world_file&, const world_file&) = default;
};

std::string encode(const world_file& w);
/// corrupt, or format_unsupported for a newer format.
result<world_file> decode_world_file(std::string_view bytes);

/// What a copy that ends with `last` is: with the embedder of that time.
world_file as_of(world_file w, seq_no last);

/// The id that a world made with a seed gets: the first 16 bytes of
/// SHA-256("mneme world" ‖ 0x00 ‖ name ‖ u64be seed).
world_id seeded_world_id(std::string_view name, std::uint64_t seed);

} // namespace mneme
