#include "state/compaction/index_compaction.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// They are applied while writes wait.
constexpr std::size_t entries_taken_over = 64;
constexpr int rounds_most = 8;

} // namespace

compaction_need needed_compaction(world& w, seq_no at) {
  const attributes& rows = w.attributes();
  ensure(rows.ended_rows() <= rows.row_count(), "a row ends once");
  const std::uint64_t open = rows.row_count() - rows.ended_rows();
  const std::uint64_t window = std::min(w.window.retained_seqs(), at.value);
  const std::uint64_t needed = open + window;
  const std::uint64_t most = needed + std::max(w.compaction_states, needed / 2);
  return {.attributes = rows.row_count() > most,
          .lexical = w.lexical().held() > most,
          .vectors = w.vectors().size() > most};
}

index_compaction::index_compaction(world& w, const compaction_need& need, seq_no at)
    : need_(need), at_(at), has_(at_), old_(w.generation()), fresh_(*old_) {
  ensure(need.any(), "something is compacted");
}

void index_compaction::build() {
  ensure(!std::exchange(built_, true), "a copy is built once");
  // An image that cannot be loaded could not be opened either: memory is damaged.
  if (need_.attributes) {
    fresh_.attributes = std::make_shared<attributes>();
    std::map<std::uint32_t, refilled_slot> refilled;
    for (const auto& [slot, content] : replaced_.by_slot)
      refilled.emplace(slot, refilled_slot{.since = content.since,
                                           .has_vector = content.now.vector.has_value()});
    const auto loaded = fresh_.attributes->load(old_->attributes->save(at_, refilled));
    ensure(loaded.has_value(), "attributes load what they have saved");
    fresh_.places = std::make_shared<record_places>();
    copy_places();
  }
  if (need_.lexical) {
    fresh_.lexical = std::make_shared<lexical>(old_->lexical->language());
    std::map<std::uint32_t, std::string> texts;
    for (const auto& [slot, content] : replaced_.by_slot) texts.emplace(slot, content.now.text);
    const auto loaded = fresh_.lexical->load(old_->lexical->save(at_, texts));
    ensure(loaded.has_value(), "a lexical index loads what it has saved");
  }
  if (!need_.vectors) return;
  std::map<std::uint32_t, std::span<const float>> values;
  for (const auto& [slot, content] : replaced_.by_slot)
    values.emplace(slot, content.now.vector ? std::span<const float>(*content.now.vector)
                                            : std::span<const float>());
  fresh_.vectors =
      old_->vectors->copy(old_->attributes->kept_slots(at_), values, replaced_.space_since);
}

/// An entry makes one row, by whose seq the old one of a new one is known.
void index_compaction::copy_places() {
  const row_store& old_rows = old_->attributes->rows();
  const row_store& rows = fresh_.attributes->rows();
  for (row_no row{fresh_.places->size()}; row.value < rows.size(); ++row.value, ++next_old_.value) {
    const std::uint64_t made = rows.line(row).begin;
    const auto goes_on = [&] { return next_old_.value < old_rows.size(); };
    while (goes_on() && old_rows.line(next_old_).begin < made) ++next_old_.value;
    ensure(goes_on() && old_rows.line(next_old_).begin == made,
           "the indexes before have all rows of a copy");
    const record_place* place = old_->places->find(next_old_);
    const bool is_there = place != nullptr && !replaced_.is_of(seq_no{made});
    fresh_.places->append(is_there ? *place : record_place{});
  }
}

void index_compaction::catch_up(std::span<const std::shared_ptr<const commit_batch>> batches) {
  ensure(built_, "a copy is built before it catches up");
  ++rounds_;
  for (const auto& batch : batches) {
    ensure(batch->last_seq.value == has_.value + batch->entries.size(),
           "a copy takes the batch that follows");
    if (need_.attributes) apply_to(*fresh_.attributes, batch->deltas);
    if (need_.lexical) apply_to(*fresh_.lexical, batch->deltas);
    if (need_.vectors) apply_to(*fresh_.vectors, batch->deltas);
    has_ = batch->last_seq;
  }
  if (need_.attributes) copy_places();
}

bool index_compaction::is_close(std::size_t missing_entries) const {
  return missing_entries <= entries_taken_over || rounds_ >= rounds_most;
}

void index_compaction::adopt(world& w) {
  ensure(has_ >= w.published_seq(), "a copy that is adopted has all that is published");
  ensure(w.generation() == old_, "one compaction runs at a time");
  w.adopt(std::exchange(fresh_, {}));
}

void compact_if_needed(world& w, seq_no at) {
  const compaction_need need = needed_compaction(w, at);
  if (!need.any()) return;
  index_compaction compaction(w, need, at);
  compaction.build();
  compaction.adopt(w);
}

} // namespace mneme
