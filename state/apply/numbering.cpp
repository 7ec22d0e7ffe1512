// Entries get their dense numbers, once, in the order of the journal.

#include <utility>

#include "messages/ensure.hpp"
#include "state/apply/apply.hpp"
#include "state/apply/entry_parts.hpp"

namespace mneme {

namespace {

// Whatever is touched exists, or existed: of what was erased since, the journal has no write any
// more, and it gets its number here.
std::vector<salience_delta> saliences_of(const entry_payload& payload, node_table& nodes) {
  std::vector<salience_delta> changes;
  const auto add = [&](const memory_id& id, std::int64_t to_e9) {
    changes.push_back({nodes.intern(id), to_e9});
  };
  if (const auto* a = std::get_if<topic_archive_payload>(&payload)) add(a->head.id, a->to_e9);
  if (const auto* s = std::get_if<topic_salience_payload>(&payload)) add(s->topic, s->to_e9);
  if (const auto* r = std::get_if<reinforce_payload>(&payload))
    if (r->door == reinforcing_door::retrieve)
      for (const auto& item : r->items) add(item.id, item.to_e9);
  return changes;
}

} // namespace

index_delta number(const entry& e, numbering& numbers) {
  index_delta d;
  d.seq = e.header.seq;
  d.head = head_of(e.payload);
  d.version = version_of(e.payload);
  d.is_of_former_space = d.seq < numbers.vectors_since;
  if (!d.is_of_former_space) d.vector = vector_of(e.payload);
  if (d.head != nullptr) d.node = numbers.nodes->intern(d.head->id);
  if (const auto* embedded = std::get_if<embed_payload>(&e.payload)) {
    d.is_embedding = true;
    d.text = embedded->text;
  }
  if (const memory_id* id = successor_of(d.head)) d.successor = numbers.nodes->intern(*id);
  if (const auto* h = std::get_if<head_payload>(&e.payload)) d.affirms = h->affirms;
  d.restores = e.header.kind == entry_kind::restore;
  if (d.version != nullptr || d.is_embedding) {
    ensure(numbers.next_slot != no_number, "a command that fills the numbering is refused");
    d.slot = slot_no{numbers.next_slot++};
  }
  if (d.version != nullptr) {
    if (const memory_id* id = reference_of(*d.version)) d.reference = numbers.nodes->intern(*id);
    for (const memory_id& id : sources_of(*d.version))
      d.sources.push_back(numbers.nodes->intern(id));
  }
  if (const edge_record* edge = edge_of(e.payload)) {
    d.edge = edge;
    d.edge_has_no_past = e.header.kind == entry_kind::erase;
    d.src = numbers.nodes->intern(edge->key.src);
    d.dst = numbers.nodes->intern(edge->key.dst);
  }
  const auto touch = [&](const memory_id& id) {
    d.touched_at = e.header.created_at;
    d.touched.push_back(numbers.nodes->intern(id));
  };
  if (const auto* late = std::get_if<find_late_payload>(&e.payload))
    for (const auto& id : late->accessed) touch(id);
  d.attest = std::get_if<attest_payload>(&e.payload);
  if (d.attest != nullptr)
    for (const auto& id : d.attest->cited) touch(id);
  const auto* reinforced = std::get_if<reinforce_payload>(&e.payload);
  if (reinforced != nullptr && reinforced->door == reinforcing_door::chroma)
    d.reinforced = reinforced;
  if (d.reinforced != nullptr)
    for (const auto& item : d.reinforced->items) touch(item.id);
  d.decayed = std::get_if<decay_cycle_payload>(&e.payload);
  if (d.decayed != nullptr)
    for (const auto& item : d.decayed->items) touch(item.id);
  d.assigned = std::get_if<assign_tag_payload>(&e.payload);
  d.learned = std::get_if<learn_weights_payload>(&e.payload);
  d.searches = std::get_if<search_weights_payload>(&e.payload);
  d.made_at = e.header.created_at;
  d.made_by = e.header.created_by;
  d.saliences = saliences_of(e.payload, *numbers.nodes);
  return d;
}

std::shared_ptr<const commit_batch> make_batch(std::vector<entry> entries, numbering& numbers,
                                               bool durable) {
  ensure(!entries.empty(), "a batch has entries");
  auto batch = std::make_shared<commit_batch>();
  batch->entries = std::move(entries);
  batch->durable = durable;
  batch->last_seq = batch->entries.back().header.seq;
  batch->deltas.reserve(batch->entries.size());
  constexpr std::size_t most_rows = 3; // of a memory: head, version, leaf
  batch->writes.reserve(batch->entries.size() * most_rows);
  seq_no next = batch->entries.front().header.seq;
  for (const auto& e : batch->entries) {
    ensure(e.header.seq == std::exchange(next, next.next()), "entries of a batch are consecutive");
    batch->deltas.push_back(number(e, numbers));
    append_writes(e, batch->writes);
  }
  return batch;
}

} // namespace mneme
