#include "state/retention/trim.hpp"

#include <algorithm>

#include "messages/ensure.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/erasure/purge.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/retention/trim_plan.hpp"

namespace mneme {

namespace {

/// Looks at the journal up to the point; answers where that is.
class planned_trim {
public:
  planned_trim(file_system& files, const std::string& directory, const world_id& world,
               const trim_options& options)
      : files_(files), directory_(directory), world_(world), options_(options) {}

  result<void> look() {
    auto walked =
        read_journal(files_, journal_directory(directory_), world_, seq_no{1}, true,
                     [&](const journal_frame& frame) -> result<bool> { return take(frame); });
    if (!walked) return walked;
    if (options_.before && !is_found_ && *options_.before > before_)
      return fail(errc::seq_unavailable,
                  "the journal ends at seq " + std::to_string(before_.value - 1), "before");
    return {};
  }

  [[nodiscard]] seq_no before() const { return before_; }
  [[nodiscard]] const trim_plan& plan() const { return plan_; }

private:
  result<bool> take(const journal_frame& frame) {
    if (frame.prefix.seal) return true;
    auto entries = open_entries(frame);
    if (!entries) return propagate(entries);
    is_found_ =
        (options_.before && last_seq(frame.prefix) >= *options_.before)
        || (options_.before_time && entries->back().header.created_at >= *options_.before_time);
    if (is_found_) return false;
    auto due = follower_.before(files_, journal_directory(directory_), world_, frame);
    if (!due) return propagate(due);
    if (*due) plan_.carry(**due);
    plan_.take(*entries);
    before_ = last_seq(frame.prefix).next();
    if (options_.on_progress) options_.on_progress(before_.value - 1, 0);
    return true;
  }

  file_system& files_;
  std::string directory_;
  world_id world_;
  const trim_options& options_;
  trim_follower follower_;
  trim_plan plan_;
  seq_no before_{1};
  bool is_found_ = false;
};

trim_report report_of(const planned_trim& planned) {
  trim_report report{.at = {}, .before = planned.before()};
  report.dropped = planned.plan().dropped();
  report.dropped_bytes = planned.plan().dropped_bytes();
  if (report.dropped == 0) return report;
  const trim_payload payload = planned.plan().finish(report.before);
  report.carried = payload.used.size();
  const std::uint64_t written =
      encode(entry_payload(payload)).size() + frame_prefix_bytes + planned.plan().marks_bytes();
  if (written < report.dropped_bytes) report.saved_bytes = report.dropped_bytes - written;
  return report;
}

result<std::uint64_t> journal_size(file_system& files, const std::string& directory) {
  const std::string dir = journal_directory(directory);
  auto names = files.list(dir);
  if (!names) return propagate(names);
  std::uint64_t bytes = 0;
  for (const std::string& name : *names) {
    auto in = files.open(dir + "/" + name, open_mode::read);
    if (!in) return propagate(in);
    auto size = (*in)->size();
    if (!size) return propagate(size);
    bytes += *size;
  }
  return bytes;
}

entry entry_of(const planned_trim& planned, const trim_options& options, const world& w) {
  trim_payload payload = planned.plan().finish(planned.before());
  payload.reason = options.reason;
  payload.actor = options.by;
  const auto random = options.random != nullptr ? options.random : make_system_random();
  random->fill(payload.nonce);
  const auto time = options.time != nullptr ? options.time : make_system_clock();
  return seal_entry({.seq = w.published_seq().next(),
                     .kind = entry_kind::trim,
                     .created_at = std::max(time->now(), w.last_entry_at),
                     .created_by = options.by,
                     .leaves = {},
                     .payload_hash = {}},
                    std::move(payload));
}

/// With the world locked, and nothing of it open.
result<trim_report> look_only(const world_options& options, const trim_options& trim) {
  auto info = read_world_file(*options.files, options.directory);
  if (!info) return propagate(info);
  auto lock = options.files->lock(options.directory);
  if (!lock) return propagate(lock);
  planned_trim planned(*options.files, options.directory, info->id, trim);
  if (auto ok = planned.look(); !ok) return propagate(ok);
  trim_report report = report_of(planned);
  auto bytes = journal_size(*options.files, options.directory);
  if (!bytes) return propagate(bytes);
  report.journal_bytes_before = report.journal_bytes = *bytes;
  return report;
}

} // namespace

result<trim_report> trim_files(const world_options& options, const trim_options& trim) {
  if (trim.before && trim.before_time)
    return fail(errc::bad_value, "a trim is before a seq or before a time", "before");
  if (trim.dry_run) return look_only(options, trim);
  auto opened = open_world(options);
  if (!opened) return propagate(opened);
  planned_trim planned(*options.files, options.directory, (*opened)->info.id, trim);
  if (auto ok = planned.look(); !ok) return propagate(ok);
  trim_report report = report_of(planned);
  report.journal_bytes_before = report.journal_bytes = (*opened)->journal->bytes();
  if (report.saved_bytes == 0) {
    if (auto ok = close_world(**opened); !ok) return propagate(ok);
    return report;
  }
  if (auto ok = check_room(*options.files, options.directory, room_for_erasure(**opened)); !ok)
    return propagate(ok);
  report.at = (*opened)->published_seq().next();
  std::vector<entry> entries;
  entries.push_back(entry_of(planned, trim, **opened));
  if (auto ok = commit_directly(**opened, std::move(entries), true); !ok) return propagate(ok);
  // Whoever opens it now takes out what the entry names, as after a crash here.
  opened->reset();
  auto trimmed = open_world(options);
  if (!trimmed) return propagate(trimmed);
  ensure((*trimmed)->published_seq() == report.at, "nothing comes between a trim and its end");
  report.journal_bytes = (*trimmed)->journal->bytes();
  if (auto ok = close_world(**trimmed); !ok) return propagate(ok);
  return report;
}

} // namespace mneme
