#include "state/apply.hpp"

#include <algorithm>
#include <limits>

#include "index/colour/mnemosyne.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/ensure.hpp"
#include "messages/text/forms.hpp"
#include "state/activation_rules.hpp"
#include "state/execute/topic_events.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

/// The head that an entry carries, or nullptr.
const head* head_of(const entry_payload& payload) {
  if (const auto* w = std::get_if<write_payload>(&payload)) return &w->head;
  if (const auto* u = std::get_if<update_payload>(&payload)) return &u->head;
  if (const auto* h = std::get_if<head_payload>(&payload)) return &h->head;
  if (const auto* e = std::get_if<embed_payload>(&payload)) return &e->head;
  if (const auto* a = std::get_if<topic_archive_payload>(&payload)) return &a->head;
  if (const auto* m = std::get_if<topic_merge_payload>(&payload)) return &m->head;
  return nullptr;
}

/// The topics whose salience the entry changes.
std::vector<salience_delta> saliences_of(const entry_payload& payload, const node_table& nodes) {
  std::vector<salience_delta> changes;
  const auto add = [&](const memory_id& id, std::int64_t to_e9) {
    const node_no node = nodes.find(id);
    ensure(node.value != no_number, "a topic with a salience exists");
    changes.push_back({node, to_e9});
  };
  if (const auto* a = std::get_if<topic_archive_payload>(&payload)) add(a->head.id, a->to_e9);
  if (const auto* s = std::get_if<topic_salience_payload>(&payload)) add(s->topic, s->to_e9);
  if (const auto* r = std::get_if<reinforce_payload>(&payload))
    if (r->door == reinforcing_door::retrieve)
      for (const auto& item : r->items) add(item.id, item.to_e9);
  return changes;
}

/// The rows of a field: its state, the revisions that are new.
void append_field(const field_payload& p, seq_no seq, std::vector<kv_write>& writes) {
  const field_head& f = p.field.head;
  writes.push_back({kv_table::fields, keys::field(f.topic, f.name, seq), encode(p.field)});
  for (const auto& r : p.revisions)
    writes.push_back(
        {kv_table::fields, keys::field_revision(f.topic, f.name, r.number), encode(r)});
}

void append_events(const entry& e, std::vector<kv_write>& writes) {
  std::uint32_t index = 0;
  for (const auto& [topic, event] : events_of(e))
    writes.push_back(
        {kv_table::fields, keys::topic_event(topic, e.header.seq, index++), encode(event)});
}

const version* version_of(const entry_payload& payload) {
  if (const auto* w = std::get_if<write_payload>(&payload)) return &w->version;
  if (const auto* u = std::get_if<update_payload>(&payload)) return &u->version;
  return nullptr;
}

const spaced_vector* vector_of(const entry_payload& payload) {
  if (const auto* e = std::get_if<embed_payload>(&payload)) return &e->vector;
  const std::optional<spaced_vector>* v = nullptr;
  if (const auto* w = std::get_if<write_payload>(&payload)) v = &w->vector;
  if (const auto* u = std::get_if<update_payload>(&payload)) v = &u->vector;
  return v != nullptr && v->has_value() ? &**v : nullptr;
}

std::int64_t end_of_validity(const version& v) {
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
  if (v.valid_until) until = std::min(until, v.valid_until->ns);
  if (v.expires_at) until = std::min(until, v.expires_at->ns);
  return until;
}

/// The data field by which a content of `type` names another memory; empty if there is none.
std::string_view reference_field(memory_type type) {
  if (type == memory_type::decision) return "replaces";
  if (type == memory_type::chunk) return "promoted_to";
  return {};
}

const memory_id* reference_of(const version& v) {
  const auto field = v.data.find(reference_field(v.type));
  return field == v.data.end() ? nullptr : std::get_if<memory_id>(&field->second);
}

std::string_view data_text(const version& v, std::string_view name) {
  const auto field = v.data.find(name);
  const auto* text = field == v.data.end() ? nullptr : std::get_if<std::string>(&field->second);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

facet_values facets_of(const attributes& owner, const index_delta& d, row_no before) {
  facet_values f;
  if (d.head->lifecycle) {
    const lifecycle& l = *d.head->lifecycle;
    f.status = l.status;
    f.due = l.due_date;
    f.origin = l.origin;
    f.audience = l.audience;
    f.atomic = l.atomic;
    f.project = l.project;
  }
  if (d.version != nullptr) {
    if (d.version->type == memory_type::chunk) {
      f.path = data_text(*d.version, "path");
      f.from_github = data_text(*d.version, "source_type") == "github";
    }
    f.reference = d.reference;
    return f;
  }
  const row_facets& kept = owner.facets(before);
  if (kept.path != no_number) f.path = owner.place_text({kept.path});
  f.from_github = (kept.flags & facet_from_github) != 0;
  f.reference = {kept.reference};
  return f;
}

row_values row_of_delta(const attributes& owner, const index_delta& d) {
  const head& h = *d.head;
  row_values row{.node = d.node,
                 .slot = d.slot,
                 .type = h.type,
                 .visibility = h.visibility,
                 .importance = h.declared_importance,
                 .tombstoned = h.tombstone.has_value(),
                 .erased = h.erased,
                 .has_vector = h.embedding.has_value(),
                 .archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived,
                 .version = h.current_version,
                 .actor_scope = h.actor_scope,
                 .created_at = h.created_at,
                 .last_updated_at = h.last_updated_at,
                 .version_created_at = {},
                 .valid_from = {},
                 .valid_until_ns = std::numeric_limits<std::int64_t>::max(),
                 .confidence = 1.0,
                 .tags = h.tags,
                 .frames = h.frames};
  if (d.version != nullptr) {
    row.version_created_at = d.version->created_at;
    row.valid_from = d.version->valid_from;
    row.valid_until_ns = end_of_validity(*d.version);
    row.confidence = d.version->confidence;
    row.facets = facets_of(owner, d, {});
    return row;
  }
  // The content did not change: its columns are those of the row before.
  const row_no before = owner.row_of(d.node, seq_no{d.seq.value - 1});
  ensure(before.value != no_number, "a head entry follows a write of its memory");
  const row_columns c = owner.columns(before);
  if (!d.is_embedding) row.slot = c.slot;
  row.version_created_at = {c.version_created_at_ns};
  row.valid_from = {c.valid_from_ns};
  row.valid_until_ns = c.valid_until_ns;
  row.confidence = c.confidence;
  row.facets = facets_of(owner, d, before);
  return row;
}

/// The activation table of the model: write resets, a changed head refreshes, a touch counts.
void activate(attributes& owner, const index_delta& d) {
  const seq_no before{d.seq.value - 1};
  if (d.head != nullptr && !d.is_embedding) {
    const bool first_write = d.head->current_version == 1 && d.version != nullptr;
    owner.set_activation(d.node, d.seq,
                         after_head(owner.activation_of(d.node, before), *d.head, first_write));
  }
  if (d.decayed != nullptr) return;
  for (const node_no node : d.touched) {
    const activation a = owner.activation_of(node, d.seq);
    if (d.reinforced != nullptr)
      owner.set_activation(node, d.seq, after_chroma_touch(a));
    else
      owner.set_activation(node, d.seq,
                           d.attest != nullptr ? after_attest(a, *d.attest, d.touched_at)
                                               : after_touch(a, d.touched_at));
  }
  for (const auto& change : d.saliences) {
    activation a = owner.activation_of(change.node, d.seq);
    a.topic_salience_e9 = change.to_e9;
    owner.set_activation(change.node, d.seq, a);
  }
}

/// Where chroma finds a memory, and with which signals it begins.
void place_colour(attributes& owner, const index_delta& d) {
  const head& h = *d.head;
  if (!h.colour) return;
  const auto mode = parse_enum<memory_mode>(h.colour->mode);
  ensure(mode.has_value(), "a colour has a mode of the enum");
  const bool is_archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived;
  owner.colours().put({.node = d.node,
                       .point = {h.colour->L, h.colour->a, h.colour->b},
                       .mode = *mode,
                       .created_at = h.created_at,
                       .findable = !h.tombstone && !h.erased && !is_archived,
                       .erased = h.erased},
                      d.seq);
  if (h.current_version == 1 && d.version != nullptr)
    owner.colours().set_signals(d.node, d.seq, fresh_signals(h.created_at));
}

void reinforce_colours(attributes& owner, const index_delta& d) {
  colour_index& colours = owner.colours();
  for (std::size_t i = 0; i < d.touched.size(); ++i) {
    const auto before = colours.signals_of(d.touched[i], d.seq);
    const auto mode = colours.mode_of(d.touched[i]);
    ensure(before && mode, "a reinforced memory has a colour");
    colours.set_signals(
        d.touched[i], d.seq,
        touched_signals(*before, *mode, d.reinforced->items[i].to_e9, d.touched_at));
  }
}

/// Strengths and flags are those of the payload: replay computes nothing.
void decay_colours(attributes& owner, const index_delta& d) {
  colour_index& colours = owner.colours();
  for (std::size_t i = 0; i < d.touched.size(); ++i) {
    const decayed_item& item = d.decayed->items[i];
    auto signals = colours.signals_of(d.touched[i], d.seq);
    ensure(signals.has_value(), "a decayed memory has a colour");
    signals->strength_e9 = item.strength_e9;
    signals->ascended = item.ascended;
    signals->rotten = item.rotten;
    signals->last_decay_at = std::max(signals->last_decay_at.value_or(d.touched_at), d.touched_at);
    colours.set_signals(d.touched[i], d.seq, *signals);
  }
}

node_no known_node(const numbering& numbers, const memory_id& id) {
  const node_no node = numbers.nodes->find(id);
  ensure(node.value != no_number, "a touched memory exists");
  return node;
}

} // namespace

index_delta number(const entry& e, numbering& numbers) {
  index_delta d;
  d.seq = e.header.seq;
  d.head = head_of(e.payload);
  d.version = version_of(e.payload);
  d.vector = vector_of(e.payload);
  if (d.head != nullptr) d.node = numbers.nodes->intern(d.head->id);
  d.is_embedding = std::holds_alternative<embed_payload>(e.payload);
  if (d.version != nullptr || d.is_embedding) d.slot = slot_no{numbers.next_slot++};
  if (d.version != nullptr) {
    if (const memory_id* id = reference_of(*d.version)) d.reference = numbers.nodes->intern(*id);
  }
  if (const auto* edge = std::get_if<edge_payload>(&e.payload)) {
    d.edge = &edge->edge;
    d.src = numbers.nodes->intern(edge->edge.key.src);
    d.dst = numbers.nodes->intern(edge->edge.key.dst);
  }
  const auto touch = [&](const memory_id& id) {
    d.touched_at = e.header.created_at;
    d.touched.push_back(known_node(numbers, id));
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
  d.saliences = saliences_of(e.payload, *numbers.nodes);
  return d;
}

void append_writes(const entry& e, std::vector<kv_write>& writes) {
  const seq_no seq = e.header.seq;
  if (const head* h = head_of(e.payload))
    writes.push_back({kv_table::heads, keys::head(h->id, seq), encode(*h)});
  if (const version* v = version_of(e.payload))
    writes.push_back({kv_table::versions, keys::version(v->id, v->number), encode(*v)});
  if (const auto* edge = std::get_if<edge_payload>(&e.payload))
    writes.push_back({kv_table::edges, keys::edge(edge->edge.key, seq), encode(edge->edge)});
  if (const auto* field = std::get_if<field_payload>(&e.payload)) append_field(*field, seq, writes);
  append_events(e, writes);
  if (const auto* snapshot = std::get_if<snapshot_payload>(&e.payload))
    writes.push_back({kv_table::manifests, keys::manifest(seq), encode(snapshot->manifest)});
  if (const auto* learned = std::get_if<learn_weights_payload>(&e.payload))
    writes.push_back({kv_table::weights, keys::weights(learned->actor, seq), e.payload_bytes});
  if (const auto* compact = std::get_if<compact_payload>(&e.payload))
    writes.push_back({kv_table::compacts, keys::compact(compact->intent_id, compact->step_id, seq),
                      e.payload_bytes});
  for (const auto& leaf : e.header.leaves) {
    kv_write w{kv_table::state_leaves, keys::state_leaf(leaf.ns, leaf.path), {}};
    if (!leaf.value_hash.is_zero()) w.value = std::string(leaf.value_hash.raw());
    writes.push_back(std::move(w));
  }
}

std::shared_ptr<const commit_batch> make_batch(std::vector<entry> entries, numbering& numbers,
                                               bool durable) {
  ensure(!entries.empty(), "a batch has entries");
  auto batch = std::make_shared<commit_batch>();
  batch->entries = std::move(entries);
  batch->durable = durable;
  batch->last_seq = batch->entries.back().header.seq;
  batch->deltas.reserve(batch->entries.size());
  for (const auto& e : batch->entries) {
    batch->deltas.push_back(number(e, numbers));
    append_writes(e, batch->writes);
  }
  return batch;
}

void apply_to(attributes& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.head != nullptr) owner.put(row_of_delta(owner, d), d.seq);
    if (d.head != nullptr || !d.touched.empty() || !d.saliences.empty()) activate(owner, d);
    if (d.head != nullptr) place_colour(owner, d);
    if (d.reinforced != nullptr) reinforce_colours(owner, d);
    if (d.decayed != nullptr) decay_colours(owner, d);
    if (d.learned != nullptr) owner.set_weights(d.learned->actor, d.seq, d.learned->weights);
    if (d.assigned != nullptr)
      owner.colours().tags().assign(d.assigned->tag, d.assigned->anchor, d.seq);
  }
}

void apply_to(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas)
    if (d.edge != nullptr) owner.put(d.src, d.edge->key.type, d.dst, d.edge->tombstoned, d.seq);
}

void apply_to(vectors& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.vector == nullptr) continue;
    if (owner.space().dim == 0) owner.set_space(d.vector->space, d.seq);
    owner.append(d.slot, d.vector->values);
  }
}

void apply_to(lexical& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.head == nullptr) continue;
    if (d.version != nullptr) {
      const bool is_chunk = d.version->type == memory_type::chunk;
      const std::string text = is_chunk ? std::string(data_text(*d.version, "content"))
                                        : full_text(d.version->type, d.version->data);
      owner.put(d.node, d.slot, is_chunk ? corpus::chunks : corpus::memories, text, d.seq);
    } else if (d.is_embedding) {
      owner.carry(d.node, d.slot, d.seq);
    }
    owner.set_live(d.node, !d.head->tombstone && !d.head->erased, d.seq);
  }
}

void apply_order(graph& owner, std::span<const index_delta> deltas) {
  for (const auto& d : deltas) {
    if (d.edge == nullptr || d.edge->key.type != edge_type::related_to) continue;
    const bool is_order = d.edge->kind == order_edge_kind;
    bool was_order = false;
    if (!is_order)
      owner.neighbours(d.src, edge_direction::out, d.seq, false, [&](const neighbour& n) {
        was_order = n.node == d.dst;
        return !was_order;
      });
    if (is_order || was_order)
      owner.put(d.src, d.edge->key.type, d.dst, d.edge->tombstoned || !is_order, d.seq);
  }
}

} // namespace mneme
