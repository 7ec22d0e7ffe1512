#pragma once
/// Who came from whom: a fork has the note ORIGIN, and the world that it was made of one in forks/
/// for each fork, so that all directories that share a segment are found from any of them. Nothing
/// but that depends on them.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "mneme/ids.hpp"
#include "state/checkpoint/world_file.hpp"
#include "storage/file.hpp"

namespace mneme {

using branch_id = std::array<std::uint8_t, 16>;

/// Of the other one: lines `key value`, the path last.
struct branch_note {
  world_id world;
  branch_id branch{}; ///< of the world whose directory `path` is
  seq_no at;          ///< the last entry that both have
  std::string path;   ///< absolute, when the note was written

  friend bool operator==(const branch_note&, const branch_note&) = default;
};
std::string encode(const branch_note& note);
/// nullopt for anything else than what is encoded.
std::optional<branch_note> decode_branch_note(std::string_view bytes);

std::string origin_path(const std::string& directory);
std::string forks_directory(const std::string& directory);

/// Durable when it returns.
result<void> note_origin(file_system& files, const std::string& directory, const branch_note& of);
result<void> note_fork(file_system& files, const std::string& directory, const branch_note& fork);

/// Of a fork that was not made after all.
void forget_fork(file_system& files, const std::string& directory, const branch_id& fork);

/// What a world was made of, if of another one; and what was made of it. What is damaged is left
/// out.
std::optional<branch_note> read_origin(file_system& files, const std::string& directory);
result<std::vector<branch_note>> read_forks(file_system& files, const std::string& directory);

/// A directory that notes lead to.
struct reached_branch {
  std::string path;
  bool is_there = true; ///< a branch of the world is in it; else it was deleted, or moved

  friend auto operator<=>(const reached_branch&, const reached_branch&) = default;
};
/// All branches that notes lead to from the world in `directory`, from branch to branch, in the
/// order of their paths; the world itself is none. `own` is its WORLD file.
result<std::vector<reached_branch>>
reachable_branches(file_system& files, const std::string& directory, const world_file& own);

} // namespace mneme
