// Branches on the machine's disk, as a host makes them.

#include <filesystem>

#include "state/branch/backup.hpp"
#include "state/branch/diff.hpp"
#include "state/branch/fork.hpp"
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

} // namespace

result<branch_report> fork_world(const std::string& directory, const std::string& into,
                                 const fork_options& options) {
  const auto disk = make_posix_file_system();
  const std::string from = absolute(directory);
  const std::string to = absolute(into);
  return fork_files(*disk, from, to, options, {.own = to, .parent = from, .is_locked = false});
}

result<branch_report> fork_onto_disk(file_system& files, const std::string& from,
                                     const std::string& into, const fork_options& options) {
  const std::string to = absolute(into);
  return fork_files(files, from, *make_posix_file_system(), to, options,
                    {.own = to, .parent = from, .is_locked = false});
}

result<branch_report> backup_world(const std::string& directory, const std::string& into) {
  return backup_files(*make_posix_file_system(), absolute(directory), absolute(into));
}

result<branch_report> stream_backup(const std::string& directory, backup_stream& to) {
  return stream_files(*make_posix_file_system(), absolute(directory), to);
}

result<diff_report> diff_worlds(const diff_side& a, const diff_side& b, const diff_options& options,
                                const std::function<bool(const difference&)>& visit) {
  return diff_files(*make_posix_file_system(), {absolute(a.directory), a.at},
                    {absolute(b.directory), b.at}, options, visit);
}

result<rewind_report> rewind_world(const std::string& directory, seq_no to,
                                   const rewind_options& options) {
  const std::string at = absolute(directory);
  rewind_options where = options;
  if (where.keep_as.contains('/'))
    where.keep_as = absolute(where.keep_as);
  else if (!where.keep_as.empty())
    where.keep_as = std::filesystem::path(at).replace_filename(where.keep_as).string();
  return rewind_files(*make_posix_file_system(), at, to, where);
}

} // namespace mneme
