#include "state/retention/trim.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/journal_cut.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/erasure/purge.hpp"
#include "state/retention/planned_trim.hpp"
#include "state/retention/retention_rule.hpp"

namespace mneme {

namespace {

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
  trim_payload payload = planned.payload();
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
  trim_report report = planned.report();
  auto bytes = journal_size(*options.files, options.directory);
  if (!bytes) return propagate(bytes);
  report.journal_bytes_before = report.journal_bytes = *bytes;
  return report;
}

/// At the first of the points that are given.
result<trim_report> trim_at(world_options options, const trim_options& trim) {
  options.may_load_late = false; // what is written next changes all indexes
  auto opened = open_world(options);
  if (!opened) return propagate(opened);
  // Of what a plan holds there is no need any more when the world is opened once more.
  auto planned =
      std::make_unique<planned_trim>(*options.files, options.directory, (*opened)->info.id, trim);
  if (auto ok = planned->look(); !ok) return propagate(ok);
  trim_report report = planned->report();
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
  if (!kept.any()) return;
  file_system& files = *options.files;
  auto info = read_world_file(files, options.directory);
  auto bytes = info ? journal_size(files, options.directory) : propagate(info);
  if (!bytes || !is_worth_a_look(*bytes, looked_at_bytes(files, options.directory))) return;
  auto trim = trim_of(kept, options.time != nullptr ? options.time : make_system_clock());
  if (kept.entries != 0) {
    trim.before = first_of_last(files, options.directory, info->id, kept.entries);
    if (!trim.before) return;
  }
  auto done = look_only(options, trim);
  if (done && is_worth_it(*done)) {
    world_options opening = options;
    opening.create = false;
    done = trim_at(opening, trim);
  }
  if (done) note_look(files, options.directory, done->journal_bytes);
}

} // namespace mneme
