#include "state/world.hpp"

#include <algorithm>
#include <utility>

#include "index/lexical/text_terms.hpp"
#include "journal/entry_reader.hpp"
#include "journal/erase_payloads.hpp"
#include "journal/log/log_copy.hpp"
#include "journal/segment.hpp"
#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/seams/unasked_embedder.hpp"
#include "state/checkpoint/embedder_file.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/commit/take_lead.hpp"
#include "state/compaction/index_compaction.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/erasure/purge.hpp"
#include "state/execute/execution.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/record_notes.hpp"
#include "state/recovery/replay_check.hpp"
#include "state/retention/carried_state.hpp"
#include "state/retention/trim_in_log.hpp"
#include "state/retention/trimming_note.hpp"
#include "storage/key_layout.hpp"

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

result<void> remove_segments(file_system& fs, const std::string& journal_dir) {
  auto segments = list_segments(fs, journal_dir);
  if (!segments) return propagate(segments);
  for (const seq_no first : *segments)
    if (auto ok = fs.remove(journal_dir + "/" + segment_name(first)); !ok) return ok;
  return {};
}

/// The journal's first segment is durable before the WORLD file is: a world without any has lost
/// its journal.
result<void> create_world(world& w, const world_options& options) {
  w.info = options.fresh;
  const std::string dir = journal_directory(w.directory);
  if (auto ok = check_no_journal(*w.files, w.directory); !ok) return ok;
  // Before the WORLD file: a directory is never taken for a world that is on no log.
  if (options.log)
    if (auto ok = write_log_file(*w.files, w.directory, options.log->address); !ok) return ok;
  if (auto ok = remove_segments(*w.files, dir); !ok) return ok;
  auto journal =
      mneme::journal::open(w.files, dir, w.info.id, w.info.branch, seq_no{0}, options.journal);
  if (!journal) return propagate(journal);
  if (auto ok = (*journal)->begin(); !ok) return ok;
  return replace_file(*w.files, world_path(w.directory), encode(w.info));
}

result<void> load_or_create_info(world& w, const world_options& options) {
  auto there = w.files->exists(world_path(w.directory));
  if (!there) return propagate(there);
  if (!*there && options.create) return create_world(w, options);
  auto info = read_world_file(*w.files, w.directory);
  if (!info) return propagate(info);
  w.info = std::move(*info);
  return check_journal_begins(*w.files, w.directory, w.info.id);
}

/// How far each owner is; replay feeds each what is behind its own mark.
struct marks {
  seq_no store;
  seq_no indexes;
};

/// Payloads go before anything is appended behind it.
bool drops_content(const entry& e) {
  return e.header.kind == entry_kind::erase || e.header.kind == entry_kind::trim;
}

/// From its point on a world knows its history.
void note_trims(world& w, std::span<const entry> entries) {
  for (const entry& e : entries)
    if (const auto* trim = std::get_if<trim_payload>(&e.payload)) w.window.begin_at(trim->before);
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

/// Loads what the checkpoint offers; answers the seq that the indexes are at (0: nothing loaded).
seq_no load_checkpoint(world& w, const std::optional<checkpoint_file>& checkpoint,
                       bool use_leaves) {
  if (!checkpoint) return {};
  auto its_ledger = use_leaves ? empty_ledger(w) : nullptr;
  auto loaded = load_images(*w.files, w.directory, w.info.id, *checkpoint,
                            {w.nodes, w.attributes(), w.graph, w.order, w.lineage, w.lexical(),
                             w.vectors(), w.places(), w.journaled()},
                            its_ledger.get());
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
  return checkpoint->seq;
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

std::unique_ptr<world> prepare_world(const world_options& options) {
  auto w = std::make_unique<world>(options.vectors, options.record_cache_bytes);
  w->directory = options.directory;
  w->files = options.files;
  w->store_files = options.store;
  w->tokens = options.tokens;
  w->keys = options.keys;
  w->time = options.time;
  w->window.retain(options.retained_seqs);
  w->audience = options.audience;
  w->max_answer_bytes = options.max_answer_bytes;
  w->compaction_states = options.compaction_states;
  w->leaf_cache_bytes = options.leaf_cache_bytes;
  w->row_buffer_bytes = options.row_buffer_bytes;
  w->numbers.nodes = &w->nodes;
  if (options.log) w->standing = options.log->standing;
  if (options.log) w->connect_log = options.log->connect;
  index_generation indexes = *w->generation();
  indexes.journaled =
      std::make_shared<journaled_records>(options.files, journal_directory(options.directory));
  w->adopt(std::move(indexes));
  return w;
}

/// What an attempt to open found wrong with derived data.
struct attempt {
  std::shared_ptr<log_leader> leader; ///< of the log; null: the world is on none
  bool use_images = true;
  bool images_failed = false;
  bool use_leaves = true;
  bool leaves_failed = false;      ///< those of the image may be others than its ledger says
  bool store_failed = false;       ///< or it does not fit the journal
  bool erasure_unfinished = false; ///< images and store may have what was erased
  bool is_after_erasure = false;   ///< they were removed for that
  std::string store_problem;       ///< set: the store was removed because of it
  /// What an attempt found late is told of the world that a later one opens, which finds only that
  /// there is no store any more.
  std::shared_ptr<late_store_problem> late_problem = std::make_shared<late_store_problem>();
};

journal_place journal_of(const world_options& options, const world_id& world) {
  return {.files = options.files, .world_directory = options.directory, .world = world};
}

/// The store's files are left alone where the checkpoint vouches for them, and where there are
/// none: records come from the journal, so that a host who only reads may never need them. What
/// does, a first write most often, opens them.
result<void> open_store_of(world& w, const world_options& options,
                           const std::optional<checkpoint_file>& checkpoint, bool was_checkpointed,
                           attempt& how) {
  const bool may_wait = options.store.is_there && how.use_images;
  const bool is_fresh = may_wait && !was_checkpointed && !options.store.is_there();
  w.store_matches = checkpoint && checkpoint->store_matches;
  if (is_fresh || (may_wait && w.store_matches)) {
    const seq_no at = is_fresh ? seq_no{} : checkpoint->seq;
    w.store = std::make_unique<buffered_store>(
        [source = options.store, journal = journal_of(options, w.info.id), at,
         problem = w.late_problem]() -> result<std::unique_ptr<kv_store>> {
          auto ok = check_place(*journal.files, journal.world_directory, journal.world);
          if (!ok) return propagate(ok);
          return open_files_at(source, journal, at, *problem);
        },
        buffered_store::known_files{.at = at, .is_empty = is_fresh});
    return {};
  }
  auto store = options.store.open();
  if (!store) {
    how.store_failed = store.error().code != errc::busy;
    return propagate(store);
  }
  w.store = std::make_unique<buffered_store>(std::move(*store));
  return {};
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

/// Brings every owner to the end of the journal.
result<void> recover(world& w, seq_no loaded, attempt& how) {
  const bool has_image_of_leaves = w.ledger != nullptr;
  if (!has_image_of_leaves)
    if (auto ok = rebuild_ledger(w, loaded); !ok) return ok;
  const marks from{.store = w.store->recovered(), .indexes = loaded};
  auto replayed = replay_tail(w, from);
  if (replayed || how.is_after_erasure) return replayed;
  how.leaves_failed = has_image_of_leaves && replayed.error().code == errc::corrupt;
  how.erasure_unfinished = replayed.error().code == errc::erased;
  // A store that was made anew meanwhile has nothing of what images of before still name.
  if (replayed.error().code == errc::corrupt && loaded.value > 0) {
    const auto follows = is_followed_by_erasure(w, loaded);
    how.erasure_unfinished = follows && *follows;
  }
  return replayed;
}

/// Nobody should build on a journal that is damaged before the checkpoint, where nothing is
/// replayed. A journal of `most_bytes_checked` at most is read from its start; what is before the
/// checkpoint in a longer one is looked at by verify.
constexpr std::uint64_t most_bytes_checked = 64ULL << 20;

result<void> check_older(const world& w, seq_no replayed_from) {
  if (replayed_from.value <= 1 || w.journal->bytes() > most_bytes_checked) return {};
  return read_journal(*w.files, journal_directory(w.directory), w.info.id, seq_no{1}, false,
                      [&](const journal_frame& frame) -> result<bool> {
                        return frame.prefix.first_seq < replayed_from;
                      });
}

void report_store(world& w, const std::optional<checkpoint_file>& checkpoint, const attempt& how) {
  w.report.store_problem = how.store_problem;
  if (checkpoint && w.store->recovered().value == 0 && how.store_problem.empty())
    w.report.store_problem = "the store is missing";
  w.report.store_rebuilt = !w.report.store_problem.empty();
}

/// What the log has and the directory lacks comes first; from then on the log is ahead.
result<void> lead_journal(world& w, const world_options& options,
                          const std::shared_ptr<log_leader>& leader) {
  auto copied = copy_from_log(leader->store(), leader->tail(), *w.journal, *w.files,
                              journal_directory(w.directory), w.info.id);
  if (!copied) return propagate(copied);
  w.journal->lead(leader);
  if (options.log->keep) w.lease = options.log->keep(leader->epoch());
  if (w.standing != nullptr) w.standing->lead(leader->epoch(), leader->tail().holder);
  return {};
}

/// The same without a claim: up to where the log ends now. What was long ago may be trimmed while
/// it is copied, by an entry behind the end that was asked for; so it is asked for again until all
/// that came is of a moment ago, which no trim takes from the log.
result<void> follow_journal(world& w, log_store& log) {
  constexpr std::uint64_t frames_of_a_moment = 100; ///< since it was asked before
  constexpr int most_rounds = 16; // who is slower than the leader writes lags in any case
  for (int round = 1;; ++round) {
    const std::int64_t asked_at = w.standing->now();
    auto tail = log.tail();
    if (!tail) return propagate(tail);
    auto copied =
        copy_from_log(log, *tail, *w.journal, *w.files, journal_directory(w.directory), w.info.id);
    if (!copied) return propagate(copied);
    if (*copied > (round == 1 ? 0 : frames_of_a_moment) && round < most_rounds) continue;
    w.journal->follow();
    w.standing->heard(*tail, true, asked_at);
    return {};
  }
}

/// Behind what is left of a trim in its files. `stored`: what the store has.
result<void> open_journal_of(world& w, const world_options& options,
                             const std::optional<checkpoint_file>& checkpoint, seq_no stored,
                             log_store* log) {
  const seq_no checked = checkpoint ? std::max(stored, checkpoint->seq) : stored;
  const bool is_copy = options.log.has_value();
  if (auto ok = finish_trimming(*w.files, w.directory, w.info.id, is_copy); !ok)
    return propagate(ok);
  journal_options kept = options.journal;
  kept.is_copy = is_copy;
  if (log != nullptr)
    kept.in_log = [log](seq_no last, const digest& frame) { return has_frame(*log, last, frame); };
  auto journal = mneme::journal::open(w.files, journal_directory(w.directory), w.info.id,
                                      w.info.branch, checked, kept);
  if (!journal && journal.error().code == errc::corrupt && checkpoint && checkpoint->seq >= stored)
    journal.error().message += "; if CHECKPOINT, which is of seq "
                               + std::to_string(checkpoint->seq.value)
                               + ", is another world's, remove it: then the journal is enough";
  if (!journal) return propagate(journal);
  w.journal = std::move(*journal);
  w.report.torn_bytes = w.journal->tail().torn_bytes;
  w.report.torn_segment = w.journal->tail().torn_segment;
  return {};
}

/// One attempt to open; without images every index is rebuilt from the journal.
result<std::unique_ptr<world>> try_open(const world_options& options,
                                        std::unique_ptr<directory_lock>& lock, attempt& how) {
  auto w = prepare_world(options);
  auto elsewhere = read_erased_elsewhere(*w->files, w->directory);
  if (!elsewhere) return propagate(elsewhere);
  w->erased_elsewhere = std::move(*elsewhere);
  w->late_problem = how.late_problem;
  if (auto ok = load_or_create_info(*w, options); !ok) return propagate(ok);
  w->numbers.vectors_since = w->info.vectors_since();
  auto embedder =
      embedder_of(w->info, options.embedder, options.remote_embedders, options.embedder_key);
  if (!embedder) return propagate(embedder);
  w->embedder = std::move(*embedder);
  auto weights = parse_search_weights(w->info.search, w->info.embedder);
  if (!weights) return propagate(weights);
  w->search = *weights;
  if (std::ranges::count(text_languages(), w->info.language) == 0)
    return fail(errc::format_unsupported,
                "this build has no stemmer for the world's language, " + w->info.language);
  w->lexical().set_language(w->info.language);
  std::optional<checkpoint_file> checkpoint;
  auto found = read_checkpoint(*w->files, w->directory);
  if (!found && found.error().code != errc::corrupt) return propagate(found);
  if (found) checkpoint = *found;
  const bool was_checkpointed = !found || checkpoint.has_value();
  if (auto ok = open_store_of(*w, options, checkpoint, was_checkpointed, how); !ok)
    return propagate(ok);
  const seq_no stored = w->store->recovered();
  log_store* const log = how.leader != nullptr ? &how.leader->store()
                         : options.log         ? options.log->follow.get()
                                               : nullptr;
  if (auto ok = open_journal_of(*w, options, checkpoint, stored, log); !ok) return propagate(ok);
  if (how.leader != nullptr)
    if (auto ok = lead_journal(*w, options, how.leader); !ok) return propagate(ok);
  if (how.leader != nullptr) finish_trim_in_log(*w, *how.leader);
  if (options.log && options.log->follow != nullptr)
    if (auto ok = follow_journal(*w, *options.log->follow); !ok) return propagate(ok);

  report_store(*w, checkpoint, how);
  if (!how.use_images) checkpoint.reset();
  const seq_no loaded = load_checkpoint(*w, checkpoint, how.use_leaves);
  if (checkpoint && loaded != checkpoint->seq) {
    how.images_failed = true;
    return fail(errc::corrupt, "the images of the last checkpoint are damaged");
  }
  w->report.checkpoint = loaded;
  if (auto ok = recover(*w, loaded, how); !ok) {
    how.store_failed =
        !how.erasure_unfinished && (stored.value > 0 || w->store->stopped().has_value());
    return propagate(ok);
  }
  if (!options.is_checked_before)
    if (auto ok = check_older(*w, std::min(stored, loaded)); !ok) return propagate(ok);
  w->report.vectors_problem = note_embedder(*w->files, w->directory, w->info.embedder);
  if (w->info.is_being_embedded && embeds_at_once(w->embedder.get()))
    w->report.vectors_problem = "not all of this world has a vector of its new embedder yet: go on "
                                "with mneme reembed DIR --embedder "
                                + w->info.embedder;
  w->retain_before(w->journal->last_seq());
  w->publish(w->journal->last_seq());
  if (how.leader != nullptr && w->ends_with_erasure)
    if (auto ok = erase_in_log(*w, *how.leader); !ok) return propagate(ok);
  // Of an erasure that was broken off, too.
  if (auto ok = forget_fields_of_erased(*w, w->erased_elsewhere); !ok) return propagate(ok);
  if (how.is_after_erasure || w->ends_with_erasure)
    if (auto ok = checkpoint_world(*w); !ok) return propagate(ok);
  // The seal of that may be the first that this leader has to say.
  if (w->journal->is_refused())
    return fail(errc::busy,
                "the lead of the log was lost while the world was opened: open it again");
  w->lock = std::move(lock);
  return w;
}

} // namespace

world::world(const vector_index_options& vector_options, std::uint64_t record_cache_bytes)
    : records(record_cache_bytes),
      generation_(std::make_shared<const index_generation>(
          index_generation{.attributes = std::make_shared<mneme::attributes>(),
                           .places = std::make_shared<record_places>(),
                           .lexical = std::make_shared<mneme::lexical>(),
                           .vectors = std::make_shared<mneme::vectors>(vector_options),
                           .journaled = nullptr})) {
}

std::shared_ptr<const index_generation> world::generation() const {
  const std::lock_guard hold(generation_guard_);
  return generation_;
}

void world::adopt(index_generation fresh) {
  auto next = std::make_shared<const index_generation>(std::move(fresh));
  {
    const std::lock_guard hold(published_guard_);
    published_counts_.rows = next->attributes->row_count();
    published_counts_.vectors = next->vectors->size();
  }
  const std::lock_guard hold(generation_guard_);
  generation_.swap(next); // the old one goes when its last reader does
}

void world::found_no_room(std::string why) {
  disk_full.refused(std::move(why), files->free_bytes(directory));
}

std::string world::why_disk_full() const {
  return disk_full.is_full() ? disk_full.why(files->free_bytes(directory)) : std::string();
}

read_views world::views() {
  // The seq first: whatever indexes are there after that have what it covers.
  const seq_no published = published_seq();
  auto indexes = generation();
  const index_generation& now = *indexes;
  return {.generation = std::move(indexes),
          .nodes = &nodes,
          .attributes = now.attributes.get(),
          .places = now.places.get(),
          .graph = &graph,
          .order = &order,
          .lineage = &lineage,
          .lexical = now.lexical.get(),
          .vectors = now.vectors.get(),
          .store = store.get(),
          .records = &records,
          .journaled = now.journaled.get(),
          .window = &window,
          .erased_elsewhere = &erased_elsewhere,
          .published = published,
          .time = time,
          .last_entry_at = time == nullptr ? last_entry_at : timestamp{},
          .embedder = embedder,
          .vectors_since = info.vectors_since(),
          .tokens = tokens,
          .keys = keys,
          .search = search,
          .audience = audience,
          .max_answer_bytes = max_answer_bytes};
}

dense_numbers world::numbers_taken() {
  return {.nodes = nodes.size(),
          .slots = numbers.next_slot,
          .rows = generation_->attributes->row_count(),
          .row_terms = generation_->attributes->rows().terms_end(),
          .names = generation_->attributes->name_count(),
          .terms = generation_->lexical->distinct_terms(),
          .colours = generation_->attributes->colours().point_count(),
          .activations = generation_->attributes->activation_history_size(),
          .signals = generation_->attributes->colours().history_size()};
}

void world::publish(seq_no seq) {
  const std::lock_guard hold(published_guard_);
  published_roots_ = ledger->roots();
  published_counts_ = counts(seq);
  window.publish(seq); // inside, so that nobody is told of a seq that cannot be read yet
}

void world::retain_before(seq_no seq) {
  const seq_no from = window.first_before(seq);
  generation_->attributes->retain_from(from);
  graph.retain_from(from);
  order.retain_from(from);
  lineage.retain_from(from);
  generation_->lexical->retain_from(from);
}

root_set world::published_roots() const {
  const std::lock_guard hold(published_guard_);
  return published_roots_;
}

world_counts world::published_counts() const {
  const std::lock_guard hold(published_guard_);
  return published_counts_;
}

open_report world::opened() const {
  open_report found = report;
  // The first cause stays: files that were removed for it are missing to who opens them late.
  if (std::string late = late_problem->get(); !late.empty() && !found.store_rebuilt) {
    found.store_rebuilt = true;
    found.store_problem = std::move(late);
  }
  return found;
}

world_counts world::counts(seq_no seq) const {
  // Every field has one leaf in its tree, and a field never goes.
  return {.seq = seq,
          .live = generation_->attributes->live(),
          .rows = generation_->attributes->row_count(),
          .edges = graph.edge_count(),
          .vectors = generation_->vectors->size(),
          .fields = ledger->leaf_count(state_namespace::fields)};
}

namespace {

/// The host's own embedder, if it is what the world was made with.
result<std::shared_ptr<embedder>> fitting_embedder(const world_file& info,
                                                   std::shared_ptr<embedder> given) {
  const std::string own = "host:" + given->space().model;
  bool fits = info.embedder == own;
  if (!info.embedder.starts_with("host:")) {
    auto named = make_embedder(info.embedder, make_unasked_embedder);
    if (!named) return named;
    fits = *named != nullptr && (*named)->space() == given->space();
  }
  if (!fits)
    return fail(errc::bad_value, "this world's embedder is " + info.embedder + ", not " + own,
                "embedder");
  return given;
}

} // namespace

result<std::shared_ptr<embedder>> embedder_of(const world_file& info,
                                              std::shared_ptr<embedder> given,
                                              const remote_embedder_factory& remote,
                                              std::string_view key) {
  if (given != nullptr) return fitting_embedder(info, std::move(given));
  if (info.embedder.starts_with("host:"))
    return fail(errc::no_embedder,
                "this world was made with the host's embedder " + info.embedder.substr(5)
                    + "; open it with that one",
                "embedder");
  return make_embedder(info.embedder, remote, key);
}

namespace {

/// Nobody has led anything yet who lost the lead of the log that early.
error of_opening(error why, const attempt& how) {
  if (how.leader == nullptr || why.code != errc::read_only) return why;
  why.code = errc::busy;
  why.message =
      "the lead of the log was lost while the world was opened: open it again; " + why.message;
  return why;
}

} // namespace

result<std::unique_ptr<world>> open_world(const world_options& options) {
  if (options.create) {
    if (auto ok = options.files->create_directories(options.directory); !ok) return propagate(ok);
  } else {
    // Before the lock: a directory that is no world is left as it is.
    auto there = options.files->exists(world_path(options.directory));
    if (!there) return propagate(there);
    if (!*there) return std::unexpected(no_world(*options.files, options.directory));
  }
  auto lock = options.files->lock(options.directory);
  if (!lock) return propagate(lock);
  attempt how;
  if (options.log && options.log->follow == nullptr) {
    auto leader = options.log->lead();
    if (!leader) return propagate(leader);
    how.leader = std::move(*leader);
  } else if (options.log) {
    ensure(options.log->standing != nullptr, "who follows stands somewhere");
  } else if (auto ok = check_on_no_log(*options.files, options.directory,
                                       "is only opened together with it");
             !ok) {
    return propagate(ok);
  }
  for (;;) {
    auto w = try_open(options, *lock, how);
    if (w) return w;
    // Images and store are derived data: without them everything is rebuilt from the journal.
    if (std::exchange(how.erasure_unfinished, false)) {
      how.use_images = how.images_failed = how.leaves_failed = how.store_failed = false;
      how.is_after_erasure = true;
      if (auto ok = remove_images(*options.files, options.directory); !ok) return propagate(ok);
      if (options.store.remove)
        if (auto ok = options.store.remove(); !ok) return propagate(ok);
    } else if (std::exchange(how.images_failed, false)) {
      how.use_images = false;
    } else if (std::exchange(how.leaves_failed, false)) {
      how.use_leaves = how.store_failed = false;
    } else if (std::exchange(how.store_failed, false) && options.store.remove
               && how.store_problem.empty() && journal_is_sound(journal_of(options, {}))) {
      const std::string found_late = how.late_problem->get();
      how.store_problem = found_late.empty() ? w.error().message : found_late;
      if (auto ok = options.store.remove(); !ok) return propagate(ok);
    } else {
      return std::unexpected(of_opening(std::move(w.error()), how));
    }
  }
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

void note_drawn_ids(world& w, std::span<const entry> entries) {
  for (const auto& e : entries)
    if (const auto* written = std::get_if<write_payload>(&e.payload); written && written->id_drawn)
      w.last_drawn_id = std::max(w.last_drawn_id, written->head.id);
}

result<void> apply_to_ledger(world& w, std::span<const entry> entries) {
  if (auto roots = w.ledger->apply(entries); !roots) return propagate(roots);
  w.leaves.apply(entries);
  return {};
}

ledger_snapshot snapshot_of_ledger(world& w) {
  return {
      .rest = w.ledger->freeze(), .leaves = w.leaves.freeze(), .leaf_counts = counts_of(*w.ledger)};
}

void apply_to_indexes(world& w, std::span<const index_delta> deltas) {
  apply_to(w.attributes(), deltas);
  apply_to(w.graph, deltas);
  apply_order(w.order, deltas);
  apply_lineage(w.lineage, w.graph, w.attributes(), deltas);
  apply_to(w.lexical(), deltas);
  apply_to(w.vectors(), deltas);
}

result<void> commit_directly(world& w, std::vector<entry> entries, bool sync) {
  const auto batch = make_batch(std::move(entries), w.numbers, sync);
  note_drawn_ids(w, batch->entries);
  w.last_entry_at = batch->entries.back().header.created_at;
  if (auto ok = w.journal->append(batch->entries, w.ledger->roots().overall); !ok) return ok;
  if (sync)
    if (auto ok = w.journal->sync(); !ok) return ok;
  if (auto ok = apply_to_ledger(w, batch->entries); !ok) return ok;
  if (auto ok = w.store->apply(batch->writes, batch->last_seq); !ok) return ok;
  apply_to_indexes(w, batch->deltas);
  note_records(w.journaled(), w.journal->payload_of(batch->entries.front().header.seq),
               batch->entries, batch->deltas, batch->writes, w.attributes(), w.places());
  note_trims(w, batch->entries);
  w.publish(batch->last_seq);
  w.retain_before(batch->last_seq);
  compact_if_needed(w, batch->last_seq);
  return {};
}

} // namespace mneme
