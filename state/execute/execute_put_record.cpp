// Records of an export come back as they were.

#include "messages/codec/records.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

/// A colour is given at the first write and stays.
result<void> check_same_colour(const head& existing, const head& wanted) {
  if (existing.colour == wanted.colour) return {};
  return fail(errc::bad_value, "the colour of " + to_string(wanted.id) + " cannot change",
              "head.colour");
}

/// Two memories of one key would be one for whoever asks by it.
result<void> check_key_is_free(execution& x, const head& wanted) {
  if (!wanted.key) return {};
  auto there = x.state.keyed(*wanted.key);
  if (!there) return propagate(there);
  if (!there->has_value() || (*there)->id == wanted.id) return {};
  return fail(errc::already_exists, "memory " + to_string((*there)->id) + " has the key",
              "head.key");
}

/// The content is there already and has no vector: it gets the one given, as an embedder's.
void put_vector_record(execution& x, head& existing, const spaced_vector& vector) {
  existing.embedding = embedding_ref{.dim = vector.space.dim, .version = existing.current_version};
  x.state.put(existing);
  x.state.put_vector(existing.id, vector);
  append_entry(x, entry_kind::embed, {}, {leaf_of(existing)}, embed_payload{existing, vector});
}

/// The content is there already: only the head may still differ, and its vector be missing.
result<void> put_head_record(execution& x, head existing, head wanted, const prepared& p) {
  if (auto ok = check_same_colour(existing, wanted); !ok) return ok;
  const std::size_t before = x.out.entries.size();
  if (!existing.embedding && !existing.tombstone) {
    auto vector = place_vector(p, x.state, x.seams);
    if (!vector) return propagate(vector);
    if (*vector) put_vector_record(x, existing, **vector);
  }
  // A content keeps the vector that it has. One that came just now may be of an earlier version.
  if (x.out.entries.size() == before) wanted.embedding = existing.embedding;
  if (existing != wanted) {
    x.state.put(wanted);
    if (existing.tombstone && wanted.type == memory_type::topic)
      x.changed_texts[wanted.id].keeps_vector = true; // its fields may have changed meanwhile
    const bool ends = wanted.tombstone && !existing.tombstone;
    append_entry(x, ends ? entry_kind::tombstone : entry_kind::update_head,
                 ends ? wanted.tombstone->by : wanted.actor_scope, {leaf_of(wanted)},
                 head_payload{wanted});
  }
  const bool is_changed = x.out.entries.size() > before;
  x.out.results.push_back(
      is_changed ? changed_memory(x, wanted)
                 : unchanged(x, memory_uri{wanted.type, wanted.id, wanted.current_version}));
  return {};
}

} // namespace

result<void> run(execution& x, const put_record_request& r, const prepared& p) {
  auto existing = x.state.head(r.head.id);
  if (!existing) return propagate(existing);
  if (x.state.is_erased(r.head.id) || (existing->has_value() && (*existing)->erased))
    return fail(errc::erased, "memory " + to_string(r.head.id) + " was erased", "head.id");
  if (auto ok = check_key_is_free(x, r.head); !ok) return ok;
  if (existing->has_value() && (*existing)->version_hash == r.version.hash
      && (*existing)->current_version == r.version.number)
    return put_head_record(x, **existing, r.head, p);
  const std::uint32_t expected =
      existing->has_value() ? (*existing)->current_version + 1 : std::uint32_t{1};
  if (r.version.number != expected)
    return fail(existing->has_value() ? errc::already_exists : errc::not_found,
                "version " + std::to_string(expected) + " of " + to_string(r.head.id)
                    + " is the next to restore",
                "version");
  if (existing->has_value()) {
    if ((*existing)->type != r.head.type)
      return fail(errc::bad_value, "the type of " + to_string(r.head.id) + " cannot change",
                  "head.type");
    if (auto ok = check_same_colour(**existing, r.head); !ok) return ok;
  }
  auto vector = place_vector(p, x.state, x.seams);
  if (!vector) return propagate(vector);
  head h = r.head;
  if (!*vector) h.embedding.reset();
  x.state.put(h);
  x.state.put(r.version);
  if (*vector) x.state.put_vector(h.id, **vector);
  const std::string head_bytes = encode(h);
  const std::string version_bytes = encode(r.version);
  const ready_records ready{.head = head_bytes, .version = version_bytes};
  const state_leaf leaf = leaf_of(h, head_bytes);
  if (expected == 1)
    append_entry(x, entry_kind::write, r.version.created_by, {leaf},
                 write_payload{h, r.version, std::move(*vector), false}, ready);
  else
    append_entry(x, entry_kind::update, r.version.created_by, {leaf},
                 update_payload{h, r.version, std::move(*vector)}, ready);
  if (h.type == memory_type::topic) x.changed_texts[h.id].keeps_vector = true;
  x.out.results.push_back(changed_memory(x, h));
  return {};
}

result<void> run(execution& x, const put_edge_record_request& r, const prepared&) {
  auto existing = x.state.edge(r.edge.key);
  if (!existing) return propagate(existing);
  // What an edge said of what was erased does not come back.
  const bool is_of_erased = x.state.is_erased(r.edge.key.src) || x.state.is_erased(r.edge.key.dst);
  if (is_of_erased || (existing->has_value() && **existing == r.edge)) {
    x.out.results.push_back(changed_edge(x, false));
    return {};
  }
  x.state.put(r.edge);
  append_entry(x, r.edge.tombstoned ? entry_kind::remove_edge : entry_kind::add_edge,
               r.edge.tombstoned ? r.edge.tombstoned_by : r.edge.created_by, {leaf_of(r.edge)},
               edge_payload{r.edge});
  x.out.results.push_back(changed_edge(x, true));
  return {};
}

result<void> run(execution& x, const put_field_record_request& r, const prepared&) {
  const field_head& wanted = r.field.head;
  auto topic = x.state.head(wanted.topic);
  if (!topic) return propagate(topic);
  if (!topic->has_value() || (*topic)->type != memory_type::topic)
    return fail(errc::not_found, "there is no topic " + to_string(wanted.topic), "field.topic");
  if ((*topic)->erased)
    return fail(errc::erased, "topic " + to_string(wanted.topic) + " was erased", "field.topic");
  auto existing = x.state.field(wanted.topic, wanted.name);
  if (!existing) return propagate(existing);
  // What was erased does not come back; who sets the field anew says something else.
  auto is_erased = x.state.is_field_erased(wanted.topic, wanted.name);
  if (!is_erased) return propagate(is_erased);
  if (*is_erased && !r.brings_back_erased) {
    x.out.results.push_back(unchanged(x));
    return {};
  }
  const auto taken = [&] {
    return fail(errc::already_exists,
                "field " + wanted.name + " of " + to_string(wanted.topic) + " is another one",
                "field");
  };
  std::size_t known = 0;
  if (existing->has_value()) {
    if (**existing == r.field) {
      x.out.results.push_back(unchanged(x));
      return {};
    }
    auto revisions = x.state.revisions((*existing)->head);
    if (!revisions) return propagate(revisions);
    known = revisions->size();
    if (known >= r.revisions.size()) return taken();
    for (std::size_t i = 0; i < known; ++i)
      if ((*revisions)[i].hash != r.revisions[i].hash) return taken();
  }
  field_payload p{
      .field = r.field,
      .revisions = {r.revisions.begin() + static_cast<std::ptrdiff_t>(known), r.revisions.end()}};
  const std::string by = r.revisions.back().created_by;
  x.state.put(p.field, p.revisions);
  x.changed_texts[wanted.topic].keeps_vector = true;
  append_entry(x, entry_kind::field, by, {leaf_of(wanted)}, std::move(p));
  mutation_result done = unchanged(x);
  done.changed = true;
  x.out.results.push_back(std::move(done));
  return {};
}

} // namespace mneme
