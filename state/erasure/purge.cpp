#include "state/erasure/purge.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "journal/erase_payloads.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/compaction/index_compaction.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/erasure/kept_content.hpp"
#include "state/retention/trim_in_log.hpp"

namespace mneme {

namespace {

/// A copy has what an image would have: nothing of memories that were erased, and in place of what
/// else was erased what came before it.
result<void> purge_indexes(world& w, const erased_parts& erased) {
  ensure(w.attributes().row_count() > 0, "what was erased left a row that says so");
  auto replaced = contents_to_replace(w, erased.topics, erased.seqs);
  if (!replaced) return propagate(replaced);
  if (w.vectors().space().dim != 0) {
    auto since = first_vector(w);
    if (!since) return propagate(since);
    replaced->space_since = *since;
  }
  index_compaction copies(w, {.attributes = true, .lexical = true, .vectors = true},
                          w.published_seq());
  copies.replace(std::move(*replaced));
  copies.build();
  copies.adopt(w);
  // Nothing of the world is loaded from these any more: not to hold on to their files.
  constexpr std::array<std::string_view, 4> replaced_images = {".attributes", ".lexical",
                                                               ".vectors", ".places"};
  std::erase_if(w.mapped_images, [&](const mapped_image& image) {
    return std::ranges::any_of(replaced_images,
                               [&](std::string_view end) { return image.name.ends_with(end); });
  });
  return {};
}

/// WiredTiger overwrites nothing that it frees: its files are made anew.
result<void> purge_store(world& w) {
  const journal_place journal{.files = w.files, .world_directory = w.directory, .world = w.info.id};
  w.store->renew([source = w.store_files, journal,
                  at = w.published_seq()] { return make_files(source, journal, at); },
                 w.store_files.retire ? w.store_files.retire() : std::function<void()>());
  // Before a checkpoint says that nothing of before is there any more.
  auto files = w.store->files();
  if (!files) return propagate(files);
  return {};
}

} // namespace

erased_parts erased_by(const commit_batch& batch) {
  erased_parts parts;
  for (const entry& e : batch.entries) {
    const auto* erased = std::get_if<erase_payload>(&e.payload);
    if (erased == nullptr) continue;
    parts.seqs.insert(parts.seqs.end(), erased->seqs.begin(), erased->seqs.end());
    if (erased->topic) parts.topics.push_back(*erased->topic);
  }
  parts.seqs = each_once(std::move(parts.seqs));
  return parts;
}

result<void> forget_fields_of_erased(world& w, erased_elsewhere& known) {
  const row_store& rows = w.attributes().rows();
  const auto forgotten = std::erase_if(known.fields, [&](const auto& of_topic) {
    const node_no node = w.nodes.find(of_topic.first);
    return node.value != no_number && rows.last_of(node).value != no_number && rows.is_erased(node);
  });
  return forgotten == 0 ? result<void>() : write_erased_elsewhere(*w.files, w.directory, known);
}

std::uint64_t room_for_erasure(const world& w) {
  // The store's files have less than the journal, and the images about as much as both; a segment
  // that is shared is copied.
  constexpr std::uint64_t besides = 16ULL << 20;
  return 3 * w.journal->bytes() + besides;
}

result<void> finish_erasure(world& w, const erased_parts& erased,
                            const std::function<void()>& publish) {
  ensure(!erased.empty() && erased.seqs.back() < w.journal->last_seq(),
         "what is erased is of before the entries that say so");
  ensure(w.journal->durable_through() == w.journal->last_seq(),
         "nothing is erased that may come back");
  if (auto ok = check_place(*w.files, w.directory, w.info.id); !ok) return ok;
  auto is_dropped = drop_or_owe_in_log(w, erased.seqs);
  if (!is_dropped) return propagate(is_dropped);
  w.frame_starts.begin_rewrite();
  auto rewritten = w.journal->erase(erased.seqs);
  w.frame_starts.end_rewrite();
  if (!rewritten) return rewritten;
  // Whoever asked for it is told so.
  if (!*is_dropped && !w.journal->owes_erasure()) w.journal->owe_erasure(erased.seqs);
  publish();
  ensure(w.published_seq() == w.journal->last_seq(), "an erasure stands alone");
  for (const seq_no seq : erased.seqs) w.records.forget(seq);
  if (auto ok = purge_indexes(w, erased); !ok) return ok;
  auto elsewhere = w.erased_elsewhere; // which others are reading
  if (auto ok = forget_fields_of_erased(w, elsewhere); !ok) return ok;
  // First, and durably: whatever breaks it off, none is left that no CHECKPOINT names.
  if (auto ok = remove_images(*w.files, w.directory); !ok) return ok;
  if (auto ok = purge_store(w); !ok) return ok;
  return checkpoint_world(w);
}

} // namespace mneme
