#include "state/branch/branch_note.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/text/hex.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

constexpr std::string_view first_line = "mneme branch 1\n";

/// The rest of a line that starts with `key`, taken from the front of `text`.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view key) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(key)) return {};
  const std::string_view value = text.substr(key.size(), end - key.size());
  text.remove_prefix(end + 1);
  return value;
}

bool read_id(std::optional<std::string_view> digits, std::array<std::uint8_t, 16>& id) {
  if (!digits || digits->size() != 2 * id.size()) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const char* const at = digits->data() + 2 * i;
    const auto read = std::from_chars(at, at + 2, id.at(i), 16);
    if (read.ec != std::errc() || read.ptr != at + 2) return false;
  }
  return true;
}

} // namespace

std::string encode(const branch_note& note) {
  ensure(!note.path.empty(), "a note leads somewhere");
  return fmt::format("{}world {}\nbranch {}\nseq {}\npath {}\n", first_line, to_hex(note.world),
                     hex_of(note.branch), note.at.value, note.path);
}

std::optional<branch_note> decode_branch_note(std::string_view bytes) {
  if (!bytes.starts_with(first_line)) return {};
  bytes.remove_prefix(first_line.size());
  branch_note note;
  if (!read_id(take_line(bytes, "world "), note.world.bytes)) return {};
  if (!read_id(take_line(bytes, "branch "), note.branch)) return {};
  const auto seq = take_line(bytes, "seq ");
  if (!seq) return {};
  const auto read = std::from_chars(seq->data(), seq->data() + seq->size(), note.at.value);
  if (read.ec != std::errc() || read.ptr != seq->data() + seq->size()) return {};
  // A path may have line ends.
  if (!bytes.starts_with("path ") || !bytes.ends_with('\n')) return {};
  note.path = bytes.substr(5, bytes.size() - 6);
  return note;
}

std::string origin_path(const std::string& directory) {
  return directory + "/ORIGIN";
}

std::string forks_directory(const std::string& directory) {
  return directory + "/forks";
}

result<void> note_origin(file_system& files, const std::string& directory, const branch_note& of) {
  return replace_file(files, origin_path(directory), encode(of));
}

result<void> note_fork(file_system& files, const std::string& directory, const branch_note& fork) {
  const std::string dir = forks_directory(directory);
  if (auto ok = files.create_directories(dir); !ok) return ok;
  // A name of its own for each, so that forks made at once do not meet.
  return replace_file(files, dir + "/" + hex_of(fork.branch), encode(fork));
}

void forget_fork(file_system& files, const std::string& directory, const branch_id& fork) {
  static_cast<void>(files.remove(forks_directory(directory) + "/" + hex_of(fork)));
}

std::optional<branch_note> read_origin(file_system& files, const std::string& directory) {
  auto bytes = read_file(files, origin_path(directory));
  return bytes ? decode_branch_note(*bytes) : std::nullopt;
}

result<std::vector<branch_note>> read_forks(file_system& files, const std::string& directory) {
  const std::string dir = forks_directory(directory);
  auto names = files.list(dir);
  if (!names) return propagate(names);
  std::vector<branch_note> found;
  for (const auto& name : *names) {
    const std::string path = fmt::format("{}/{}", dir, name);
    auto bytes = read_file(files, path);
    if (!bytes) return propagate(bytes);
    if (auto note = decode_branch_note(*bytes)) found.push_back(std::move(*note));
  }
  return found;
}

namespace {

/// All notes of one world.
result<std::vector<branch_note>> notes_of(file_system& files, const std::string& directory) {
  auto notes = read_forks(files, directory);
  if (notes)
    if (auto origin = read_origin(files, directory)) notes->push_back(std::move(*origin));
  return notes;
}

} // namespace

result<std::vector<reached_branch>>
reachable_branches(file_system& files, const std::string& directory, const world_file& own) {
  std::set<std::string> seen{directory};
  std::vector<std::string> ahead{directory};
  std::set<branch_id> found{own.branch};
  std::vector<reached_branch> reached;
  std::vector<branch_note> missing;
  while (!ahead.empty()) {
    auto notes = notes_of(files, ahead.back());
    if (!notes) return propagate(notes);
    ahead.pop_back();
    for (auto& note : *notes) {
      // Of one that gave its place back to this world, wherever it is now.
      if (note.path == directory && note.branch != own.branch) missing.push_back(note);
      if (!seen.insert(note.path).second) continue;
      // Whatever branch a note means: after a rewind another one is there, which leads to it.
      const auto there = read_world_file(files, note.path);
      if (!there || there->id != own.id) {
        missing.push_back(std::move(note));
      } else if (there->branch != own.branch) {
        found.insert(there->branch);
        reached.push_back({.path = note.path});
        ahead.push_back(std::move(note.path));
      }
    }
  }
  // What moved and is found where it is now is not missed.
  for (auto& note : missing)
    if (!found.contains(note.branch))
      reached.push_back({.path = std::move(note.path), .is_there = false});
  std::ranges::sort(reached);
  return reached;
}

} // namespace mneme
