// Branches on the machine's disk, as a host makes them.

#include <filesystem>

#include <sys/stat.h>

#include "mneme/join.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/beside.hpp"
#include "state/branch/diff.hpp"
#include "state/branch/fork.hpp"
#include "state/branch/join.hpp"
#include "state/branch/rewind.hpp"

namespace mneme {

namespace {

/// Without links and dots, so that it means the same from anywhere; what is not there yet stays.
std::string absolute(const std::string& directory) {
  std::error_code problem;
  auto path = std::filesystem::absolute(directory, problem);
  if (!problem) path = std::filesystem::weakly_canonical(path, problem);
  if (problem) return directory;
  std::string text = path.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// bad_value: what is made there would be a part of the world that it is made of.
result<void> check_outside(const std::string& directory, const std::string& into, const char* key) {
  if (into != directory && !into.starts_with(directory + "/")) return {};
  return fail(errc::bad_value,
              into == directory ? into + " is the world's own directory"
                                : into + " is inside the world's own directory, " + directory,
              key);
}

/// Whether a directory can change places with one beside `path`; one that is mounted cannot with
/// one beside itself.
bool may_change_places(const std::string& directory, const std::string& path) {
  struct stat here{};
  struct stat there{};
  const std::string above = std::filesystem::path(path).parent_path().string();
  if (::stat(directory.c_str(), &here) != 0 || ::stat(above.c_str(), &there) != 0) return true;
  return here.st_dev == there.st_dev;
}

/// unsupported where it cannot.
result<void> check_same_disk(const std::string& directory, const std::string& path) {
  const std::string beside = std::filesystem::path(path).parent_path().string();
  if (may_change_places(directory, path)) return {};
  return fail(errc::unsupported,
              beside + " is on another disk than " + directory
                  + ": the two cannot change places. Name a directory on the same disk",
              "keep_as");
}

/// Directories that were made for what was refused, as far as nothing is in them.
void remove_empty(const std::string& directory) {
  std::error_code ignored;
  for (const char* part : {"journal", "images", ""})
    std::filesystem::remove(std::filesystem::path(directory) / part, ignored);
}

/// Whether a directory is there that was not left by an attempt to make a world, all of which begin
/// with a file or with the directory of a journal.
bool is_directory_of_another(const std::string& directory) {
  std::error_code unknown;
  if (!std::filesystem::exists(directory, unknown)) return static_cast<bool>(unknown);
  for (const char* part : {"UNFINISHED", "UNFINISHED.new", "BESIDE", "journal"})
    if (std::filesystem::exists(std::filesystem::path(directory) / part, unknown)) return false;
  return true;
}

/// What `make` answers; a directory that it made for nothing goes again. One that is busy is
/// somebody else's by now.
template <class Make>
result<branch_report> made_in(const std::string& into, const Make& make) {
  std::error_code unknown;
  const bool was_there = std::filesystem::exists(into, unknown) || unknown;
  auto made = make();
  if (!made && !was_there && made.error().code != errc::busy) remove_empty(into);
  return made;
}

} // namespace

result<branch_report> fork_world(const std::string& directory, const std::string& into,
                                 const fork_options& options) {
  const auto disk = make_posix_file_system();
  const std::string from = absolute(directory);
  const std::string to = absolute(into);
  if (auto ok = check_outside(from, to, "into"); !ok) return propagate(ok);
  return made_in(to, [&] {
    return fork_files(*disk, from, to, options, {.own = to, .parent = from, .is_locked = false});
  });
}

result<branch_report> fork_onto_disk(file_system& files, const std::string& from,
                                     const std::string& into, const fork_options& options) {
  const std::string to = absolute(into);
  return fork_files(files, from, *make_posix_file_system(), to, options,
                    {.own = to, .parent = from, .is_locked = false});
}

result<branch_report> backup_world(const std::string& directory, const std::string& into) {
  const auto disk = make_posix_file_system();
  const std::string from = absolute(directory);
  const std::string to = absolute(into);
  if (auto ok = check_outside(from, to, "into"); !ok) return propagate(ok);
  const bool is_anothers = is_directory_of_another(beside(to));
  auto made = made_in(to, [&] { return backup_files(*disk, from, to, may_change_places(to, to)); });
  if (!is_anothers) remove_empty(beside(to));
  return made;
}

result<branch_report> join_world(const std::string& from, const std::string& into,
                                 const std::string& address, const log_factory& logs) {
  const std::string source = absolute(from);
  const std::string to = absolute(into);
  if (auto ok = check_outside(source, to, "into"); !ok) return propagate(ok);
  auto log = logs(address);
  if (!log) return propagate(log);
  const auto disk = make_posix_file_system();
  return made_in(to, [&] { return join_files(*disk, source, to, address, **log); });
}

result<branch_report> stream_backup(const std::string& directory, backup_stream& to) {
  return stream_files(*make_posix_file_system(), absolute(directory), to);
}

result<diff_report> diff_worlds(const diff_side& a, const diff_side& b, const diff_options& options,
                                const std::function<bool(const difference&)>& visit) {
  return diff_files(*make_posix_file_system(), {absolute(a.directory), a.at_seq, a.at},
                    {absolute(b.directory), b.at_seq, b.at}, options, visit);
}

result<rewind_report> rewind_world(const std::string& directory, seq_no to,
                                   const rewind_options& options) {
  const std::string at = absolute(directory);
  rewind_options where = options;
  if (where.keep_as.contains('/'))
    where.keep_as = absolute(where.keep_as);
  else if (!where.keep_as.empty())
    where.keep_as = std::filesystem::path(at).replace_filename(where.keep_as).string();
  if (!where.keep_as.empty()) {
    if (auto ok = check_outside(at, where.keep_as, "keep_as"); !ok) return propagate(ok);
    if (auto ok = check_same_disk(at, where.keep_as); !ok) return propagate(ok);
  }
  const auto disk = make_posix_file_system();
  const auto left = read_file(*disk, at + "/REWIND"); // by one that was broken off
  auto done = rewind_files(*disk, at, to, where);
  if (left && *left != at) remove_empty(*left);
  return done;
}

} // namespace mneme
