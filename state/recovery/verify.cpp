#include "state/recovery/verify.hpp"

#include <algorithm>
#include <set>

#include "journal/journal.hpp"
#include "journal/leaf_table.hpp"
#include "journal/ledger.hpp"
#include "journal/roots.hpp"
#include "journal/trim_payloads.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/retention/trim_follower.hpp"

namespace mneme {

namespace {

/// A ledger over leaves that are kept in memory, fed from headers.
class folding_ledger {
public:
  explicit folding_ledger(const world_id& world)
      : ledger_(world, {.leaves = [this](state_namespace ns, const digest& first,
                                         const digest& last) -> result<std::vector<tree_leaf>> {
                          return leaves_.read(ns, first, last);
                        },
                        .headers = []() -> header_reader {
                          return [](seq_no, std::uint64_t) {
                            return fail(errc::unsupported, "a folded ledger makes no proofs");
                          };
                        }}) {
    ledger_.retain(0);
  }

  result<void> apply(std::span<const entry> entries) {
    if (auto roots = ledger_.apply(entries); !roots) return propagate(roots);
    leaves_.apply(entries);
    return {};
  }
  [[nodiscard]] const root_set& roots() const { return ledger_.roots(); }

private:
  leaf_table leaves_;
  ledger ledger_;
};

/// Payloads that are erased or trimmed, until an entry names them.
class unnamed_payloads {
public:
  /// `noted`: by the note ERASED, ascending.
  explicit unnamed_payloads(std::vector<seq_no> noted) : noted_(std::move(noted)) {}

  void note(std::span<const entry> entries) {
    for (const entry& e : entries) {
      if (std::holds_alternative<erased_payload>(e.payload)
          && !std::ranges::binary_search(noted_, e.header.seq))
        unnamed_.insert(e.header.seq);
      if (const auto* erased = std::get_if<erase_payload>(&e.payload))
        for (const seq_no seq : erased->seqs) unnamed_.erase(seq);
      if (std::holds_alternative<trimmed_payload>(e.payload)) trimmed_.insert(e.header.seq);
      if (const auto* trim = std::get_if<trim_payload>(&e.payload))
        std::erase_if(trimmed_, [trim](seq_no seq) { return trim->drops(seq); });
    }
  }
  /// Empty: there are none.
  [[nodiscard]] std::string problem() const {
    if (!trimmed_.empty())
      return "the payload of entry " + std::to_string(trimmed_.begin()->value)
             + " is missing, but no trim says so";
    if (unnamed_.empty()) return {};
    return "the payload of entry " + std::to_string(unnamed_.begin()->value)
           + " is erased, but no entry says so";
  }

private:
  std::vector<seq_no> noted_;
  std::set<seq_no> unnamed_;
  std::set<seq_no> trimmed_;
};

std::string place(const journal_frame& frame) {
  return "segment " + frame.segment + ", frame at offset " + std::to_string(frame.offset);
}

/// What stands behind the last frame, and whether the journal reaches what a checkpoint vouches
/// for.
result<void> check_end(file_system& fs, const std::string& dir, const std::string& segment,
                       std::uint64_t end, verify_report& report) {
  auto names = fs.list(journal_directory(dir));
  if (!names) return propagate(names);
  if (!names->empty()) {
    const std::string& last = names->back();
    auto bytes = read_file(fs, journal_directory(dir) + "/" + last);
    if (!bytes) return propagate(bytes);
    const auto from =
        std::min<std::size_t>(last == segment ? end : segment_head_bytes, bytes->size());
    const auto torn = bytes->find_last_not_of('\0');
    if (torn != std::string::npos && torn >= from) report.torn_bytes = torn + 1 - from;
  }
  auto checkpoint = read_checkpoint(fs, dir);
  if (checkpoint && *checkpoint && (*checkpoint)->seq > report.roots.seq) {
    report.ok = false;
    report.problem = "segment " + segment + ", offset " + std::to_string(end)
                     + ": the journal ends at seq " + std::to_string(report.roots.seq.value)
                     + ", but the checkpoint is of seq " + std::to_string((*checkpoint)->seq.value);
  }
  return {};
}

} // namespace

namespace {

result<verify_report> verify_once(file_system& fs, const std::string& dir,
                                  const progress& on_progress, const keep_going& in_time) {
  auto info = read_world_file(fs, dir);
  if (!info) return propagate(info);
  verify_report report;
  folding_ledger ledger(info->id);
  entry_checker checker(
      [](const memory_id&) { return result<std::optional<known_memory>>(std::nullopt); }, {},
      info->changes_of_space());
  trim_follower follower;
  std::string segment;
  std::uint64_t end = 0;
  auto noted = read_erased_note(fs, dir);
  if (!noted) return propagate(noted);
  unnamed_payloads erasures(std::move(*noted));
  auto walked = check_journal_begins(fs, dir, info->id);
  if (walked)
    walked = read_journal(fs, journal_directory(dir), info->id, seq_no{1}, true,
                          [&](const journal_frame& frame) -> result<bool> {
                            if (in_time)
                              if (auto ok = in_time(); !ok) return propagate(ok);
                            if (frame.prefix.previous_root != ledger.roots().overall)
                              return fail(errc::corrupt,
                                          place(frame) + ": the recorded root of seq "
                                              + std::to_string(ledger.roots().seq.value)
                                              + " is not the root of the entries before it");
                            auto entries = open_entries(frame);
                            if (!entries) return propagate(entries);
                            // A trim that is named by nothing is told of when all is read.
                            if (follower.before(fs, journal_directory(dir), info->id, frame))
                              follower.drop(*entries);
                            if (auto ok = checker.check(frame, *entries, ledger.roots()); !ok)
                              return propagate(ok);
                            erasures.note(*entries);
                            if (!entries->empty())
                              if (auto ok = ledger.apply(*entries); !ok) return propagate(ok);
                            if (frame.segment != segment) {
                              segment = frame.segment;
                              ++report.segments;
                            }
                            end = frame.offset + frame_bytes(frame.prefix);
                            ++report.frames;
                            report.entries += entries->size();
                            if (on_progress) on_progress(report.entries, 0);
                            return true;
                          });
  report.roots = ledger.roots();
  report.ok = walked.has_value();
  if (!walked) {
    if (walked.error().code != errc::corrupt) return propagate(walked);
    report.problem = walked.error().message;
    const auto erased = check_not_erasing(fs, dir, info->id);
    if (!erased) report.problem += "; " + erased.error().message;
    return report;
  }
  report.problem = erasures.problem();
  report.ok = report.problem.empty();
  if (!report.ok) return report;
  if (auto ok = check_end(fs, dir, segment, end, report); !ok) return propagate(ok);
  if (const auto erased = check_not_erasing(fs, dir, info->id);
      !erased && erased.error().code == errc::busy)
    report.unfinished = erased.error().message;
  return report;
}

} // namespace

/// Of a world that is trimmed meanwhile, files are taken away whose end was read before the trim
/// said so: it is read anew then.
result<verify_report> verify_journal(file_system& fs, const std::string& dir,
                                     const progress& on_progress, const keep_going& in_time) {
  constexpr int most_readings = 5;
  for (int i = 1;; ++i) {
    auto report = verify_once(fs, dir, on_progress, in_time);
    if (!report || report->ok || i == most_readings) return report;
    const auto info = read_world_file(fs, dir);
    if (!info) return report;
    const auto is_trimmed =
        has_trim_behind(fs, journal_directory(dir), info->id, report->roots.seq);
    if (!is_trimmed || !*is_trimmed) return report;
  }
}

result<root_set> fold_roots(file_system& fs, const std::string& dir, seq_no at,
                            const keep_going& in_time) {
  auto info = read_world_file(fs, dir);
  if (!info) return propagate(info);
  if (auto ok = check_journal_reaches_checkpoint(fs, dir, info->id); !ok) return propagate(ok);
  folding_ledger ledger(info->id);
  if (at.value == 0) return empty_roots(info->id);
  auto walked = read_journal(fs, journal_directory(dir), info->id, seq_no{1}, true,
                             [&](const journal_frame& frame) -> result<bool> {
                               if (in_time)
                                 if (auto ok = in_time(); !ok) return propagate(ok);
                               auto entries = open_entries(frame, at);
                               if (!entries) return propagate(entries);
                               if (!entries->empty())
                                 if (auto ok = ledger.apply(*entries); !ok) return propagate(ok);
                               return ledger.roots().seq < at;
                             });
  if (!walked) return propagate(walked);
  if (ledger.roots().seq != at)
    return fail(errc::seq_unavailable, "the journal ends before seq " + std::to_string(at.value));
  if (in_time)
    if (auto ok = in_time(); !ok) return propagate(ok);
  return ledger.roots();
}

} // namespace mneme
