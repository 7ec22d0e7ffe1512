#include "state/retention/trimming_note.hpp"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "journal/trim_payloads.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

namespace {

constexpr std::string_view first_line = "mneme trimming 1\n";

std::string path_of(const std::string& directory) {
  return directory + "/TRIMMING";
}

/// 0: the note says nothing.
seq_no named_by(const std::string& note) {
  seq_no at;
  if (!note.starts_with(first_line)) return at;
  const std::string_view text = std::string_view(note).substr(first_line.size());
  std::from_chars(text.data(), text.data() + text.size(), at.value);
  return at;
}

} // namespace

result<void> write_trimming_note(file_system& files, const std::string& directory, seq_no at) {
  return replace_file(files, path_of(directory), fmt::format("{}{}\n", first_line, at.value));
}

result<void> remove_trimming_note(file_system& files, const std::string& directory) {
  if (auto ok = files.remove(path_of(directory)); !ok) return ok;
  return files.sync_directory(directory);
}

seq_no noted_trim(file_system& files, const std::string& directory) {
  const auto note = read_file(files, path_of(directory));
  return note ? named_by(*note) : seq_no{};
}

result<void> finish_trimming(file_system& files, const std::string& directory,
                             const world_id& world, bool keeps_note) {
  auto there = files.exists(path_of(directory));
  if (!there || !*there) return there ? result<void>() : propagate(there);
  auto note = read_file(files, path_of(directory));
  if (!note) return propagate(note);
  const seq_no at = named_by(*note);
  const std::string dir = journal_directory(directory);
  // An entry that is no trim, or is not there: the one that the note was made for was not written.
  auto by = at.value == 0 ? fail(errc::corrupt, "") : read_trim(files, dir, world, at);
  if (!by && by.error().code != errc::corrupt) return propagate(by);
  // Behind its entry nothing is dropped; that began a segment.
  if (by && by->at == at) {
    auto is_done = is_trimmed_by(files, dir, world, *by);
    result<void> dropped;
    if (!is_done)
      dropped = propagate(is_done);
    else if (!*is_done)
      dropped = drop_payloads(files, dir, *by, {.segment = at.next(), .offset = 0});
    // An erasure may have been broken off since, which is finished when the journal is opened: the
    // rest is for the open behind that.
    if (!dropped && dropped.error().code == errc::corrupt) return {};
    if (!dropped) return dropped;
  }
  return keeps_note ? result<void>() : remove_trimming_note(files, directory);
}

} // namespace mneme
