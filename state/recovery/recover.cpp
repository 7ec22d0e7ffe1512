#include "state/recovery/recover.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "journal/entry_reader.hpp"
#include "journal/segment.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/compaction/index_compaction.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/late_images.hpp"
#include "state/recovery/record_notes.hpp"
#include "state/recovery/replay_check.hpp"
#include "state/retention/carried_state.hpp"

namespace mneme {

namespace {

header_reader headers_of(world& w) {
  // Opened when something is asked: what a ledger knows by itself needs no journal.
  auto reader = std::make_shared<std::optional<entry_reader>>();
  return [&w, reader](seq_no first, std::uint64_t count) -> result<std::vector<std::string>> {
    if (!*reader) {
      auto opened = entry_reader::open(*w.files, journal_directory(w.directory), w.info.id);
      if (!opened) return propagate(opened);
      *reader = std::move(*opened);
    }
    std::vector<std::string> headers;
    auto ok =
        (*reader)->read(first, count, [&](const raw_entry& raw) { headers.push_back(raw.header); });
    if (!ok) return propagate(ok);
    if (headers.size() != count)
      return fail(errc::corrupt,
                  "the journal ends before entry " + std::to_string(first.value + count - 1));
    return headers;
  };
}

ledger_sources sources_of(world& w) {
  return {.leaves = [&w](state_namespace ns, const digest& first, const digest& last)
              -> result<std::vector<tree_leaf>> { return w.leaves.read(ns, first, last); },
          .headers = [&w] { return headers_of(w); }};
}

/// A longer journal is not read again before the checkpoint.
constexpr std::uint64_t most_bytes_checked = 64ULL << 20;

/// How far each owner is; replay feeds each what is behind its own mark.
struct marks {
  seq_no store;
  seq_no indexes;
};

/// Payloads go before anything is appended behind it.
bool drops_content(const entry& e) {
  return e.header.kind == entry_kind::erase || e.header.kind == entry_kind::trim;
}

/// A checkpoint follows each erasure and each trim, when nothing has what was erased any more.
/// Images and store of before it are made anew, whatever else fits.
result<void> check_erased(const marks& from, std::span<const entry> entries) {
  const bool is_of_before = from.indexes.value > 0 || from.store.value > 0;
  if (is_of_before && drops_content(entries.back()) && entries.back().header.seq > from.indexes)
    return fail(errc::erased, "images or store are of before an erasure");
  return {};
}

/// Applies one journaled frame to whoever has not got it yet.
result<void> replay_frame(world& w, const marks& from, const journal_frame& frame) {
  const seq_no before{frame.prefix.first_seq.value - 1};
  if (w.ledger->roots().seq == before && w.ledger->roots().overall != frame.prefix.previous_root)
    return fail(errc::corrupt, "the state at seq " + std::to_string(before.value)
                                   + " does not have the root that segment " + frame.segment
                                   + " records at offset " + std::to_string(frame.offset));
  auto opened = open_entries(frame);
  if (!opened) return propagate(opened);
  std::vector<entry>& entries = *opened;
  const seq_no least = std::min({from.store, from.indexes, w.ledger->roots().seq});
  if (entries.empty() || entries.back().header.seq <= least) return {}; // everybody has it
  if (auto ok = check_erased(from, entries); !ok) return ok;
  w.ends_with_erasure = drops_content(entries.back());
  if (auto ok = carry_trimmed(w, *w.files, w.directory, frame, from.indexes); !ok) return ok;
  w.trims.drop(entries);
  if (auto ok = check_entries(w, frame, entries, before); !ok) return ok;
  if (auto ok = check_embeddings(w, entries); !ok)
    return fail(ok.error().code, "segment " + frame.segment + ", frame at offset "
                                     + std::to_string(frame.offset) + ": " + ok.error().message);
  const auto behind = [&](seq_no mark) {
    const auto first =
        std::ranges::find_if(entries, [&](const entry& e) { return e.header.seq > mark; });
    return std::span<const entry>(first, entries.end());
  };
  if (const auto todo = behind(w.ledger->roots().seq); !todo.empty())
    if (auto ok = apply_to_ledger(w, todo); !ok) return ok;
  if (const auto todo = behind(from.store); !todo.empty()) {
    std::vector<kv_write> writes;
    for (const auto& e : todo) append_writes(e, writes);
    const seq_no last = todo.back().header.seq;
    if (auto ok = w.store->apply(writes, last); !ok) return ok;
    // The journal was made durable when it was opened.
    if (auto ok = w.store->set_stable(last); !ok) return ok;
    if (needs_flush(w))
      if (auto ok = flush_rows(w); !ok) return ok;
  }
  std::vector<index_delta> deltas;
  for (const auto& e : behind(from.indexes)) {
    deltas.push_back(number(e, w.numbers));
    if (const auto* written = std::get_if<write_payload>(&e.payload); written && written->id_drawn)
      w.last_drawn_id = std::max(w.last_drawn_id, written->head.id);
    w.last_entry_at = e.header.created_at;
    ++w.report.replayed_entries;
  }
  apply_to_indexes(w, deltas);
  if (deltas.empty()) return {};
  std::vector<kv_write> rows;
  for (const auto& e : behind(from.indexes)) append_writes(e, rows);
  note_records(w.journaled(), first_payload(frame), entries, deltas, rows, w.attributes(),
               w.places());
  note_trims(w, entries);
  w.retain_before(deltas.back().seq); // as when they were written
  compact_if_needed(w, deltas.back().seq);
  return {};
}

result<void> replay_tail(world& w, const marks& from) {
  const seq_no start = std::min({from.store, from.indexes, w.ledger->roots().seq});
  if (w.journal->last_seq() < from.store)
    return fail(errc::corrupt, "the store is at seq " + std::to_string(from.store.value)
                                   + ", but the journal ends at seq "
                                   + std::to_string(w.journal->last_seq().value));
  if (w.journal->last_seq().value == 0) return {};
  // From the frame that holds `start`, so that the one behind it can vouch for the root there.
  const seq_no first{std::max<std::uint64_t>(start.value, 1)};
  return read_journal(*w.files, journal_directory(w.directory), w.info.id, first, false,
                      [&](const journal_frame& frame) -> result<bool> {
                        if (auto ok = replay_frame(w, from, frame); !ok) return propagate(ok);
                        return true;
                      });
}

std::unique_ptr<ledger> empty_ledger(world& w) {
  auto made = std::make_unique<ledger>(w.info.id, sources_of(w), w.leaf_cache_bytes);
  made->retain(w.window.retained_seqs());
  return made;
}

/// The leaves as the entries up to `through` have set them, by their headers.
result<void> fold_leaves(world& w, seq_no through) {
  constexpr std::uint64_t headers_at_once = 16'384;
  const header_reader read = headers_of(w);
  for (std::uint64_t first = 1; first <= through.value; first += headers_at_once) {
    auto headers = read({first}, std::min(headers_at_once, through.value - first + 1));
    if (!headers) return propagate(headers);
    for (const std::string& bytes : *headers) {
      auto header = decode_entry_header(bytes);
      if (!header) return propagate(header);
      w.leaves.apply(*header);
    }
  }
  return {};
}

/// A ledger made of the journal's headers, as of what others have: it is faster than entry by
/// entry.
result<void> rebuild_ledger(world& w, seq_no loaded) {
  w.ledger = empty_ledger(w);
  const seq_no through{std::min(std::max(w.store->recovered(), loaded), w.journal->last_seq())};
  if (through.value == 0) return {};
  if (auto ok = fold_leaves(w, through); !ok) return ok;
  return w.ledger->rebuild(through);
}

/// Whether payloads went behind `from`: entries before that may name what is not known any more.
result<bool> is_followed_by_erasure(const world& w, seq_no from) {
  bool drops = false;
  auto read = read_journal(*w.files, journal_directory(w.directory), w.info.id,
                           seq_no{std::max<std::uint64_t>(from.value, 1)}, false,
                           [&](const journal_frame& frame) -> result<bool> {
                             auto entries = open_entries(frame);
                             if (!entries) return propagate(entries);
                             drops = !entries->empty() && drops_content(entries->back())
                                     && entries->back().header.seq > from;
                             return !drops;
                           });
  if (!read) return propagate(read);
  return drops;
}

} // namespace

seq_no load_checkpoint(world& w, const std::optional<checkpoint_file>& checkpoint, bool use_leaves,
                       bool may_be_late) {
  if (!checkpoint) return {};
  auto its_ledger = use_leaves ? empty_ledger(w) : nullptr;
  auto loaded =
      load_images(*w.files, w.directory, w.info.id, *checkpoint,
                  {w.nodes, w.attributes(), w.graph, w.order, w.lineage, w.generation()->lexical,
                   w.generation()->vectors, w.places(), w.journaled()},
                  its_ledger.get(), may_be_late);
  if (!loaded) return {};
  w.lacks_images = !loaded->has_places || !loaded->has_ledger;
  if (loaded->has_ledger) {
    w.leaves = leaf_table(std::move(loaded->leaves));
    w.ledger = std::move(its_ledger);
  }
  if (!loaded->has_places) note_records_again(w, checkpoint->seq);
  w.mapped_images = std::move(loaded->mapped);
  w.image_bytes = loaded->bytes;
  w.window.begin_at(w.attributes().retained());
  w.numbers.next_slot = checkpoint->next_slot;
  w.last_drawn_id = checkpoint->last_drawn_id;
  w.last_entry_at = checkpoint->last_entry_at;
  w.checkpoint_seq = checkpoint->seq.value;
  if (!loaded->late.empty()) {
    index_generation indexes = *w.generation();
    indexes.late = load_late(w, std::move(loaded->late), w.window.first_before(checkpoint->seq));
    w.adopt(std::move(indexes));
  }
  return checkpoint->seq;
}

result<void> recover(world& w, seq_no loaded, bool is_after_erasure, recovery_findings& found) {
  ensure(loaded.value == w.checkpoint_seq, "the indexes stand where the checkpoint does");
  ensure(w.store != nullptr && w.journal != nullptr, "both are open before anything is recovered");
  const bool has_image_of_leaves = w.ledger != nullptr;
  if (!has_image_of_leaves)
    if (auto ok = rebuild_ledger(w, loaded); !ok) return ok;
  const marks from{.store = w.store->recovered(), .indexes = loaded};
  auto replayed = replay_tail(w, from);
  if (replayed || is_after_erasure) return replayed;
  found.leaves_failed = has_image_of_leaves && replayed.error().code == errc::corrupt;
  found.erasure_unfinished = replayed.error().code == errc::erased;
  // A store that was made anew meanwhile has nothing of what images of before still name.
  if (replayed.error().code == errc::corrupt && loaded.value > 0) {
    const auto follows = is_followed_by_erasure(w, loaded);
    found.erasure_unfinished = follows && *follows;
  }
  return replayed;
}

result<void> check_older(const world& w, seq_no replayed_from) {
  if (replayed_from.value <= 1 || w.journal->bytes() > most_bytes_checked) return {};
  return read_journal(*w.files, journal_directory(w.directory), w.info.id, seq_no{1}, false,
                      [&](const journal_frame& frame) -> result<bool> {
                        return frame.prefix.first_seq < replayed_from;
                      });
}

result<void> check_entries(world& w, const journal_frame& frame, std::span<const entry> entries,
                           seq_no before) {
  std::unique_ptr<kv_reader> reader; // opened for the first memory that is known
  // A frame that is replayed for the store alone may be of before.
  const bool is_of_former_space = frame.prefix.first_seq < w.info.vectors_since();
  entry_checker checker(
      [&](const memory_id& id) -> result<std::optional<known_memory>> {
        if (w.nodes.find(id).value == no_number) return std::nullopt;
        if (reader == nullptr) {
          auto opened = w.store->reader();
          if (!opened) return propagate(opened);
          reader = std::move(*opened);
        }
        auto h = read_head(*reader, id, before);
        if (!h) return propagate(h);
        if (!h->has_value()) return std::nullopt;
        return known_memory::of(**h);
      },
      is_of_former_space ? vector_space{} : w.vectors().space());
  const bool knows_roots = w.ledger->roots().seq == before;
  checker.excuse_erased(w.has_erased);
  checker.excuse_trimmed(w.has_trimmed);
  auto checked = checker.check(frame, entries, knows_roots ? w.ledger->roots() : root_set{});
  w.has_erased = checker.has_erased();
  w.has_trimmed = checker.has_trimmed();
  return checked;
}

result<void> carry_trimmed(world& w, file_system& files, const std::string& directory,
                           const journal_frame& frame, seq_no have) {
  auto due = w.trims.before(files, journal_directory(directory), w.info.id, frame);
  if (!due) return propagate(due);
  if (!*due || have >= (*due)->before) return {};
  carry_into(w.attributes(), w.nodes, **due);
  if ((*due)->last_drawn) w.last_drawn_id = std::max(w.last_drawn_id, *(*due)->last_drawn);
  w.window.begin_at((*due)->before);
  return {};
}

} // namespace mneme
