#include "state/open_world.hpp"

#include <algorithm>
#include <utility>

#include "index/lexical/text_terms.hpp"
#include "journal/log/log_copy.hpp"
#include "journal/segment.hpp"
#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "state/checkpoint/embedder_file.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/commit/take_lead.hpp"
#include "state/embedding/world_embedder.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/erasure/purge.hpp"
#include "state/execute/execution.hpp"
#include "state/recovery/recover.hpp"
#include "state/retention/trim_in_log.hpp"
#include "state/retention/trimming_note.hpp"

namespace mneme {

namespace {

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
  bool store_failed = false; ///< or it does not fit the journal
  recovery_findings recovery;
  bool is_after_erasure = false; ///< images and store were removed for that
  std::string store_problem;     ///< set: the store was removed because of it
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

/// What the directory says of the world: what it is, and who makes its vectors.
result<void> know_world(world& w, const world_options& options) {
  auto elsewhere = read_erased_elsewhere(*w.files, w.directory);
  if (!elsewhere) return propagate(elsewhere);
  w.erased_elsewhere = std::move(*elsewhere);
  if (auto ok = load_or_create_info(w, options); !ok) return ok;
  w.numbers.vectors_since = w.info.vectors_since();
  auto embedder =
      embedder_of(w.info, options.embedder, options.remote_embedders, options.embedder_key);
  if (!embedder) return propagate(embedder);
  w.embedder = std::move(*embedder);
  auto weights = parse_search_weights(w.info.search, w.info.embedder);
  if (!weights) return propagate(weights);
  w.search = *weights;
  if (std::ranges::count(text_languages(), w.info.language) == 0)
    return fail(errc::format_unsupported,
                "this build has no stemmer for the world's language, " + w.info.language);
  w.lexical().set_language(w.info.language);
  return {};
}

/// What comes once everything is read: reads begin, and what an erasure left undone is done.
result<void> begin_reads(world& w, const attempt& how) {
  w.report.vectors_problem = note_embedder(*w.files, w.directory, w.info.embedder);
  if (w.info.is_being_embedded && embeds_at_once(w.embedder.get()))
    w.report.vectors_problem = "not all of this world has a vector of its new embedder yet: go on "
                               "with mneme reembed DIR --embedder "
                               + w.info.embedder;
  w.retain_before(w.journal->last_seq());
  w.publish(w.journal->last_seq());
  if (how.leader != nullptr && w.ends_with_erasure)
    if (auto ok = erase_in_log(w, *how.leader); !ok) return ok;
  // Of an erasure that was broken off, too.
  if (auto ok = forget_fields_of_erased(w, w.erased_elsewhere); !ok) return ok;
  if (how.is_after_erasure || w.ends_with_erasure)
    if (auto ok = checkpoint_world(w); !ok) return propagate(ok);
  // The seal of that may be the first that this leader has to say.
  if (w.journal->is_refused())
    return fail(errc::busy,
                "the lead of the log was lost while the world was opened: open it again");
  return {};
}

/// One attempt to open; without images every index is rebuilt from the journal.
result<std::unique_ptr<world>> try_open(const world_options& options,
                                        std::unique_ptr<directory_lock>& lock, attempt& how) {
  auto w = prepare_world(options);
  w->late_problem = how.late_problem;
  if (auto ok = know_world(*w, options); !ok) return propagate(ok);
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
  const seq_no last = w->journal->last_seq();
  const bool replays =
      how.is_after_erasure || !checkpoint || checkpoint->seq != last || stored < last;
  const bool may_be_late = options.may_load_late && !replays;
  const seq_no loaded = load_checkpoint(*w, checkpoint, how.use_leaves, may_be_late);
  if (checkpoint && loaded != checkpoint->seq) {
    how.images_failed = true;
    return fail(errc::corrupt, "the images of the last checkpoint are damaged");
  }
  w->report.checkpoint = loaded;
  if (auto ok = recover(*w, loaded, how.is_after_erasure, how.recovery); !ok) {
    how.store_failed =
        !how.recovery.erasure_unfinished && (stored.value > 0 || w->store->stopped().has_value());
    return propagate(ok);
  }
  if (!options.is_checked_before)
    if (auto ok = check_older(*w, std::min(stored, loaded)); !ok) return propagate(ok);
  if (auto ok = begin_reads(*w, how); !ok) return propagate(ok);
  w->lock = std::move(lock);
  return w;
}

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
    if (std::exchange(how.recovery.erasure_unfinished, false)) {
      how.use_images = how.images_failed = how.recovery.leaves_failed = how.store_failed = false;
      how.is_after_erasure = true;
      if (auto ok = remove_images(*options.files, options.directory); !ok) return propagate(ok);
      if (options.store.remove)
        if (auto ok = options.store.remove(); !ok) return propagate(ok);
    } else if (std::exchange(how.images_failed, false)) {
      how.use_images = false;
    } else if (std::exchange(how.recovery.leaves_failed, false)) {
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

} // namespace mneme
