#include "state/branch/fork.hpp"

#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"
#include "messages/text/hex.hpp"
#include "state/branch/branch_files.hpp"
#include "state/branch/branch_note.hpp"
#include "state/branch/branch_point.hpp"
#include "state/branch/unfinished.hpp"
#include "state/checkpoint/embedder_file.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/erased_note.hpp"

namespace mneme {

namespace {

/// Another one than the parent's, whatever random bytes a host gives.
branch_id draw_branch(const fork_options& options, const branch_id& parent) {
  const auto random = options.random != nullptr ? options.random : make_system_random();
  branch_id drawn{};
  do random->fill(drawn);
  while (drawn == parent || drawn == branch_id{});
  return drawn;
}

struct placing {
  file_system& files;
  std::string from;
  file_system& to_files;
  std::string to;
  bool has_images_of_own = true; ///< and notes of its embedder: it has the same
  bool may_share = false;
  bool is_locked = false;
};

/// Whether it is shared.
result<bool> place_file(const placing& place, const branch_file& file) {
  const std::string path = place.to + "/" + file.name;
  if (place.may_share && file.is_fixed) {
    auto linked = place.files.link(file.from, path);
    if (linked) return true;
    // Another disk, or an image that went away, of which what was opened is still there.
    const errc why = linked.error().code;
    if (why != errc::unsupported && why != errc::not_found) return propagate(linked);
  }
  if (auto ok = copy_to(place.files, file, place.to_files, path); !ok) return propagate(ok);
  return false;
}

result<void> place_journal(const placing& place, const journal_cut& cut, const world_file& info,
                           branch_report& report) {
  auto segments = plan_journal(place.files, place.from, cut, info);
  if (!segments) return propagate(segments);
  for (const branch_file& segment : *segments) {
    auto is_shared = place_file(place, segment);
    if (!is_shared) return propagate(is_shared);
    ++(*is_shared ? report.shared_segments : report.copied_segments);
    if (!*is_shared) report.copied_bytes += segment.size();
  }
  return {};
}

/// The store's files, where they are of the checkpoint and nobody has the world open: to copy them
/// is faster than to make them. Elsewhere who first needs them makes them.
result<void> place_store(const placing& place, const checkpoint_file& checkpoint) {
  if (!checkpoint.store_matches || &place.files != &place.to_files) return {};
  std::unique_ptr<directory_lock> held;
  if (!place.is_locked) {
    auto lock = place.files.lock(place.from);
    if (!lock) return {};
    held = std::move(*lock);
  }
  auto now = read_checkpoint(place.files, place.from);
  if (!now || !*now || **now != checkpoint) return {};
  auto tables = plan_store(place.files, place.from);
  if (!tables) return propagate(tables);
  if (tables->empty()) return {};
  const std::string dir =
      place.to + "/" + tables->front().name.substr(0, tables->front().name.find('/'));
  if (auto ok = place.files.create_directories(dir); !ok) return ok;
  for (const branch_file& table : *tables)
    if (auto ok = copy_to(place.files, table, place.to + "/" + table.name); !ok) return ok;
  return place.files.sync_directory(dir);
}

result<void> place_images(const placing& place, seq_no cut, branch_report& report) {
  auto plan = plan_images(place.files, place.from, cut);
  if (!plan) return propagate(plan);
  if (!plan->has_value()) return {};
  for (const branch_file& image : (*plan)->images)
    if (auto done = place_file(place, image); !done) return propagate(done);
  if (auto ok = place.to_files.sync_directory(image_directory(place.to)); !ok) return ok;
  if (auto ok = place_store(place, (*plan)->checkpoint); !ok) return ok;
  report.checkpoint = (*plan)->checkpoint.seq;
  return replace_file(place.to_files, checkpoint_path(place.to), checkpoint_beside(**plan, false));
}

/// All of a fork but its WORLD file.
result<branch_report> fill_fork(placing place, const noted_paths& paths, const journal_cut& cut,
                                const branch_id& parent, const world_file& own,
                                const std::vector<seq_no>& erased) {
  const bool on_one_disk = &place.files == &place.to_files;
  ensure(!on_one_disk || place.from != place.to, "a fork is made elsewhere");
  branch_report report{
      .at = cut.at, .root = cut.root, .branch = hex_of(own.branch), .checkpoint = {}, .note = {}};
  // Before the first file is shared, so that whoever must find all names of a file finds them. What
  // is written out of memory shares none.
  if (on_one_disk) {
    const auto noted =
        note_fork(place.files, place.from,
                  {.world = own.id, .branch = own.branch, .at = cut.at, .path = paths.own});
    if (auto ok =
            note_origin(place.files, place.to,
                        {.world = own.id, .branch = parent, .at = cut.at, .path = paths.parent});
        !ok)
      return propagate(ok);
    if (!noted) report.note = place.from + " takes no note of the fork, so that no file is shared";
    place.may_share = noted.has_value();
  }
  if (auto ok = place_journal(place, cut, own, report); !ok) return propagate(ok);
  if (place.has_images_of_own)
    if (auto ok = place_images(place, cut.at, report); !ok) return propagate(ok);
  if (place.has_images_of_own)
    if (auto ok = carry_embedder_note(place.files, place.from, place.to_files, place.to); !ok)
      return propagate(ok);
  if (auto ok = check_erased_still(place.files, place.from, own.id, cut.at, erased); !ok)
    return propagate(ok);
  if (auto ok = write_erased_note(place.to_files, place.to, erased); !ok) return propagate(ok);
  auto elsewhere = erased_elsewhere_behind(place.files, place.from, own.id, cut.at);
  if (!elsewhere) return propagate(elsewhere);
  if (auto ok = write_erased_elsewhere(place.to_files, place.to, *elsewhere); !ok)
    return propagate(ok);
  return report;
}

} // namespace

result<branch_report> fork_files(file_system& files, const std::string& from, const std::string& to,
                                 const fork_options& options, const noted_paths& paths) {
  return fork_files(files, from, files, to, options, paths);
}

result<branch_report> fork_files(file_system& files, const std::string& from, file_system& to_files,
                                 const std::string& to, const fork_options& options,
                                 const noted_paths& paths) {
  auto parent = read_world_file(files, from);
  if (!parent) return propagate(parent);
  if (auto ok = check_journal_reaches_checkpoint(files, from, parent->id); !ok)
    return propagate(ok);
  const auto point = branch_point(files, from, parent->id, options.at_seq, options.at);
  if (!point) return std::unexpected(point.error());
  auto cut = find_cut(files, journal_directory(from), parent->id, *point);
  if (!cut) return propagate(cut);
  if (auto ok = check_not_erasing(files, from, parent->id); !ok) return propagate(ok);
  const char* const key = options.at ? "at" : "at_seq";
  if (auto ok = check_untrimmed(files, journal_directory(from), parent->id, cut->at, key); !ok)
    return propagate(ok);
  auto erased = erased_from_behind(files, from, parent->id, cut->at);
  if (!erased) return propagate(erased);
  auto made = unfinished_world::begin(to_files, to);
  if (!made) return propagate(made);
  world_file own = *point ? as_of(*parent, cut->at) : *parent;
  own.branch = draw_branch(options, parent->branch);
  ensure(own.id == parent->id && own.branch != parent->branch, "a fork is the same world");
  auto report = fill_fork({.files = files,
                           .from = from,
                           .to_files = to_files,
                           .to = to,
                           .has_images_of_own = own.former == parent->former,
                           .may_share = false,
                           .is_locked = paths.is_locked},
                          paths, *cut, parent->branch, own, *erased);
  if (report)
    if (auto ok = made->finish(own); !ok) report = propagate(ok);
  if (report) return report;
  report = std::unexpected(unless_trimmed_meanwhile(files, from, own.id, cut->at, report.error()));
  made->abandon();
  if (&files == &to_files) forget_fork(files, from, own.branch);
  return report;
}

} // namespace mneme
