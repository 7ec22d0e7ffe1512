#include "state/execute/execute.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/text/forms.hpp"
#include "messages/validate/validate.hpp"
#include "messages/validate/validate_topics.hpp"
#include "mneme/search.hpp"
#include "state/execute/execute_chroma.hpp"
#include "state/execute/execution.hpp"
#include "state/execute/sight.hpp"

namespace mneme {

namespace {

result<void> check_interval(timestamp from, const std::optional<timestamp>& until) {
  if (until && *until <= from)
    return fail(errc::bad_interval, "valid_until must be later than valid_from", "valid_until");
  return {};
}

} // namespace

vector_space space_of_vectors(vector_space embedder, const vector_space& world, std::uint32_t dim) {
  // The world's stays, whatever a host's embedder says of its own meanwhile.
  if (world.dim != 0) return world;
  if (embedder.dim != 0) return embedder;
  return {.model = embedder.model.empty() ? "external" : std::move(embedder.model), .dim = dim};
}

result<std::optional<spaced_vector>> place_vector(const prepared& p, const overlay& state,
                                                  const execution_seams& seams) {
  if (!p.vector) return std::optional<spaced_vector>{};
  const auto dim = static_cast<std::uint32_t>(p.vector->size());
  vector_space space = space_of_vectors(
      seams.embedder != nullptr ? seams.embedder->space() : vector_space{}, state.space(), dim);
  if (space.dim != dim)
    return fail(errc::dim_mismatch,
                "a vector of " + std::to_string(dim) + " numbers was given; this world's have "
                    + std::to_string(space.dim),
                "vector");
  return std::optional<spaced_vector>({.space = std::move(space), .values = *p.vector});
}

void append_entry(execution& x, entry_kind kind, std::string created_by,
                  std::vector<state_leaf> leaves, entry_payload payload,
                  const ready_records& ready) {
  entry_header header{.seq = {x.current.value + x.out.entries.size() + 1},
                      .kind = kind,
                      .created_at = x.now,
                      .created_by = std::move(created_by),
                      .leaves = std::move(leaves),
                      .payload_hash = {}};
  x.out.entries.push_back(seal_entry(std::move(header), std::move(payload), ready));
  x.payload_bytes += x.out.entries.back().payload_bytes.size();
  x.out.taken += x.state.most_taken_by(x.out.entries.back().payload);
}

mutation_result changed_memory(const execution& x, const memory_uri& uri) {
  return {.changed = true, .seq = {x.current.value + x.out.entries.size()}, .uri = uri};
}

mutation_result changed_memory(const execution& x, const head& h) {
  return changed_memory(x, memory_uri{h.type, h.id, h.current_version});
}

mutation_result changed_edge(const execution& x, bool changed) {
  return {.changed = changed, .seq = {x.current.value + x.out.entries.size()}, .uri = {}};
}

mutation_result unchanged(const execution& x, std::optional<memory_uri> uri) {
  return {.changed = false, .seq = {x.current.value + x.out.entries.size()}, .uri = uri};
}

result<head> with_version(head h, const std::optional<std::uint32_t>& expected) {
  if (expected && *expected != h.current_version)
    return fail(errc::version_conflict,
                "expected version " + std::to_string(*expected) + ", the current one is "
                    + std::to_string(h.current_version),
                "expect_version");
  return h;
}

namespace {

/// Reads the head that an update, update_head or tombstone is about.
result<head> existing_head(execution& x, const memory_uri& uri,
                           const std::optional<std::uint32_t>& expect_version) {
  auto found = x.state.head(uri.id);
  if (!found) return propagate(found);
  if (x.state.is_erased(uri.id))
    return fail(errc::erased, "memory " + to_string(uri.id) + " was erased", "uri");
  if (!found->has_value())
    return fail(errc::not_found, "there is no memory " + to_string(uri.id), "uri");
  head h = std::move(**found);
  if (h.erased) return fail(errc::erased, "memory " + to_string(uri.id) + " was erased", "uri");
  if (h.type != uri.type)
    return fail(errc::type_data_mismatch,
                "memory " + to_string(uri.id) + " is a " + std::string(to_string(h.type)), "uri");
  return with_version(std::move(h), expect_version);
}

/// Fills the version's hash, and the head's anchor of it; the version's bytes.
std::string seal_version(version& v, head& h) {
  ensure(v.id == h.id && v.number == h.current_version, "a head anchors its current version");
  std::string bytes = seal(v);
  h.version_hash = v.hash;
  return bytes;
}

/// A head's new state, alone.
void append_head(execution& x, entry_kind kind, std::string by, head h, bool affirms = false) {
  const std::string bytes = encode(h);
  const state_leaf leaf = leaf_of(h, bytes);
  append_entry(x, kind, std::move(by), {leaf}, head_payload{std::move(h), affirms},
               {.head = bytes});
}

void append_edge(execution& x, entry_kind kind, edge_record e) {
  const std::string bytes = encode(e);
  const state_leaf leaf = leaf_of(e, bytes);
  std::string by = kind == entry_kind::remove_edge ? e.tombstoned_by : e.created_by;
  append_entry(x, kind, std::move(by), {leaf}, edge_payload{std::move(e)}, {.edge = bytes});
}

result<void> run(execution& x, const tombstone_request& r, const prepared& p);
result<void> run(execution& x, const add_edge_request& r, const prepared& p);

/// Takes what the memory just written supersedes out of answers; the results of the parts are none
/// of the command's.
result<void> supersede(execution& x, const write_request& r, const memory_id& by) {
  const std::string& who = r.created_by ? *r.created_by : r.actor;
  const std::size_t results = x.out.results.size();
  for (std::size_t i = 0; i < r.supersedes.size(); ++i) {
    const memory_uri& old = r.supersedes[i];
    const auto located = [&](error e) {
      e.at = fmt::format("supersedes[{}]", i);
      return std::unexpected(std::move(e));
    };
    // Named twice is said once.
    if (std::find(r.supersedes.begin(), r.supersedes.begin() + static_cast<std::ptrdiff_t>(i), old)
        != r.supersedes.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    auto existing = existing_head(x, old, old.version);
    if (!existing) return located(std::move(existing.error()));
    if (existing->tombstone)
      return located({errc::tombstoned, "memory " + to_string(old.id) + " was tombstoned", {}});
    const tombstone_request gone{.uri = old,
                                 .actor = r.actor,
                                 .reason = {},
                                 .by = who,
                                 .cause = tombstone_cause::superseded,
                                 .superseded_by = by,
                                 .expect_version = old.version};
    if (auto ok = run(x, gone, prepared{}); !ok) return located(std::move(ok.error()));
    const add_edge_request leads{.src = by,
                                 .type = static_cast<std::uint8_t>(edge_type::supersedes),
                                 .dst = old.id,
                                 .actor = r.actor,
                                 .kind = {},
                                 .data = {},
                                 .by = who,
                                 .created_at = {}};
    if (auto ok = run(x, leads, prepared{}); !ok) return located(std::move(ok.error()));
  }
  x.out.results.resize(results);
  return {};
}

result<void> run(execution& x, const write_request& r, prepared p) {
  const timestamp created = p.now;
  const timestamp from = r.valid_from.value_or(created);
  if (auto ok = check_interval(from, r.valid_until); !ok) return ok;
  auto vector = place_vector(p, x.state, x.seams);
  if (!vector) return propagate(vector);
  if (r.id) {
    auto taken = x.state.head(*r.id);
    if (!taken) return propagate(taken);
    if (taken->has_value() || x.state.is_erased(*r.id))
      return fail(errc::already_exists, "memory " + to_string(*r.id) + " exists", "id");
  }
  auto colour = colour_of(r, x.state);
  if (!colour) return propagate(colour);
  const auto taken = [&](const memory_id& id) { return x.is_taken(id); };
  head h{.id = r.id ? *r.id : x.draw.draw_id(x.now, taken),
         .type = r.type,
         .current_version = 1,
         .actor_scope = r.actor,
         .visibility = r.visibility,
         .declared_importance = static_cast<std::uint8_t>(r.importance),
         .tags = normalise_tags(r.tags),
         .frames = r.frames,
         .metadata = r.metadata,
         .lifecycle = r.lifecycle,
         .colour = std::move(*colour),
         .tombstone = {},
         .embedding = {},
         .created_at = created,
         .last_updated_at = created,
         .version_hash = {},
         .erased = false,
         .nonce = x.draw.draw_nonce(),
         .key = std::move(p.key)};
  version v{.id = h.id,
            .number = 1,
            .type = r.type,
            .data = std::move(p.data),
            .created_at = created,
            .created_by = r.created_by.value_or(r.actor),
            .expires_at = r.expires_at,
            .confidence = r.confidence == 0 ? 1.0 : r.confidence,
            .provenance = r.provenance,
            .forms = std::move(p.forms),
            .short_overridden = r.forms.short_form.has_value(),
            .medium_overridden = r.forms.medium_form.has_value(),
            .valid_from = from,
            .valid_until = r.valid_until,
            .nonce = x.draw.draw_nonce(),
            .hash = {},
            .payload = r.payload};
  if (p.vector_is_later)
    hold_back(x, h, *vector);
  else if (*vector)
    h.embedding =
        embedding_ref{.dim = static_cast<std::uint32_t>((*vector)->values.size()), .version = 1};
  const std::string version_bytes = seal_version(v, h);
  const std::string head_bytes = encode(h);
  x.state.put(h);
  x.state.put(v);
  if (*vector) x.state.put_vector(h.id, **vector);
  const memory_uri uri{h.type, h.id, h.current_version};
  const state_leaf leaf = leaf_of(h, head_bytes);
  std::string by = v.created_by;
  append_entry(x, entry_kind::write, std::move(by), {leaf},
               write_payload{std::move(h), std::move(v), std::move(*vector), !r.id.has_value()},
               {.head = head_bytes, .version = version_bytes});
  if (auto ok = supersede(x, r, uri.id); !ok) return ok;
  x.out.results.push_back(changed_memory(x, uri));
  return {};
}

result<void> run(execution& x, const update_request& r, prepared p);

/// An update by a span, as the update with all data that it is.
result<void> run_replacement(execution& x, const update_request& r) {
  auto existing = existing_head(x, r.uri, r.expect_version);
  if (!existing) return propagate(existing);
  if (existing->tombstone)
    return fail(errc::tombstoned, "memory " + to_string(r.uri.id) + " was tombstoned", "uri");
  auto whole = replacement_of(x, r, *existing);
  if (!whole) return propagate(whole);
  if (auto ok = validate(*whole); !ok) return ok;
  auto content = prepare_content(whole->uri.type, whole->data, whole->forms, whole->vector,
                                 whole->created_at.value_or(x.now), x.seams);
  if (!content) return propagate(content);
  // A topic's is of its fields, too, which are looked up there.
  if (existing->type == memory_type::topic && !whole->vector) content->vector.reset();
  return run(x, *whole, std::move(*content));
}

result<void> run(execution& x, const update_request& r, prepared p) {
  if (r.replace) return run_replacement(x, r);
  const timestamp from = r.valid_from.value_or(p.now);
  if (auto ok = check_interval(from, r.valid_until); !ok) return ok;
  auto existing = existing_head(x, r.uri, r.expect_version);
  if (!existing) return propagate(existing);
  if (existing->tombstone)
    return fail(errc::tombstoned, "memory " + to_string(existing->id) + " was tombstoned", "uri");
  return append_version(x, std::move(*existing), r, std::move(p));
}

} // namespace

result<void> append_version(execution& x, head h, const update_request& r, prepared p) {
  const timestamp from = r.valid_from.value_or(p.now);
  if (h.current_version == std::numeric_limits<std::uint32_t>::max())
    return fail(errc::limit_exceeded, "the memory has no version number left", "uri");
  if (h.type == memory_type::topic)
    if (auto ok = embed_update(x, h, p); !ok) return ok;
  auto vector = place_vector(p, x.state, x.seams);
  if (!vector) return propagate(vector);
  const std::uint32_t number = h.current_version + 1;
  if (*vector) {
    h.embedding = embedding_ref{static_cast<std::uint32_t>((*vector)->values.size()), number};
  } else if (x.seams.embedder != nullptr) {
    h.embedding.reset(); // the new text holds nothing to embed, or its vector comes later
  } else if (h.embedding) {
    // Kept: the new content carries the old vector, so that each content is whole by itself.
    auto values = x.state.vector_of(h.id);
    if (values.empty()) // a journal of before may hold a head that names none
      h.embedding.reset();
    else
      *vector = spaced_vector{.space = x.state.space(), .values = std::move(values)};
  }
  if (p.vector_is_later) hold_back(x, h, *vector);
  version v{.id = h.id,
            .number = number,
            .type = h.type,
            .data = std::move(p.data),
            .created_at = p.now,
            .created_by = r.created_by.value_or(r.actor),
            .expires_at = r.expires_at,
            .confidence = r.confidence == 0 ? 1.0 : r.confidence,
            .provenance = r.provenance,
            .forms = std::move(p.forms),
            .short_overridden = r.forms.short_form.has_value(),
            .medium_overridden = r.forms.medium_form.has_value(),
            .valid_from = from,
            .valid_until = r.valid_until,
            .nonce = x.draw.draw_nonce(),
            .hash = {},
            .payload = r.payload};
  h.current_version = number;
  h.last_updated_at = p.now;
  const std::string version_bytes = seal_version(v, h);
  const std::string head_bytes = encode(h);
  x.state.put(h);
  x.state.put(v);
  if (*vector) x.state.put_vector(h.id, **vector);
  const memory_uri uri{h.type, h.id, h.current_version};
  const state_leaf leaf = leaf_of(h, head_bytes);
  std::string by = v.created_by;
  append_entry(x, entry_kind::update, std::move(by), {leaf},
               update_payload{std::move(h), std::move(v), std::move(*vector)},
               {.head = head_bytes, .version = version_bytes});
  x.out.results.push_back(changed_memory(x, uri));
  return {};
}

namespace {

result<void> run(execution& x, const update_head_request& r, const prepared&) {
  auto existing = existing_head(x, r.uri, r.expect_version);
  if (!existing) return propagate(existing);
  head h = std::move(*existing);
  if (h.tombstone)
    return fail(errc::tombstoned, "memory " + to_string(h.id) + " was tombstoned", "uri");
  if (r.lifecycle) {
    if (auto ok = validate_transition(h.lifecycle, *r.lifecycle); !ok) return ok;
    h.lifecycle = *r.lifecycle;
  }
  if (r.tags) h.tags = normalise_tags(*r.tags);
  if (r.frames) h.frames = *r.frames;
  if (r.importance) h.declared_importance = static_cast<std::uint8_t>(*r.importance);
  if (r.visibility) h.visibility = *r.visibility;
  if (r.metadata) h.metadata = *r.metadata;
  h.last_updated_at = x.now;
  x.state.put(h);
  const memory_uri uri{h.type, h.id, h.current_version};
  append_head(x, entry_kind::update_head, r.by.value_or(r.actor), std::move(h), r.affirm);
  x.out.results.push_back(changed_memory(x, uri));
  return {};
}

result<void> run(execution& x, const tombstone_request& r, const prepared&) {
  auto existing = existing_head(x, r.uri, r.expect_version);
  if (!existing) return propagate(existing);
  head h = std::move(*existing);
  if (h.tombstone) {
    x.out.results.push_back(unchanged(x, memory_uri{h.type, h.id, h.current_version}));
    return {};
  }
  const std::string by = r.by.value_or(r.actor);
  h.tombstone = tombstone{.reason = r.reason,
                          .cause = r.cause,
                          .superseded_by = r.superseded_by,
                          .at = x.now,
                          .by = by};
  h.last_updated_at = x.now;
  x.state.put(h);
  const memory_uri uri{h.type, h.id, h.current_version};
  append_head(x, entry_kind::tombstone, by, std::move(h));
  x.out.results.push_back(changed_memory(x, uri));
  return {};
}

result<void> run(execution& x, const add_edge_request& r, const prepared&) {
  // What it would say of what was erased could not be erased with it any more.
  for (const auto& [id, at] : {std::pair(r.src, "src"), std::pair(r.dst, "dst")})
    if (x.state.is_erased(id))
      return fail(errc::erased, "memory " + to_string(id) + " was erased", at);
  const edge_key key{r.src, static_cast<edge_type>(r.type), r.dst};
  auto existing = x.state.edge(key);
  if (!existing) return propagate(existing);
  if (existing->has_value() && !(*existing)->tombstoned) {
    x.out.results.push_back(changed_edge(x, false));
    return {};
  }
  edge_record e{.key = key,
                .created_at = r.created_at.value_or(x.now),
                .created_by = r.by.value_or(r.actor),
                .weight = r.weight,
                .data = r.data,
                .kind = r.kind,
                .tombstoned = false,
                .tombstoned_at = {},
                .tombstoned_reason = {},
                .tombstoned_by = {},
                .nonce = x.draw.draw_nonce()};
  x.state.put(e);
  append_edge(x, entry_kind::add_edge, std::move(e));
  x.out.results.push_back(changed_edge(x, true));
  return {};
}

result<void> run(execution& x, const remove_edge_request& r, const prepared&) {
  const edge_key key{r.src, static_cast<edge_type>(r.type), r.dst};
  auto existing = x.state.edge(key);
  if (!existing) return propagate(existing);
  if (!existing->has_value() || (*existing)->tombstoned) {
    x.out.results.push_back(changed_edge(x, false));
    return {};
  }
  edge_record e = std::move(**existing);
  e.tombstoned = true;
  e.tombstoned_at = x.now;
  e.tombstoned_reason = r.reason;
  e.tombstoned_by = r.by.value_or(r.actor);
  x.state.put(e);
  append_edge(x, entry_kind::remove_edge, std::move(e));
  x.out.results.push_back(changed_edge(x, true));
  return {};
}

result<void> run(execution& x, const assign_tag_request& r, const prepared&) {
  auto plan = plan_assignment(r, x.state);
  if (!plan) return propagate(plan);
  const tag_assignment& bound = plan->assignment;
  if (plan->changed) {
    x.state.put(bound);
    append_entry(x, entry_kind::assign_tag, r.actor, {},
                 assign_tag_payload{bound.tag, bound.anchor, r.actor, x.draw.draw_nonce()});
  }
  x.out.results.push_back({.changed = plan->changed,
                           .seq = {x.current.value + x.out.entries.size()},
                           .uri = {},
                           .tag = bound});
  return {};
}

result<void> run(execution& x, const set_weights_request& r, const prepared&) {
  const std::string before = x.state.search();
  search_weights held = x.state.made_with();
  if (!r.reset && !before.empty()) {
    auto set = change_search_weights(held, before);
    if (!set) return propagate(set);
    held = *set;
  }
  if (r.weights) {
    auto wanted = change_search_weights(held, *r.weights);
    if (!wanted) return propagate(wanted);
    held = *wanted;
  }
  const std::string after = r.weights ? to_string(held) : std::string();
  const bool changed = after != before;
  if (changed) {
    x.state.put_search(after);
    append_entry(x, entry_kind::search_weights, r.actor, {},
                 search_weights_payload{after, r.actor, x.draw.draw_nonce()});
  }
  mutation_result done{
      .changed = changed, .seq = {x.current.value + x.out.entries.size()}, .uri = {}};
  done.weights = to_string(held);
  x.out.results.push_back(std::move(done));
  return {};
}

result<prepared> prepare(const write_request& r, timestamp now, const execution_seams& seams,
                         const prepared_ahead& ahead) {
  return prepare_content(r.type, r.data, r.forms, r.vector, r.created_at.value_or(now), seams,
                         ahead);
}
result<prepared> prepare(const update_request& r, timestamp now, const execution_seams& seams,
                         const prepared_ahead& ahead) {
  if (r.replace) return prepared{}; // of a version that is read in its turn
  return prepare_content(r.uri.type, r.data, r.forms, r.vector, r.created_at.value_or(now), seams,
                         ahead, {.is_known = r.uri.type != memory_type::topic});
}
result<prepared> prepare(const put_request& r, timestamp now, const execution_seams& seams,
                         const prepared_ahead& ahead) {
  auto p = prepare(r.content, now, seams, ahead);
  if (p) p->key = r.key;
  return p;
}
result<prepared> prepare(const put_record_request& r, timestamp now, const execution_seams&,
                         const prepared_ahead&) {
  prepared p;
  p.now = now;
  p.vector = r.vector;
  return p;
}
result<prepared> prepare(const ingest_request& r, timestamp now, const execution_seams& seams,
                         const prepared_ahead& ahead) {
  return prepare_ingest(r, now, seams, ahead);
}
template <class Request>
result<prepared> prepare(const Request&, timestamp now, const execution_seams&,
                         const prepared_ahead&) {
  prepared p;
  p.now = now;
  return p;
}

error located(error e, bool is_batch, std::size_t i) {
  return is_batch ? placed_within(std::move(e), fmt::format("items[{}]", i)) : e;
}

result<void> run_one(execution& x, const mutation& m, prepared p) {
  if (x.seams.sight != nullptr)
    if (auto ok = check_sight(m, *x.seams.sight, x.state); !ok) return ok;
  return std::visit([&](const auto& r) { return run(x, r, std::move(p)); }, m);
}

/// An export's fields come one by one: topics get their texts when all are there.
bool is_put_record(const mutation& m) {
  return std::holds_alternative<put_record_request>(m)
         || std::holds_alternative<put_edge_record_request>(m)
         || std::holds_alternative<put_field_record_request>(m);
}

/// The texts of topics belong to the request that changed them.
result<void> settle(execution& x) {
  const std::size_t before = x.out.entries.size();
  if (auto ok = settle_topic_texts(x); !ok) return ok;
  if (x.out.entries.size() > before)
    x.out.results.back().seq = {x.current.value + x.out.entries.size()};
  return {};
}

result<void> run_all(execution& x, std::span<const mutation> items, std::span<prepared> ready,
                     bool is_batch) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto done = run_one(x, items[i], std::move(ready[i]));
    const bool settles = !is_put_record(items[i]) || i + 1 == items.size();
    if (done && settles) done = settle(x);
    if (!done) return std::unexpected(located(std::move(done.error()), is_batch, i));
    if (x.seams.room != nullptr)
      if (auto ok = x.seams.room->check(x.out.taken); !ok)
        return std::unexpected(located(std::move(ok.error()), is_batch, i));
    if (x.out.entries.size() > max_command_entries)
      return fail(errc::limit_exceeded,
                  fmt::format("a batch makes at most {} entries", max_command_entries),
                  fmt::format("items[{}]", i));
    if (x.payload_bytes > max_command_bytes)
      return fail(
          errc::limit_exceeded,
          fmt::format("the entries of a batch take at most {} MiB", max_command_bytes >> 20),
          fmt::format("items[{}]", i));
  }
  return {};
}

std::vector<memory_id> ids_given_by(std::span<const mutation> items) {
  std::vector<memory_id> given;
  for (const auto& item : items) {
    if (const auto* w = std::get_if<write_request>(&item); w != nullptr && w->id)
      given.push_back(*w->id);
    if (const auto* put = std::get_if<put_request>(&item); put != nullptr && put->content.id)
      given.push_back(*put->content.id);
    const auto* topic = std::get_if<ingest_request>(&item);
    if (topic == nullptr) continue;
    if (topic->topic_id) given.push_back(*topic->topic_id);
    for (const auto& link : topic->links) given.push_back(link.topic_id);
  }
  std::ranges::sort(given);
  return given;
}

} // namespace

result<executed_command> execute(std::span<const mutation> items, bool is_batch, overlay& state,
                                 id_source& ids, const execution_seams& seams, timestamp now,
                                 seq_no current, std::span<const prepared_ahead> ahead) {
  ensure(ahead.empty() || ahead.size() == items.size(), "each item is prepared ahead, or none");
  if (items.size() > max_batch_items)
    return fail(errc::limit_exceeded,
                "a batch has at most " + std::to_string(max_batch_items) + " items", "items");
  std::vector<prepared> ready;
  ready.reserve(items.size());
  const prepared_ahead nothing;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const prepared_ahead& done = ahead.empty() ? nothing : ahead[i];
    auto checked = done.validity ? *done.validity
                                 : std::visit([](const auto& r) { return validate(r); }, items[i]);
    if (!checked) return std::unexpected(located(std::move(checked.error()), is_batch, i));
    auto p = std::visit([&](const auto& r) { return prepare(r, now, seams, done); }, items[i]);
    if (!p) return std::unexpected(located(std::move(p.error()), is_batch, i));
    ready.push_back(std::move(*p));
  }
  const auto given = ids_given_by(items);
  ids.mark();
  execution x{state, ids, seams, now, current, given};
  x.out.entries.reserve(items.size()); // most items make one
  x.out.results.reserve(items.size());
  if (auto done = run_all(x, items, ready, is_batch); !done) {
    // What fails has drawn nothing.
    ids.give_back();
    state.drop_layer();
    return std::unexpected(std::move(done.error()));
  }
  ensure(x.out.results.size() == items.size(), "each item has its result");
  ids.keep();
  state.keep_layer();
  return std::move(x.out);
}

const std::string& acting_in(const mutation& m) {
  static const std::string nobody; // a request that is refused anyway
  return std::visit(
      [](const auto& r) -> const std::string& {
        using request = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<request, put_record_request>)
          return r.head.actor_scope;
        else if constexpr (std::is_same_v<request, put_request>)
          return r.content.actor;
        else if constexpr (std::is_same_v<request, put_edge_record_request>)
          return r.edge.created_by;
        else if constexpr (std::is_same_v<request, put_field_record_request>)
          return r.revisions.empty() ? nobody : r.revisions.back().created_by;
        else
          return r.actor;
      },
      m);
}

result<void> run_part(execution& x, const write_request& r, const prepared& p) {
  return run(x, r, p);
}
result<void> run_part(execution& x, const update_request& r, const prepared& p) {
  return run(x, r, p);
}
result<void> run_part(execution& x, const tombstone_request& r) {
  return run(x, r, prepared{});
}
result<void> run_part(execution& x, const add_edge_request& r) {
  return run(x, r, prepared{});
}
result<void> run_part(execution& x, const remove_edge_request& r) {
  return run(x, r, prepared{});
}

} // namespace mneme
