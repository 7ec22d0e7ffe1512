#include "state/recovery/replay.hpp"

#include "messages/ensure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/embedder_file.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/recover.hpp"
#include "state/recovery/replay_check.hpp"

namespace mneme {

namespace {

/// The copy is made durable every so often, so that its rows need not stay in memory.
constexpr std::uint64_t synced_every_bytes = 4ULL << 20;

/// Says of the copy by which rules of text its vectors were made: not by those of today, which it
/// was opened with.
result<void> carry_rules_of_vectors(file_system& from_files, const std::string& from, world& into) {
  if (auto ok = carry_embedder_note(from_files, from, *into.files, into.directory); !ok) return ok;
  into.report.vectors_problem = note_embedder(*into.files, into.directory, into.info.embedder);
  return {};
}

result<void> sync(world& w) {
  if (auto ok = w.journal->sync(); !ok) return ok;
  if (auto ok = w.store->set_stable(w.published_seq()); !ok) return ok;
  return needs_flush(w) ? flush_rows(w) : result<void>();
}

} // namespace

result<void> replay_journal(file_system& from_files, const std::string& from, world& into,
                            std::optional<seq_no> up_to, const progress& on_progress) {
  ensure(into.published_seq().value == 0, "replay fills an empty world");
  const seq_no last = up_to.value_or(seq_no{~0ULL});
  // Who names the last entry to take loses nothing unawares, and may have only what is whole.
  if (!up_to)
    if (auto ok = check_journal_reaches_checkpoint(from_files, from, into.info.id); !ok) return ok;
  if (auto ok = carry_rules_of_vectors(from_files, from, into); !ok) return ok;
  // Of a copy that goes to the end all erasures are in it, but for those of the note.
  auto erased = erased_from_behind(from_files, from, into.info.id, last, read_behind::up_to_damage);
  if (!erased) return propagate(erased);
  if (auto ok = write_erased_note(*into.files, into.directory, *erased); !ok) return ok;
  auto elsewhere =
      erased_elsewhere_behind(from_files, from, into.info.id, last, read_behind::up_to_damage);
  if (!elsewhere) return propagate(elsewhere);
  if (auto ok = write_erased_elsewhere(*into.files, into.directory, *elsewhere); !ok) return ok;
  into.erased_elsewhere = std::move(*elsewhere);
  if (last.value == 0) return {};
  std::uint64_t synced_bytes = 0;
  auto walked = read_journal(
      from_files, journal_directory(from), into.info.id, seq_no{1}, true,
      [&](const journal_frame& frame) -> result<bool> {
        if (frame.prefix.previous_root != into.ledger->roots().overall)
          return fail(errc::corrupt, "replay has another root at seq "
                                         + std::to_string(into.published_seq().value)
                                         + " than segment " + frame.segment + " records at offset "
                                         + std::to_string(frame.offset));
        if (frame.prefix.seal) {
          if (auto ok = into.journal->append_seal(into.ledger->roots().overall); !ok)
            return propagate(ok);
          return true;
        }
        auto entries = open_entries(frame, last);
        if (!entries) return propagate(entries);
        if (frame.prefix.trimmed_by > last)
          return fail(errc::seq_unavailable,
                      "history up to seq " + std::to_string(last.value) + " was trimmed by entry "
                          + std::to_string(frame.prefix.trimmed_by.value)
                          + ": take that or a later one",
                      "up_to");
        if (auto ok = carry_trimmed(into, from_files, from, frame, {}); !ok) return propagate(ok);
        into.trims.drop(*entries);
        for (entry& e : *entries)
          if (std::holds_alternative<trimmed_payload>(e.payload)) e.payload_bytes.clear();
        if (auto ok = check_entries(into, frame, *entries, into.published_seq()); !ok)
          return propagate(ok);
        const seq_no at = entries->back().header.seq;
        if (auto ok = check_embeddings(into, *entries); !ok) return propagate(ok);
        if (auto ok = commit_directly(into, std::move(*entries), false); !ok) return propagate(ok);
        if (into.journal->bytes() - synced_bytes >= synced_every_bytes) {
          if (auto ok = sync(into); !ok) return propagate(ok);
          synced_bytes = into.journal->bytes();
        }
        if (on_progress) on_progress(at.value, up_to ? up_to->value : 0);
        return at < last;
      });
  if (!walked) return walked;
  if (up_to && into.published_seq() != *up_to) {
    if (auto ok = check_journal_reaches_checkpoint(from_files, from, into.info.id); !ok) return ok;
    return fail(errc::seq_unavailable,
                "the journal ends at seq " + std::to_string(into.published_seq().value), "up_to");
  }
  return sync(into);
}

} // namespace mneme
