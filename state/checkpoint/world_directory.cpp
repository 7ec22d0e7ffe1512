#include "state/checkpoint/world_directory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/segment.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

result<world_file> read_world_file(file_system& files, const std::string& directory) {
  auto bytes = read_file(files, world_path(directory));
  if (bytes) return decode_world_file(*bytes);
  if (bytes.error().code != errc::not_found) return propagate(bytes);
  return std::unexpected(no_world(files, directory));
}

result<void> check_place(file_system& files, const std::string& directory, const world_id& world) {
  auto found = read_world_file(files, directory);
  if (found && found->id == world) return {};
  if (!found && found.error().code != errc::not_found) return propagate(found);
  return fail(errc::io,
              fmt::format("{} {} while this world was open, so that nothing more is "
                          "written there: what was written since the last checkpoint is "
                          "in the journal, wherever that is now",
                          directory, found ? "became another world's" : "was moved or removed"));
}

std::string unfinished_path(const std::string& directory) {
  return directory + "/" + std::string(unfinished_name);
}

error no_world(file_system& files, const std::string& directory) {
  if (files.exists(unfinished_path(directory)).value_or(false))
    return {
        errc::not_found,
        directory
            + " is what a fork, a backup or a join left that was broken off, and no world; give "
              "that command again, or remove the directory",
        {}};
  // A folder that is called journal is no journal without a segment.
  const auto segments = list_segments(files, journal_directory(directory));
  if (segments && !segments->empty())
    if (auto ok = check_no_journal(files, directory); !ok) return std::move(ok).error();
  // No world is made where something else is.
  const auto names = files.list(directory);
  if (!names && files.exists(directory).value_or(false))
    return {errc::not_found, directory + " is a file, and a world is a directory", {}};
  const auto is_of_others = [](const std::string& name) {
    return name != "LOCK" && name != "LOG" && name != "WORLD.new" && name != "journal";
  };
  if (names && std::ranges::any_of(*names, is_of_others))
    return {errc::not_found,
            directory
                + " holds other files and no world; a new world needs a directory that is missing "
                  "or empty",
            {}};
  return {errc::not_found,
          "there is no world in " + directory + "; make one with: mneme init " + directory,
          {}};
}

result<void> check_no_journal(file_system& files, const std::string& directory) {
  if (files.exists(unfinished_path(directory)).value_or(false))
    return std::unexpected(no_world(files, directory));
  auto unwritten = is_journal_unwritten(files, directory);
  if (!unwritten) return propagate(unwritten);
  if (*unwritten) return {};
  return fail(errc::corrupt, directory
                                 + " has a journal, but no WORLD file that says what it is of; "
                                   "put that back, or make a world elsewhere");
}

result<bool> is_journal_unwritten(file_system& files, const std::string& directory) {
  const std::string dir = journal_directory(directory);
  auto names = files.list(dir);
  if (!names) return propagate(names);
  if (names->empty()) return true;
  if (names->size() > 1 || names->front() != segment_name(seq_no{1})) return false;
  auto reader = segment_reader::open(files, dir, seq_no{1});
  if (!reader) return propagate(reader);
  return reader->blank_from(segment_head_bytes);
}

} // namespace mneme
