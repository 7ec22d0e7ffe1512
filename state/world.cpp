#include "state/world.hpp"

#include <algorithm>
#include <utility>

#include "state/compaction/index_compaction.hpp"

namespace mneme {

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
    counts_lack_vectors_ = !next->is_whole();
    if (!counts_lack_vectors_) published_counts_.vectors = next->vectors->size();
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
  late_indexes* const late = now.is_whole() ? nullptr : now.late.get();
  return {.generation = std::move(indexes),
          .nodes = &nodes,
          .attributes = now.attributes.get(),
          .places = now.places.get(),
          .graph = &graph,
          .order = &order,
          .lineage = &lineage,
          .lexical = {now.lexical.get(), late},
          .vectors = {now.vectors.get(), late},
          .language = info.language,
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
          .terms = whole().lexical->distinct_terms(),
          .colours = generation_->attributes->colours().point_count(),
          .activations = generation_->attributes->activation_history_size(),
          .signals = generation_->attributes->colours().history_size()};
}

void world::publish(seq_no seq) {
  const std::lock_guard hold(published_guard_);
  published_roots_ = ledger->roots();
  counts_lack_vectors_ = !generation_->is_whole();
  published_counts_ = counts(seq);
  window.publish(seq); // inside, so that nobody is told of a seq that cannot be read yet
}

void world::retain_before(seq_no seq) {
  const seq_no from = window.first_before(seq);
  generation_->attributes->retain_from(from);
  graph.retain_from(from);
  order.retain_from(from);
  lineage.retain_from(from);
  // What is loaded late forgets then what it does not need.
  if (generation_->is_whole()) generation_->lexical->retain_from(from);
}

root_set world::published_roots() const {
  const std::lock_guard hold(published_guard_);
  return published_roots_;
}

world_counts world::published_counts() const {
  const auto indexes = generation();
  const std::lock_guard hold(published_guard_);
  world_counts found = published_counts_;
  if (counts_lack_vectors_ && indexes->is_whole()) found.vectors = indexes->late->vectors();
  return found;
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
          .vectors = generation_->is_whole() ? generation_->vectors->size() : 0,
          .fields = ledger->leaf_count(state_namespace::fields)};
}

void note_drawn_ids(world& w, std::span<const entry> entries) {
  for (const auto& e : entries)
    if (const auto* written = std::get_if<write_payload>(&e.payload); written && written->id_drawn)
      w.last_drawn_id = std::max(w.last_drawn_id, written->head.id);
}

void note_trims(world& w, std::span<const entry> entries) {
  for (const entry& e : entries)
    if (const auto* trim = std::get_if<trim_payload>(&e.payload)) w.window.begin_at(trim->before);
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
  if (auto ok = w.wait_for_late(); !ok) return ok;
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
