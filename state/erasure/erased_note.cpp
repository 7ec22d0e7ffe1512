#include "state/erasure/erased_note.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "journal/erase_payloads.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme {

namespace {

constexpr std::string_view first_line = "mneme erased 1\n";

} // namespace

std::string erased_note_path(const std::string& directory) {
  return directory + "/ERASED";
}

result<std::vector<seq_no>> read_erased_note(file_system& files, const std::string& directory) {
  std::vector<seq_no> seqs;
  auto there = files.exists(erased_note_path(directory));
  if (!there) return propagate(there);
  if (!*there) return seqs;
  auto bytes = read_file(files, erased_note_path(directory));
  if (!bytes) return propagate(bytes);
  const auto damaged = [] { return fail(errc::corrupt, "the note ERASED cannot be read"); };
  std::string_view rest = *bytes;
  if (!rest.starts_with(first_line)) return damaged();
  rest.remove_prefix(first_line.size());
  while (!rest.empty()) {
    seq_no seq;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), seq.value);
    const auto size = static_cast<std::size_t>(end.ptr - rest.data());
    if (end.ec != std::errc() || size == rest.size() || rest[size] != '\n') return damaged();
    if (seq.value == 0 || (!seqs.empty() && seqs.back() >= seq)) return damaged();
    seqs.push_back(seq);
    rest.remove_prefix(size + 1);
  }
  return seqs;
}

result<void> check_not_erasing(file_system& files, const std::string& directory,
                               const world_id& world) {
  auto last = erased_by_last(files, journal_directory(directory), world);
  if (!last) return propagate(last);
  if (last->seqs.empty() && !last->is_trim) return {};
  auto checkpoint = read_checkpoint(files, directory);
  if (checkpoint && *checkpoint && (*checkpoint)->seq >= last->at) return {};
  return fail(errc::busy,
              directory + (last->is_trim ? " ends with a trim" : " ends with an erasure")
                  + " that goes on, or was broken off: to open it for writing finishes that");
}

result<std::vector<seq_no>> erased_from_behind(file_system& files, const std::string& directory,
                                               const world_id& world, seq_no cut) {
  auto seqs = read_erased_note(files, directory);
  if (!seqs) return seqs;
  if (cut == seq_no{~0ULL}) return seqs; // nothing is behind it
  auto walked = read_journal(files, journal_directory(directory), world, cut.next(), true,
                             [&](const journal_frame& frame) -> result<bool> {
                               auto erased = erased_by(frame);
                               if (!erased) return propagate(erased);
                               seqs->insert(seqs->end(), erased->begin(), erased->end());
                               return true;
                             });
  if (!walked) return propagate(walked);
  std::erase_if(*seqs, [&](seq_no seq) { return seq > cut; });
  return each_once(std::move(*seqs));
}

result<void> check_erased_still(file_system& files, const std::string& directory,
                                const world_id& world, seq_no cut,
                                const std::vector<seq_no>& known) {
  auto now = erased_from_behind(files, directory, world, cut);
  if (!now) return propagate(now);
  const auto untrimmed = check_untrimmed(files, journal_directory(directory), world, cut, "at");
  if (!untrimmed && untrimmed.error().code == errc::seq_unavailable)
    return fail(errc::busy, directory + " was trimmed meanwhile; try again");
  if (!untrimmed) return untrimmed;
  if (*now == known) return {};
  return fail(errc::busy, "something was erased in " + directory + " meanwhile; try again");
}

result<void> write_erased_note(file_system& files, const std::string& directory,
                               const std::vector<seq_no>& seqs) {
  if (seqs.empty()) return {};
  std::string note(first_line);
  for (const seq_no seq : seqs) note += fmt::format("{}\n", seq.value);
  return replace_file(files, erased_note_path(directory), note);
}

namespace {

std::string erased_ids_path(const std::string& directory) {
  return directory + "/ERASED_IDS";
}

/// Of what the frame's entries erase those memories that there were up to the cut.
result<void> add_ids(const journal_frame& frame, seq_no cut, std::set<memory_id>& ids) {
  auto entries = open_entries(frame);
  if (!entries) return propagate(entries);
  for (const entry& e : *entries)
    if (const auto* erased = std::get_if<erase_payload>(&e.payload);
        erased != nullptr && erased->head && !erased->seqs.empty() && erased->seqs.front() <= cut)
      ids.insert(erased->head->id);
  return {};
}

} // namespace

result<std::set<memory_id>> read_erased_ids(file_system& files, const std::string& directory) {
  std::set<memory_id> ids;
  auto there = files.exists(erased_ids_path(directory));
  if (!there) return propagate(there);
  if (!*there) return ids;
  auto bytes = read_file(files, erased_ids_path(directory));
  if (!bytes) return propagate(bytes);
  std::string_view rest = *bytes;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto id = parse_memory_id(rest.substr(0, end));
    if (!id || end == std::string_view::npos)
      return fail(errc::corrupt, "the note ERASED_IDS cannot be read");
    ids.insert(*id);
    rest.remove_prefix(end + 1);
  }
  return ids;
}

result<std::set<memory_id>> erased_ids_from_behind(file_system& files, const std::string& directory,
                                                   const world_id& world, seq_no cut) {
  auto ids = read_erased_ids(files, directory);
  if (!ids || cut == seq_no{~0ULL}) return ids;
  auto walked = read_journal(files, journal_directory(directory), world, cut.next(), true,
                             [&](const journal_frame& frame) -> result<bool> {
                               if (auto ok = add_ids(frame, cut, *ids); !ok) return propagate(ok);
                               return true;
                             });
  if (!walked) return propagate(walked);
  return ids;
}

result<void> write_erased_ids(file_system& files, const std::string& directory,
                              const std::set<memory_id>& ids) {
  if (ids.empty()) return {};
  std::string note;
  for (const memory_id& id : ids) note += to_string(id) + "\n";
  return replace_file(files, erased_ids_path(directory), note);
}

} // namespace mneme
