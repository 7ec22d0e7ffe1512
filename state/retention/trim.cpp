#include "state/retention/trim.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "journal/journal_cut.hpp"
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
  ensure(report.before.value > 1, "what is dropped is before the point");
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
    auto in = files.open(fmt::format("{}/{}", dir, name), open_mode::read);
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

/// At the first of the points that are given.
result<trim_report> trim_at(const world_options& options, const trim_options& trim) {
  auto opened = open_world(options);
  if (!opened) return propagate(opened);
  // Of what a plan holds there is no need any more when the world is opened once more.
  auto planned =
      std::make_unique<planned_trim>(*options.files, options.directory, (*opened)->info.id, trim);
  if (auto ok = planned->look(); !ok) return propagate(ok);
  trim_report report = report_of(*planned);
  report.journal_bytes_before = report.journal_bytes = (*opened)->journal->bytes();
  if (report.saved_bytes == 0) {
    if (auto ok = close_world(**opened); !ok) return propagate(ok);
    return report;
  }
  if (auto ok = check_room(*options.files, options.directory, room_for_erasure(**opened)); !ok)
    return propagate(ok);
  report.at = (*opened)->published_seq().next();
  std::vector<entry> entries;
  entries.push_back(entry_of(*planned, trim, **opened));
  planned.reset();
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

constexpr std::string_view note_line = "mneme trimmed 1\n";
constexpr std::uint64_t least_journal_bytes = 4ULL << 20;

std::string note_path(const std::string& directory) {
  return directory + "/TRIMMED";
}

/// How long the journal was when it was looked at last; 0: that is not known.
std::uint64_t looked_at(file_system& files, const std::string& directory) {
  auto note = read_file(files, note_path(directory));
  if (!note || !note->starts_with(note_line)) return 0;
  std::uint64_t bytes = 0;
  const std::string_view text = std::string_view(*note).substr(note_line.size());
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

/// The first entry that is kept for being one of the last; nullopt: all are.
std::optional<seq_no> first_of_last(file_system& files, const std::string& directory,
                                    const world_id& world, std::uint64_t entries) {
  auto end = find_cut(files, journal_directory(directory), world, {});
  if (!end || end->at.value <= entries) return std::nullopt;
  return seq_no{end->at.value - entries + 1};
}

} // namespace

result<trim_report> trim_files(const world_options& options, const trim_options& trim) {
  if (trim.before && trim.before_time)
    return fail(errc::bad_value, "a trim is before a seq or before a time", "before");
  return trim.dry_run ? look_only(options, trim) : trim_at(options, trim);
}

void trim_if_worth_it(const world_options& options, const kept_history& kept) {
  if (kept.entries == 0 && kept.ns == 0) return;
  file_system& files = *options.files;
  auto info = read_world_file(files, options.directory);
  auto bytes = info ? journal_size(files, options.directory) : propagate(info);
  if (!bytes || *bytes < least_journal_bytes) return;
  if (*bytes < looked_at(files, options.directory) * 3 / 2) return;
  trim_options trim;
  trim.reason = "retention";
  trim.time = options.time != nullptr ? options.time : make_system_clock();
  if (kept.ns != 0) trim.before_time = timestamp{trim.time->now().ns - kept.ns};
  if (kept.entries != 0) {
    trim.before = first_of_last(files, options.directory, info->id, kept.entries);
    if (!trim.before) return;
  }
  auto done = look_only(options, trim);
  if (done && done->saved_bytes >= *bytes / 4) {
    world_options opening = options;
    opening.create = false;
    done = trim_at(opening, trim);
  }
  if (!done) return;
  static_cast<void>(replace_file(files, note_path(options.directory),
                                 fmt::format("{}{}\n", note_line, done->journal_bytes)));
}

} // namespace mneme
