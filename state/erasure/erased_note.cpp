#include "state/erasure/erased_note.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "journal/erase_payloads.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/codec/canonical.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/sealed_file.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme {

namespace {

constexpr std::string_view first_line = "mneme erased 1\n";

/// One that would say nothing goes.
result<void> write_note(file_system& files, const std::string& path, const std::string& note) {
  if (!note.empty()) return replace_file(files, path, note);
  auto there = files.exists(path);
  if (!there) return propagate(there);
  if (!*there) return {};
  if (auto ok = files.remove(path); !ok) return ok;
  return files.sync_directory(path.substr(0, path.rfind('/')));
}

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

namespace {

result<void> walk_behind(file_system& files, const std::string& directory, const world_id& world,
                         seq_no cut, read_behind how,
                         const std::function<result<bool>(const journal_frame&)>& visit) {
  auto walked = read_journal(files, journal_directory(directory), world, cut.next(), true, visit);
  const bool is_damage = !walked && walked.error().code == errc::corrupt;
  return is_damage && how == read_behind::up_to_damage ? result<void>() : walked;
}

/// Those that entries behind `cut` erase, and those of the note, up to `end`.
result<std::vector<seq_no>> erased_behind(file_system& files, const std::string& directory,
                                          const world_id& world, seq_no cut, seq_no end,
                                          read_behind how) {
  auto seqs = read_erased_note(files, directory);
  if (!seqs) return seqs;
  if (cut == seq_no{~0ULL}) return seqs; // nothing is behind it
  auto walked = walk_behind(files, directory, world, cut, how,
                            [&](const journal_frame& frame) -> result<bool> {
                              auto erased = erased_by(frame);
                              if (!erased) return propagate(erased);
                              seqs->insert(seqs->end(), erased->begin(), erased->end());
                              return true;
                            });
  if (!walked) return propagate(walked);
  std::erase_if(*seqs, [&](seq_no seq) { return seq > end; });
  return each_once(std::move(*seqs));
}

} // namespace

result<std::vector<seq_no>> erased_from_behind(file_system& files, const std::string& directory,
                                               const world_id& world, seq_no cut, read_behind how) {
  return erased_behind(files, directory, world, cut, cut, how);
}

result<std::vector<seq_no>> erased_up_to(file_system& files, const std::string& directory,
                                         const world_id& world, seq_no cut, seq_no end) {
  return erased_behind(files, directory, world, cut, end, read_behind::all);
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

error unless_trimmed_meanwhile(file_system& files, const std::string& directory,
                               const world_id& world, seq_no cut, error why) {
  if (why.code != errc::corrupt) return why;
  const auto is_trimmed = has_trim_behind(files, journal_directory(directory), world, cut);
  if (!is_trimmed || !*is_trimmed) return why;
  return {errc::busy, directory + " was trimmed meanwhile; try again", {}};
}

result<void> write_erased_note(file_system& files, const std::string& directory,
                               const std::vector<seq_no>& seqs) {
  std::string note(seqs.empty() ? "" : first_line);
  for (const seq_no seq : seqs) note += fmt::format("{}\n", seq.value);
  return write_note(files, erased_note_path(directory), note);
}

namespace {

constexpr std::string_view fields_magic = "MNEMEEFD";

std::string erased_ids_path(const std::string& directory) {
  return directory + "/ERASED_IDS";
}

std::string erased_fields_path(const std::string& directory) {
  return directory + "/ERASED_FIELDS";
}

/// Empty where there is no such file, as in a file that says nothing.
result<std::string> read_if_there(file_system& files, const std::string& path) {
  auto there = files.exists(path);
  if (!there) return propagate(there);
  return *there ? read_file(files, path) : std::string();
}

std::optional<seq_no> decode_seq(std::string_view digits) {
  seq_no seq;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), seq.value);
  if (end.ec != std::errc() || end.ptr != digits.data() + digits.size()) return std::nullopt;
  return seq;
}

result<std::map<memory_id, seq_no>> decode_ids(std::string_view rest) {
  std::map<memory_id, seq_no> ids;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const auto blank = line.find(' ');
    const auto id = parse_memory_id(line.substr(0, blank));
    const auto seq =
        blank == std::string_view::npos ? seq_no{} : decode_seq(line.substr(blank + 1));
    if (!id || !seq || end == std::string_view::npos)
      return fail(errc::corrupt, "the note ERASED_IDS cannot be read");
    ids.emplace(*id, *seq);
    rest.remove_prefix(end + 1);
  }
  return ids;
}

std::string encode_ids(const std::map<memory_id, seq_no>& ids) {
  std::string note;
  for (const auto& [id, since] : ids)
    note += since.value == 0 ? to_string(id) + "\n"
                             : fmt::format("{} {}\n", to_string(id), since.value);
  return note;
}

void add_field(erased_elsewhere& known, topic_field left) {
  std::string name = left.head.name;
  known.fields[left.head.topic].insert_or_assign(std::move(name), std::move(left));
}

result<void> decode_fields(std::string_view bytes, erased_elsewhere& known) {
  if (bytes.empty()) return {};
  const auto damaged = [] { return fail(errc::corrupt, "the note ERASED_FIELDS cannot be read"); };
  auto body = open_sealed_file(fields_magic, bytes, "the note ERASED_FIELDS");
  if (!body) return propagate(body);
  canonical_reader in(*body);
  const auto count = in.array();
  if (!count) return damaged();
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto record = in.binary();
    if (!record) return damaged();
    auto left = decode_topic_field(*record);
    if (!left || !left->erased) return damaged();
    add_field(known, std::move(*left));
  }
  return in.at_end() ? result<void>() : damaged();
}

std::string encode_fields(const erased_elsewhere& known) {
  std::vector<std::string> records;
  for (const auto& [topic, fields] : known.fields)
    for (const auto& [name, left] : fields) records.push_back(encode(left));
  canonical_writer out;
  out.array(static_cast<std::uint32_t>(records.size()));
  for (const std::string& record : records) out.binary(record);
  return seal_file(fields_magic, out.bytes());
}

/// Of what the frame's entries erase those memories and fields that there were up to the cut. The
/// entry before that of an erased field has what is left of it.
result<void> add_erased(const journal_frame& frame, seq_no cut, erased_elsewhere& known) {
  auto entries = open_entries(frame);
  if (!entries) return propagate(entries);
  for (const entry& e : *entries) {
    if (const auto* erased = std::get_if<erase_payload>(&e.payload);
        erased != nullptr && erased->head && !erased->seqs.empty() && erased->seqs.front() <= cut)
      known.memories.emplace(erased->head->id, cut);
    if (const auto* left = std::get_if<field_payload>(&e.payload);
        left != nullptr && left->field.erased && left->field.erased->since <= cut)
      add_field(known, left->field);
  }
  return {};
}

} // namespace

result<erased_elsewhere> read_erased_elsewhere(file_system& files, const std::string& directory) {
  erased_elsewhere known;
  auto ids = read_if_there(files, erased_ids_path(directory));
  if (!ids) return propagate(ids);
  auto decoded = decode_ids(*ids);
  if (!decoded) return propagate(decoded);
  known.memories = std::move(*decoded);
  auto fields = read_if_there(files, erased_fields_path(directory));
  if (!fields) return propagate(fields);
  if (auto ok = decode_fields(*fields, known); !ok) return propagate(ok);
  return known;
}

result<erased_elsewhere> erased_elsewhere_behind(file_system& files, const std::string& directory,
                                                 const world_id& world, seq_no cut,
                                                 read_behind how) {
  auto known = read_erased_elsewhere(files, directory);
  if (!known || cut == seq_no{~0ULL}) return known;
  auto walked = walk_behind(files, directory, world, cut, how,
                            [&](const journal_frame& frame) -> result<bool> {
                              if (auto ok = add_erased(frame, cut, *known); !ok)
                                return propagate(ok);
                              return true;
                            });
  if (!walked) return propagate(walked);
  return known;
}

result<void> write_erased_elsewhere(file_system& files, const std::string& directory,
                                    const erased_elsewhere& known) {
  if (auto ok = write_note(files, erased_ids_path(directory), encode_ids(known.memories)); !ok)
    return ok;
  return write_note(files, erased_fields_path(directory),
                    known.fields.empty() ? std::string() : encode_fields(known));
}

} // namespace mneme
