#include "state/retention/retention_rule.hpp"

#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace mneme {

namespace {

constexpr std::string_view note_line = "mneme trimmed 1\n";
constexpr std::uint64_t least_journal_bytes = 4ULL << 20;

std::string note_path(const std::string& directory) {
  return directory + "/TRIMMED";
}

} // namespace

bool is_worth_a_look(std::uint64_t journal_bytes, std::uint64_t looked_at_bytes) {
  return journal_bytes >= least_journal_bytes && journal_bytes >= looked_at_bytes * 3 / 2;
}

bool is_worth_it(const trim_report& report) {
  return report.saved_bytes > 0 && report.saved_bytes >= report.journal_bytes_before / 4;
}

std::uint64_t looked_at_bytes(file_system& files, const std::string& directory) {
  auto note = read_file(files, note_path(directory));
  if (!note || !note->starts_with(note_line)) return 0;
  std::uint64_t bytes = 0;
  const std::string_view text = std::string_view(*note).substr(note_line.size());
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

void note_look(file_system& files, const std::string& directory, std::uint64_t journal_bytes) {
  static_cast<void>(
      replace_file(files, note_path(directory), fmt::format("{}{}\n", note_line, journal_bytes)));
}

trim_options trim_of(const kept_history& kept, std::shared_ptr<clock> time) {
  trim_options trim;
  trim.reason = "retention";
  trim.versions = kept.trims_versions;
  trim.time = std::move(time);
  if (kept.ns != 0) trim.before_time = timestamp{trim.time->now().ns - kept.ns};
  return trim;
}

} // namespace mneme
