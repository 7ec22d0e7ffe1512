#include "state/branch/rewind.hpp"

#include "journal/journal_cut.hpp"
#include "messages/ensure.hpp"
#include "state/branch/branch_note.hpp"
#include "state/branch/fork.hpp"
#include "state/branch/unfinished.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

/// A branch that an earlier attempt made beside the world, and that was not put in its place: made
/// of it, by its note, and nothing was written since.
bool is_left_from_before(file_system& files, const std::string& directory,
                         const std::string& beside, const world_file& world, seq_no to) {
  if (!files.exists(world_path(beside)).value_or(false)) return false;
  const auto origin = read_origin(files, beside);
  if (!origin || origin->branch != world.branch || origin->path != beside || origin->at != to)
    return false;
  auto end = find_cut(files, journal_directory(beside), world.id, {});
  auto here = find_cut(files, journal_directory(directory), world.id, to);
  return end && here && end->entry_frame == here->entry_frame;
}

/// Beside the world's WORLD: where a rewind makes the branch that will take its place. It goes when
/// that is done.
std::string rewind_note_path(const std::string& directory) {
  return directory + "/REWIND";
}

/// Whether what is in `beside` is nothing but what a rewind of the world made.
bool is_made_by_rewind(file_system& files, const std::string& directory, const std::string& beside,
                       const world_file& world) {
  if (!files.exists(world_path(beside)).value_or(true))
    return files.exists(unfinished_path(beside)).value_or(false);
  const auto origin = read_origin(files, beside);
  if (!origin || origin->branch != world.branch || origin->path != beside) return false;
  return is_left_from_before(files, directory, beside, world, origin->at);
}

/// What an earlier attempt with another end, or another name, left beside the world.
result<void> remove_broken_off(file_system& files, const std::string& directory,
                               const world_file& world) {
  auto noted = read_file(files, rewind_note_path(directory));
  if (!noted) return {};
  const std::string& beside = *noted;
  if (beside != directory && is_made_by_rewind(files, directory, beside, world)) {
    const auto left = read_world_file(files, beside);
    if (auto ok = files.remove(world_path(beside)); left && !ok) return ok;
    if (auto ok = replace_file(files, unfinished_path(beside), "a rewind\n"); !ok) return ok;
    auto again = unfinished_world::begin(files, beside);
    if (!again) return propagate(again);
    again->abandon();
    if (left) forget_fork(files, directory, left->branch);
  }
  if (auto ok = files.remove(rewind_note_path(directory)); !ok) return ok;
  return files.sync_directory(directory);
}

} // namespace

result<rewind_report> rewind_files(file_system& files, const std::string& directory, seq_no to,
                                   const rewind_options& options) {
  auto world = read_world_file(files, directory);
  if (!world) return propagate(world);
  if (auto ok = check_on_no_log(files, directory, "a log does not go back"); !ok)
    return propagate(ok);
  auto lock = files.lock(directory);
  if (!lock) return propagate(lock);
  auto end = find_cut(files, journal_directory(directory), world->id, {});
  if (!end) return propagate(end);
  rewind_report report{.branch = {}, .kept = options.keep_as, .kept_at = end->at};
  if (report.kept.empty()) report.kept = directory + ".at-" + std::to_string(end->at.value);
  if (auto ok = remove_broken_off(files, directory, *world); !ok) return propagate(ok);
  if (auto ok = replace_file(files, rewind_note_path(directory), report.kept); !ok)
    return propagate(ok);
  const auto has_ended = [&](const std::string& at) {
    static_cast<void>(files.remove(rewind_note_path(at)));
  };
  // The branch is made under the name that the world will have, and its notes are of afterwards.
  if (is_left_from_before(files, directory, report.kept, *world, to)) {
    if (auto ok = files.remove(world_path(report.kept)); !ok) return propagate(ok);
    if (auto ok = replace_file(files, unfinished_path(report.kept), "a rewind\n"); !ok)
      return propagate(ok);
  }
  auto made = fork_files(files, directory, report.kept, {.at_seq = to, .random = options.random},
                         {.own = directory, .parent = report.kept, .is_locked = true});
  if (!made) {
    has_ended(directory);
    if (made.error().at == "at_seq") made.error().at = "to"; // as a rewind's own key is called
    return propagate(made);
  }
  report.branch = std::move(*made);
  ensure(report.branch.at == to && to <= report.kept_at, "a rewind goes back");
  auto fork_lock = files.lock(report.kept);
  if (!fork_lock) return propagate(fork_lock);
  if (auto ok = files.exchange(directory, report.kept); !ok) return propagate(ok);
  has_ended(report.kept);
  return report;
}

} // namespace mneme
