#include "state/branch/backup.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "journal/erase_payloads.hpp"
#include "journal/segment.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"
#include "messages/text/hex.hpp"
#include "state/branch/beside.hpp"
#include "state/branch/branch_files.hpp"
#include "state/branch/unfinished.hpp"
#include "state/checkpoint/embedder_file.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme {

namespace {

struct backup_plan {
  world_file info;
  journal_cut cut;
  std::vector<branch_file> segments;
  std::optional<planned_images> images;
  std::vector<seq_no> erased; ///< though no entry up to the cut says so
};

result<backup_plan> plan_backup(file_system& files, const std::string& from) {
  backup_plan plan;
  auto info = read_world_file(files, from);
  if (!info) return propagate(info);
  plan.info = std::move(*info);
  if (auto ok = check_journal_reaches_checkpoint(files, from, plan.info.id); !ok)
    return propagate(ok);
  // Before the cut, which is then not before them.
  auto cut = find_cut(files, journal_directory(from), plan.info.id, {});
  if (!cut) return propagate(cut);
  plan.cut = std::move(*cut);
  auto images = plan_images(files, from, plan.cut.at);
  if (!images) return propagate(images);
  plan.images = std::move(*images);
  if (auto ok = check_not_erasing(files, from, plan.info.id); !ok) return propagate(ok);
  auto erased = erased_from_behind(files, from, plan.info.id, plan.cut.at);
  if (!erased) return propagate(erased);
  plan.erased = std::move(*erased);
  auto segments = plan_journal(files, from, plan.cut, plan.info);
  if (!segments) return propagate(segments);
  plan.segments = std::move(*segments);
  return plan;
}

branch_report report_of(const backup_plan& plan) {
  branch_report report{.at = plan.cut.at,
                       .root = plan.cut.root,
                       .branch = hex_of(plan.info.branch),
                       .checkpoint = {},
                       .note = {}};
  if (plan.images) report.checkpoint = plan.images->checkpoint.seq;
  return report;
}

/// What an earlier backup left in a directory.
struct earlier_backup {
  std::vector<seq_no> segments;
  seq_no checkpoint; ///< 0: none
  /// Its images have what was erased in the world since.
  bool has_old_images = false;
  std::vector<seq_no> erased; ///< since, in the world, of what it has
  std::vector<seq_no> zeros;  ///< of what it has or gets, until it has what says so
  erased_elsewhere elsewhere; ///< of which memories and fields that was all
  bool has_trimmed = false;   ///< the same of a trim
  /// The world has another embedder since, or not all of it had a vector of this one.
  bool has_former_embedder = false;
};

/// already_exists unless what it holds is the beginning of what the world has.
result<earlier_backup> read_earlier(file_system& files, const std::string& from,
                                    const std::string& to, const backup_plan& plan) {
  auto info = read_world_file(files, to);
  if (!info) return propagate(info);
  if (info->id != plan.info.id)
    return fail(errc::already_exists,
                to + " holds another world than " + from + ", and no backup of it", "into");
  earlier_backup found;
  found.has_former_embedder =
      info->former != plan.info.former || info->is_being_embedded != plan.info.is_being_embedded;
  if (info->branch != plan.info.branch || info->name != plan.info.name)
    return fail(errc::already_exists,
                to + " is of another branch than " + from
                    + ", which is a fork, or was rewound since: it is left as it is; make the "
                      "backup in another directory",
                "into");
  auto there = find_cut(files, journal_directory(to), plan.info.id, {});
  if (!there) return propagate(there);
  auto here = there->at > plan.cut.at
                  ? fail(errc::seq_unavailable, "")
                  : find_cut(files, journal_directory(from), plan.info.id, there->at);
  if (!here && here.error().code == errc::io) return propagate(here);
  if (!here || here->entry_frame != there->entry_frame)
    return fail(
        errc::already_exists,
        fmt::format("{} is a copy of {} that went on by itself, up to seq {}: it is left as "
                    "it is; make the backup in another directory",
                    to, from, there->at.value),
        "into");
  auto segments = list_segments(files, journal_directory(to));
  if (!segments) return propagate(segments);
  auto checkpoint = read_checkpoint(files, to);
  auto erased = erased_from_behind(files, from, plan.info.id, there->at);
  if (!erased) return propagate(erased);
  // A backup that took an erasure over and was broken off has noted more than one that is done.
  auto noted = read_erased_note(files, to);
  if (!noted) return propagate(noted);
  std::ranges::set_difference(*noted, plan.erased, std::back_inserter(*erased));
  *erased = each_once(std::move(*erased));
  found.segments = std::move(*segments);
  found.erased = std::move(*erased);
  erased = erased_up_to(files, from, plan.info.id, there->at, plan.cut.at);
  if (!erased) return propagate(erased);
  erased->insert(erased->end(), found.erased.begin(), found.erased.end());
  found.zeros = each_once(std::move(*erased));
  auto elsewhere = erased_elsewhere_behind(files, from, plan.info.id, there->at);
  if (!elsewhere) return propagate(elsewhere);
  found.elsewhere = std::move(*elsewhere);
  auto is_trimmed = has_trim_behind(files, journal_directory(from), plan.info.id, there->at);
  if (!is_trimmed) return propagate(is_trimmed);
  found.has_trimmed = *is_trimmed;
  if (checkpoint && *checkpoint) {
    found.checkpoint = (*checkpoint)->seq;
    erased = erased_from_behind(files, from, plan.info.id, found.checkpoint);
    if (!erased) return propagate(erased);
    found.has_old_images = !erased->empty();
  }
  return found;
}

/// In which order segments are copied, so that what is there is a journal at every moment: behind
/// each other. But where what the earlier backup has was erased since, that goes from its end on:
/// what is left of it names nothing that is gone already.
std::vector<std::size_t> order_of(const backup_plan& plan, const earlier_backup& earlier) {
  std::vector<std::size_t> order(plan.segments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!earlier.erased.empty())
    std::reverse(order.begin(), order.begin()
                                    + static_cast<std::ptrdiff_t>(
                                        std::min(earlier.segments.size(), order.size())));
  return order;
}

result<void> copy_segments(file_system& files, const std::string& to, const backup_plan& plan,
                           const earlier_backup& earlier, branch_report& report) {
  const std::string dir = journal_directory(to);
  // A segment that was begun there holds a seal at most.
  for (const seq_no first : earlier.segments) {
    const std::string path = dir + "/" + segment_name(first);
    const bool is_wanted = std::ranges::any_of(
        plan.segments, [&](const branch_file& s) { return to + "/" + s.name == path; });
    if (is_wanted) continue;
    if (auto ok = files.remove(path); !ok) return ok;
    if (auto ok = files.sync_directory(dir); !ok) return ok;
  }
  ensure(!plan.segments.empty() && !plan.segments.back().is_fixed,
         "the last segment is the copy's own");
  const std::size_t full_there =
      !earlier.erased.empty() ? 0 : std::max<std::size_t>(earlier.segments.size(), 1) - 1;
  for (const std::size_t i : order_of(plan, earlier)) {
    const branch_file& segment = plan.segments[i];
    if (i < full_there && segment.is_fixed) {
      ++report.kept_segments;
      continue;
    }
    if (auto ok = copy_to(files, segment, to + "/" + segment.name); !ok) return ok;
    if (auto ok = files.sync_directory(dir); !ok) return ok;
    ++report.copied_segments;
    report.copied_bytes += segment.size();
  }
  return {};
}

/// What a checkpoint of before had, also where a crash brought it back: it may have what was erased
/// since.
result<void> remove_old_images(file_system& files, const std::string& to,
                               const checkpoint_file& checkpoint) {
  const std::string dir = image_directory(to);
  auto names = files.list(dir);
  if (!names) return propagate(names);
  const std::vector<std::string> current = image_files(checkpoint);
  bool is_any_old = false;
  for (const auto& name : *names) {
    if (std::ranges::find(current, name) != current.end()) continue;
    if (auto ok = files.remove(fmt::format("{}/{}", dir, name)); !ok) return ok;
    is_any_old = true;
  }
  return is_any_old ? files.sync_directory(dir) : result<void>();
}

result<void> copy_images(file_system& files, const std::string& to, const backup_plan& plan,
                         seq_no there) {
  if (!plan.images) return {};
  if (plan.images->checkpoint.seq < there) return {};
  if (plan.images->checkpoint.seq == there)
    return remove_old_images(files, to, plan.images->checkpoint);
  const std::string dir = image_directory(to);
  if (auto ok = files.create_directories(dir); !ok) return ok;
  for (const branch_file& image : plan.images->images)
    if (auto ok = copy_to(files, image, to + "/" + image.name); !ok) return ok;
  if (auto ok = files.sync_directory(dir); !ok) return ok;
  auto stores = store_names(files, to);
  if (!stores) return propagate(stores);
  if (auto ok = replace_file(files, checkpoint_path(to),
                             checkpoint_beside(*plan.images, !stores->empty()));
      !ok)
    return ok;
  return remove_old_images(files, to, plan.images->checkpoint);
}

result<void> copy_all(file_system& files, const std::string& from, const std::string& to,
                      const backup_plan& plan, const earlier_backup& earlier,
                      branch_report& report) {
  // What explains zeros is there before the first of them, and what still has it goes first.
  if (!earlier.zeros.empty())
    if (auto ok = write_erased_note(files, to, earlier.zeros); !ok) return ok;
  if (!earlier.erased.empty()) {
    if (auto ok = write_erased_elsewhere(files, to, earlier.elsewhere); !ok) return ok;
    // Whoever read the backup made a store of it, which has what was there then.
    if (auto ok = remove_stores(files, to); !ok) return ok;
  }
  // None that a CHECKPOINT does not name is left of an attempt that was broken off.
  if (earlier.has_old_images || earlier.checkpoint == seq_no{})
    if (auto ok = remove_images(files, to); !ok) return ok;
  if (auto ok = copy_segments(files, to, plan, earlier, report); !ok) return ok;
  if (auto ok =
          copy_images(files, to, plan, earlier.has_old_images ? seq_no{} : earlier.checkpoint);
      !ok)
    return ok;
  if (auto ok = check_erased_still(files, from, plan.info.id, plan.cut.at, plan.erased); !ok)
    return ok;
  if (auto ok = write_erased_note(files, to, plan.erased); !ok) return ok;
  auto elsewhere = erased_elsewhere_behind(files, from, plan.info.id, plan.cut.at);
  if (!elsewhere) return propagate(elsewhere);
  if (auto ok = write_erased_elsewhere(files, to, *elsewhere); !ok) return ok;
  return carry_embedder_note(files, from, files, to);
}

/// Where no world is, or one that was never finished. `for_place`: of which directory it is made
/// beside; else empty.
result<branch_report> backup_anew(file_system& files, const std::string& from,
                                  const std::string& to, const backup_plan& plan,
                                  const std::string& for_place = {}) {
  branch_report report = report_of(plan);
  auto made = unfinished_world::begin(files, to);
  if (!made) return propagate(made);
  auto copied = for_place.empty() ? result<void>() : mark_beside(files, to, for_place);
  if (copied) copied = copy_all(files, from, to, plan, {}, report);
  if (copied) copied = made->finish(plan.info);
  if (copied) return report;
  made->abandon();
  return std::unexpected(
      unless_trimmed_meanwhile(files, from, plan.info.id, plan.cut.at, copied.error()));
}

/// There is no world in the directory until the new one is whole.
result<branch_report> backup_in_place(file_system& files, const std::string& from,
                                      const std::string& to, const backup_plan& plan,
                                      std::unique_ptr<directory_lock> lock) {
  if (auto ok = replace_file(files, unfinished_path(to), "a backup\n"); !ok) return propagate(ok);
  if (auto ok = files.remove(world_path(to)); !ok) return propagate(ok);
  lock.reset();
  return backup_anew(files, from, to, plan);
}

/// Whether a backup can be made beside `to`: nothing of somebody else is there.
bool is_place_beside(file_system& files, const std::string& to) {
  const std::string directory = beside(to);
  if (!files.create_directories(directory)) return false;
  const auto names = files.list(directory);
  return names && std::ranges::all_of(*names, is_of_nothing_begun);
}

/// The backup in `to` stays until the new one is whole. `lock` is that of `to`.
result<branch_report> backup_beside(file_system& files, const std::string& from,
                                    const std::string& to, const backup_plan& plan,
                                    std::unique_ptr<directory_lock> lock) {
  auto report = backup_anew(files, from, beside(to), plan, to);
  if (!report) return report;
  auto taken = mark_beside(files, to, to);
  if (taken) taken = files.exchange(to, beside(to));
  // Whichever is in the place now stays there.
  if (auto ok = unmark_beside(files, to); !ok) return propagate(ok);
  if (taken) lock.reset();
  if (auto ok = remove_beside(files, to); !ok) return propagate(ok);
  if (taken) return report;
  if (taken.error().code != errc::unsupported) return propagate(taken);
  return backup_in_place(files, from, to, plan, std::move(lock));
}

} // namespace

result<branch_report> backup_files(file_system& files, const std::string& from,
                                   const std::string& to, bool may_change_places) {
  auto plan = plan_backup(files, from);
  if (!plan) return propagate(plan);
  auto there = files.exists(world_path(to));
  if (!there) return propagate(there);
  if (!*there) return backup_anew(files, from, to, *plan);
  branch_report report = report_of(*plan);
  auto lock = files.lock(to);
  if (!lock) return propagate(lock);
  auto earlier = read_earlier(files, from, to, *plan);
  if (!earlier) return propagate(earlier);
  const bool has_place = may_change_places && beside(to) != from;
  if (has_place)
    if (auto ok = remove_beside(files, to); !ok) return propagate(ok);
  if (auto ok = unmark_beside(files, to); !ok) return propagate(ok);
  // Its segments are not the world's any more: one beside the other they are no journal. Of another
  // embedder neither images nor WORLD are.
  if (earlier->has_trimmed || earlier->has_former_embedder)
    return has_place && is_place_beside(files, to)
               ? backup_beside(files, from, to, *plan, std::move(*lock))
               : backup_in_place(files, from, to, *plan, std::move(*lock));
  if (auto ok = copy_all(files, from, to, *plan, *earlier, report); !ok) return propagate(ok);
  return report;
}

namespace {

/// Frame by frame, with every payload: no image is asked, since the journal is what joins.
result<void> check_copied_journal(file_system& files, const std::string& to,
                                  const backup_plan& plan) {
  seq_no last;
  auto read = read_journal(files, journal_directory(to), plan.info.id, seq_no{1}, false,
                           [&](const journal_frame& frame) -> result<bool> {
                             auto entries = open_entries(frame);
                             if (!entries) return propagate(entries);
                             if (!entries->empty()) last = entries->back().header.seq;
                             return true;
                           });
  if (!read) return read;
  if (last == plan.cut.at) return {};
  return fail(errc::corrupt, fmt::format("the journal ends at seq {}, and was to end at {}",
                                         last.value, plan.cut.at.value));
}

} // namespace

result<branch_report> copy_for_log(file_system& files, const std::string& from,
                                   const std::string& to, const std::string& address,
                                   const cut_check& check) {
  auto plan = plan_backup(files, from);
  if (!plan) return propagate(plan);
  if (auto ok = check(plan->info, plan->cut); !ok) return propagate(ok);
  branch_report report = report_of(*plan);
  // Whether the log has a seal there, it says.
  plan->cut.begun_bytes = plan->cut.entry_bytes;
  plan->cut.last_frame = plan->cut.entry_frame;
  plan->cut.ends_with_seal = false;
  plan->cut.root.reset();
  auto segments = plan_journal(files, from, plan->cut, plan->info);
  if (!segments) return propagate(segments);
  plan->segments = std::move(*segments);
  auto made = unfinished_world::begin(files, to);
  if (!made) return propagate(made);
  auto copied = write_log_file(files, to, address);
  if (copied) copied = copy_all(files, from, to, *plan, {}, report);
  if (copied) copied = check_copied_journal(files, to, *plan);
  if (copied) copied = made->finish(plan->info);
  if (copied) return report;
  made->abandon();
  return std::unexpected(
      unless_trimmed_meanwhile(files, from, plan->info.id, plan->cut.at, copied.error()));
}

result<branch_report> stream_files(file_system& files, const std::string& from, backup_stream& to) {
  auto plan = plan_backup(files, from);
  if (!plan) return propagate(plan);
  branch_report report = report_of(*plan);
  const auto send = [&](const branch_file& file) -> result<void> {
    if (auto ok = to.begin(file.name, file.size()); !ok) return ok;
    return for_each_part(files, file, [&](std::string_view bytes) { return to.write(bytes); });
  };
  const auto send_text = [&](std::string name, std::string bytes) {
    return send({.name = std::move(name), .from = {}, .tail = std::move(bytes)});
  };
  for (const branch_file& segment : plan->segments) {
    if (auto ok = send(segment); !ok) return propagate(ok);
    ++report.copied_segments;
    report.copied_bytes += segment.size();
  }
  if (plan->images) {
    for (const branch_file& image : plan->images->images)
      if (auto ok = send(image); !ok) return propagate(ok);
    if (auto ok = send_text("CHECKPOINT", checkpoint_beside(*plan->images, false)); !ok)
      return propagate(ok);
  }
  if (auto note = read_file(files, erased_note_path(from)))
    if (auto ok = send_text("ERASED", std::move(*note)); !ok) return propagate(ok);
  for (const std::string name : {"ERASED_IDS", "ERASED_FIELDS"})
    if (auto note = read_file(files, fmt::format("{}/{}", from, name)))
      if (auto ok = send_text(name, std::move(*note)); !ok) return propagate(ok);
  if (auto note = read_file(files, embedder_path(from)))
    if (auto ok = send_text("EMBEDDER", std::move(*note)); !ok) return propagate(ok);
  if (auto ok = check_erased_still(files, from, plan->info.id, plan->cut.at, plan->erased); !ok)
    return propagate(ok);
  // Last, so that what was broken off is no world.
  if (auto ok = send_text("WORLD", encode(plan->info)); !ok) return propagate(ok);
  return report;
}

} // namespace mneme
