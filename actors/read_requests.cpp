#include "actors/read_requests.hpp"

#include <algorithm>

#include "journal/journal.hpp"
#include "messages/records.hpp"
#include "messages/topic_records.hpp"
#include "query/positive.hpp"
#include "state/agent_commands.hpp"
#include "state/manifests.hpp"
#include "state/scope_check.hpp"
#include "state/topic_reads.hpp"
#include "state/unembedded.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

/// What is not there and what the asker may not see are the same to it.
std::unexpected<error> hidden(const asker& who, const memory_id& id, std::string_view key) {
  return fail(
      who.refusal(),
      (who.verified_scope() != nullptr ? "the scope opens no memory " : "there is no memory ")
          + to_string(id),
      std::string(key));
}

/// A memory that exists at the seq asked and that the asker may see.
result<memory> visible_memory(world& w, kv_reader& reader, const memory_id& id, const asker& who,
                              seq_no at, std::string_view key) {
  auto found = read_memory(w.views(), reader, id, at);
  if (!found) return propagate(found);
  if (!found->has_value() || !who.may_see((*found)->head)) return hidden(who, id, key);
  if ((*found)->head.erased)
    return fail(errc::erased, "memory " + to_string(id) + " was erased", std::string(key));
  return std::move(**found);
}

bool wanted(const edge_filter& filter, edge_type type) {
  if (filter.types.empty()) return true;
  for (const edge_type t : filter.types)
    if (t == type) return true;
  return false;
}

result<void> read_edges_one_way(world& w, kv_reader& reader, const memory_id& id, node_no node,
                                edge_direction direction, const edge_filter& filter, seq_no at,
                                const asker& who,
                                const std::function<bool(const edge_record&)>& visit,
                                bool& stopped) {
  result<void> ok;
  w.graph.neighbours(node, direction, at, filter.include_tombstoned, [&](const neighbour& n) {
    if (!wanted(filter, n.type)) return true;
    const memory_id& other = w.nodes.id(n.node);
    auto seen = who.may_see(reader, other, at);
    if (!seen) {
      ok = propagate(seen);
      return false;
    }
    if (!*seen) return true;
    const edge_key key = direction == edge_direction::out ? edge_key{id, n.type, other}
                                                          : edge_key{other, n.type, id};
    auto record = read_edge(reader, key, at);
    if (!record) {
      ok = propagate(record);
      return false;
    }
    if (!record->has_value()) {
      ok = fail(errc::corrupt, "the graph has an edge that the store has not");
      return false;
    }
    stopped = !visit(**record);
    return !stopped;
  });
  return ok;
}

result<asker> asker_of(world& w, const read_options& options) {
  if (options.scope == nullptr) return asker(options.actor);
  auto now = w.now();
  if (!now) return propagate(now);
  return verify_asker(options.actor, options.scope, *now, w.views());
}

/// What `read` answers, unless the window has moved on meanwhile, and what was read with it.
template <class Read>
auto read_inside_window(world& w, seq_no at, Read read) -> decltype(read()) {
  auto answer = read();
  if (auto still = w.readable(at); answer && !still) return propagate(still);
  return answer;
}

/// Runs `read` for who asks, at the seq asked.
template <class Read>
auto read_for(world& w, const read_options& options, Read read)
    -> decltype(read(std::declval<kv_reader&>(), std::declval<const asker&>(), seq_no{})) {
  auto at = w.readable(options.at_seq);
  if (!at) return propagate(at);
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  auto who = asker_of(w, options);
  if (!who) return propagate(who);
  return read_inside_window(w, *at, [&] { return read(**reader, *who, *at); });
}

} // namespace

result<memory> read_current(world& w, const memory_id& id, const read_options& options) {
  return read_for(w, options, [&](kv_reader& reader, const asker& who, seq_no at) {
    return visible_memory(w, reader, id, who, at, "id");
  });
}

result<memory> read_version_of(world& w, const memory_uri& uri, const read_options& options) {
  return read_for(
      w, options, [&](kv_reader& reader, const asker& who, seq_no at) -> result<memory> {
        auto m = visible_memory(w, reader, uri.id, who, at, "uri");
        if (!m) return m;
        if (m->head.type != uri.type || uri.version == 0 || uri.version > m->head.current_version)
          return fail(errc::not_found, "there is no " + to_string(uri), "uri");
        if (uri.version == m->head.current_version) return m;
        auto v = read_version(reader, uri.id, uri.version);
        if (!v) return propagate(v);
        if (!v->has_value()) return fail(errc::not_found, "there is no " + to_string(uri), "uri");
        m->version = std::move(**v);
        return m;
      });
}

result<std::vector<memory>> read_by_type(world& w, memory_type type, std::size_t limit,
                                         const read_options& options, bool include_archived) {
  return read_for(
      w, options,
      [&](kv_reader& reader, const asker& who, seq_no at) -> result<std::vector<memory>> {
        const auto left_out = include_archived ? row_gone : row_unfindable;
        const visible_rows visible(who, w.attributes, w.nodes);
        std::vector<memory_id> ids;
        w.attributes.with_type(type)->for_each([&](row_no row) {
          const auto flags = w.attributes.rows().line(row).flags;
          if ((flags & left_out) == 0 && w.attributes.alive(row, at) && visible(row))
            ids.push_back(w.nodes.id(w.attributes.node(row)));
          return true;
        });
        std::ranges::sort(ids);
        std::vector<memory> found;
        for (const auto& id : ids) {
          if (found.size() == limit) break;
          auto m = visible_memory(w, reader, id, who, at, "id");
          if (!m) return propagate(m);
          found.push_back(std::move(*m));
        }
        return found;
      });
}

namespace {

/// Runs `read` over a topic that exists at the seq asked and that the asker may see.
template <class Read>
auto read_topic(world& w, const memory_id& topic, const read_options& options, Read read)
    -> decltype(read(std::declval<kv_reader&>(), seq_no{})) {
  using answer_type = decltype(read(std::declval<kv_reader&>(), seq_no{}));
  return read_for(w, options, [&](kv_reader& reader, const asker& who, seq_no at) -> answer_type {
    auto m = visible_memory(w, reader, topic, who, at, "id");
    if (!m) return propagate(m);
    if (m->head.type != memory_type::topic)
      return fail(errc::type_data_mismatch,
                  to_string(topic) + " is a " + std::string(to_string(m->head.type))
                      + ", not a Topic",
                  "id");
    return read(reader, at);
  });
}

} // namespace

result<std::vector<topic_field_view>> read_topic_fields(world& w, const memory_id& topic,
                                                        const field_options& fields,
                                                        const read_options& options) {
  if (auto ok = check_positive(fields.history_limit, "history_limit"); !ok) return propagate(ok);
  return read_topic(w, topic, options,
                    [&](kv_reader& reader, seq_no at) -> result<std::vector<topic_field_view>> {
                      auto all = read_fields(reader, topic, at);
                      if (!all) return propagate(all);
                      std::vector<topic_field_view> views;
                      for (auto& f : *all) {
                        auto view = read_field_view(reader, std::move(f), fields);
                        if (!view) return propagate(view);
                        views.push_back(std::move(*view));
                      }
                      return views;
                    });
}

result<std::vector<topic_event>> read_topic_events(world& w, const memory_id& topic,
                                                   const read_options& options) {
  return read_topic(w, topic, options,
                    [&](kv_reader& reader, seq_no at) { return read_events(reader, topic, at); });
}

namespace {

/// `read` is what was read of the memory itself, at `options`.
result<memory_reading> with_parts(world& w, result<memory> read, const memory_parts& parts,
                                  const read_options& options) {
  if (!read) return propagate(read);
  memory_reading whole{.found = std::move(*read)};
  const head& h = whole.found.head;
  if (parts.raw) whole.raw = encode(h);
  if (h.type != memory_type::topic) {
    if (!parts.events && !parts.history) return whole;
    return fail(errc::type_data_mismatch, "only a Topic has fields and events",
                parts.events ? "events" : "history");
  }
  auto fields = read_topic_fields(w, h.id, {.history = parts.history}, options);
  if (!fields) return propagate(fields);
  whole.fields = std::move(*fields);
  if (!parts.events) return whole;
  auto events = read_topic_events(w, h.id, options);
  if (!events) return propagate(events);
  whole.events = std::move(*events);
  return whole;
}

/// All parts of one reading are of this seq, whatever is written in between.
result<read_options> fixed(world& w, read_options options) {
  auto at = w.readable(options.at_seq);
  if (!at) return propagate(at);
  options.at_seq = *at;
  return options;
}

} // namespace

result<memory_reading> read_whole(world& w, const get_read& request) {
  auto options = fixed(w, request.options);
  if (!options) return propagate(options);
  return with_parts(w, read_current(w, request.id, *options), request.parts, *options);
}

result<memory_reading> read_whole(world& w, const resolve_read& request) {
  auto options = fixed(w, request.options);
  if (!options) return propagate(options);
  return with_parts(w, read_version_of(w, request.uri, *options), request.parts, *options);
}

result<edge_record> read_one_edge(world& w, const edge_key& key, const read_options& options) {
  return read_for(w, options,
                  [&](kv_reader& reader, const asker& who, seq_no at) -> result<edge_record> {
                    auto found = read_edge(reader, key, at);
                    if (!found) return propagate(found);
                    bool visible = found->has_value();
                    for (const auto& end : {key.src, key.dst}) {
                      if (!visible) break;
                      auto seen = who.may_see(reader, end, at);
                      if (!seen) return propagate(seen);
                      visible = *seen;
                    }
                    if (!visible)
                      return fail(who.refusal(), "there was never an edge " + to_string(key.src)
                                                     + " " + std::string(to_string(key.type)) + " "
                                                     + to_string(key.dst));
                    return std::move(**found);
                  });
}

result<void> read_edges(world& w, const memory_id& id, edge_direction direction,
                        const edge_filter& filter, const read_options& options,
                        const std::function<bool(const edge_record&)>& visit) {
  return read_for(w, options, [&](kv_reader& reader, const asker& who, seq_no at) -> result<void> {
    auto seen = who.may_see(reader, id, at);
    if (!seen) return propagate(seen);
    if (!*seen) return hidden(who, id, "id");
    const node_no node = w.nodes.find(id);
    if (node.value == no_number) return {};
    bool stopped = false;
    for (const auto one_way : {edge_direction::out, edge_direction::in}) {
      if (stopped || (direction != edge_direction::both && direction != one_way)) continue;
      if (auto ok =
              read_edges_one_way(w, reader, id, node, one_way, filter, at, who, visit, stopped);
          !ok)
        return ok;
    }
    return {};
  });
}

namespace {

result<void> add_fields(kv_reader& reader, seq_no at, memory_record& record) {
  auto fields = read_fields(reader, record.head.id, at);
  if (!fields) return propagate(fields);
  for (auto& f : *fields) {
    auto revisions = read_revisions(reader, f.head);
    if (!revisions) return propagate(revisions);
    record.fields.push_back({.field = std::move(f), .revisions = std::move(*revisions)});
  }
  return {};
}

/// Every field has one leaf in the state tree, and a field never goes.
result<std::uint64_t> count_fields(kv_reader& reader) {
  std::uint64_t count = 0;
  const std::string rows(1, static_cast<char>(state_namespace::fields));
  auto scanned = reader.scan(kv_table::state_leaves, rows, keys::prefix_end(rows),
                             [&](std::string_view, std::string_view) {
                               ++count;
                               return true;
                             });
  if (!scanned) return propagate(scanned);
  return count;
}

} // namespace

result<void> read_all_memories(world& w, const std::function<bool(const memory_record&)>& visit) {
  const seq_no at = w.published_seq();
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  std::vector<memory_id> ids;
  ids.reserve(w.nodes.size());
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i)
    if (w.attributes.row_of({i}, at).value != no_number) ids.push_back(w.nodes.id({i}));
  std::ranges::sort(ids);
  for (const auto& id : ids) {
    auto h = read_head(**reader, id, at);
    if (!h) return propagate(h);
    if (!h->has_value()) continue;
    memory_record record{.head = std::move(**h), .versions = {}, .vector = {}, .fields = {}};
    for (std::uint32_t n = 1; n <= record.head.current_version; ++n) {
      auto v = read_version(**reader, id, n);
      if (!v) return propagate(v);
      if (v->has_value()) record.versions.push_back(std::move(**v));
    }
    const row_no row = w.attributes.row_of(w.nodes.find(id), at);
    const auto values = w.vectors.get(w.attributes.slot(row));
    record.vector.assign(values.begin(), values.end());
    if (record.head.type == memory_type::topic)
      if (auto ok = add_fields(**reader, at, record); !ok) return ok;
    if (!visit(record)) break;
  }
  return {};
}

namespace {

result<void> visit_edges(world& w, seq_no at,
                         const std::function<bool(const edge_record&)>& visit) {
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  std::vector<memory_id> ids;
  ids.reserve(w.nodes.size());
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) ids.push_back(w.nodes.id({i}));
  std::ranges::sort(ids);
  bool stopped = false;
  for (const auto& id : ids) {
    if (auto ok =
            read_edges_one_way(w, **reader, id, w.nodes.find(id), edge_direction::out,
                               {.types = {}, .include_tombstoned = true}, at, {}, visit, stopped);
        !ok || stopped)
      return ok;
  }
  return {};
}

} // namespace

result<void> read_all_edges(world& w, const std::function<bool(const edge_record&)>& visit) {
  const seq_no at = w.published_seq();
  return read_inside_window(w, at, [&] { return visit_edges(w, at, visit); });
}

result<std::vector<journal_item>> read_journal_items(world& w, seq_no from, std::size_t limit) {
  std::vector<journal_item> items;
  const seq_no last = w.published_seq();
  const seq_no first{std::max<std::uint64_t>(from.value, 1)};
  if (first > last || limit == 0) return items;
  auto walked = read_journal(*w.files, journal_directory(w.directory), w.info.id, first, true,
                             [&](const journal_frame& frame) -> result<bool> {
                               for (const auto& raw : frame.entries) {
                                 auto h = decode_entry_header(raw.header);
                                 if (!h) return propagate(h);
                                 if (h->seq < first) continue;
                                 if (h->seq > last || items.size() == limit) return false;
                                 journal_item item{.seq = h->seq,
                                                   .kind = std::string(to_string(h->kind)),
                                                   .created_at = h->created_at,
                                                   .created_by = h->created_by,
                                                   .leaves = {},
                                                   .payload_hash = h->payload_hash,
                                                   .header = raw.header};
                                 for (const auto& leaf : h->leaves)
                                   item.leaves.push_back({leaf.ns, leaf.path, leaf.value_hash});
                                 items.push_back(std::move(item));
                               }
                               return items.size() < limit;
                             });
  if (!walked) return propagate(walked);
  return items;
}

result<world_stats> read_stats(world& w) {
  const seq_no at = w.published_seq();
  world_stats s;
  s.world = w.info.id;
  s.world_name = w.info.name;
  s.embedder = w.info.embedder;
  if (w.embedder != nullptr) s.space = w.embedder->space();
  if (s.space.dim == 0) s.space = w.vectors.space_at(at);
  if (w.embedder != nullptr && w.embedder->remote() != nullptr) {
    auto now = w.embedding.get();
    s.embeddings_pending = count_unembedded(w.views(), at);
    s.embeddings_refused = now.refused;
    s.embedder_problem = std::move(now.problem);
  }
  s.seq = at;
  s.checkpoint_seq = {w.checkpoint_seq};
  s.queued = w.queued;
  s.rows = w.attributes.row_count();
  s.edges = w.graph.edge_count();
  s.vectors = w.vectors.size();
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  auto fields = count_fields(**reader);
  if (!fields) return propagate(fields);
  s.fields = *fields;
  s.journal_bytes = w.journal->bytes();
  s.journal_segments = w.journal->segment_count();
  for (std::uint8_t t = 1; t <= memory_type_count; ++t) {
    const auto type = static_cast<memory_type>(t);
    const std::uint64_t n = w.attributes.live_count(type, at);
    if (n > 0) s.memories_by_type.emplace_back(type, n);
    s.memories += n;
  }
  return s;
}

result<compact_result> read_compact_record(world& w, const load_compact_request& request) {
  if (auto ok = validate(request); !ok) return propagate(ok);
  auto at = w.readable(request.at_seq);
  if (!at) return propagate(at);
  return read_compact(request, w.views(), *at);
}

result<seq_no> seq_of_root(world& w, const digest& root, const root_set& current) {
  if (root == current.overall) return current.seq;
  auto snapshot = find_manifest(*w.store, root, current.seq);
  if (!snapshot) return propagate(snapshot);
  if (!snapshot->has_value())
    return fail(errc::root_unavailable,
                "root " + to_hex(root) + " is neither the current one nor a snapshot's", "root");
  return (*snapshot)->seq;
}

result<ledger::proof_request> proof_keys(world& w, const prove_request& request) {
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  const seq_no at = w.published_seq();
  auto now = w.now();
  if (!now) return propagate(now);
  auto asking = verify_asker(request.actor, request.scope, *now, w.views());
  if (!asking) return propagate(asking);
  const asker& who = *asking;
  if (request.scope != nullptr && !request.seqs.empty())
    return fail(errc::scope_violation, "a scope opens no entries of the journal", "seqs");
  ledger::proof_request keys;
  for (const auto& id : request.ids) {
    auto seen = who.may_see(**reader, id, at);
    if (!seen) return propagate(seen);
    if (!*seen) return hidden(who, id, "ids");
    keys.keys.emplace_back(state_namespace::memories, std::string(id.raw()));
  }
  for (const auto& key : request.edges) {
    for (const auto& end : {key.src, key.dst}) {
      auto seen = who.may_see(**reader, end, at);
      if (!seen) return propagate(seen);
      if (!*seen) return hidden(who, end, "edges");
    }
    keys.keys.emplace_back(state_namespace::edges, key_bytes(key));
  }
  for (const auto& [topic, name] : request.fields) {
    auto seen = who.may_see(**reader, topic, at);
    if (!seen) return propagate(seen);
    if (!*seen) return hidden(who, topic, "fields");
    keys.keys.emplace_back(state_namespace::fields, field_key_bytes(topic, name));
  }
  keys.seqs = request.seqs;
  return keys;
}

} // namespace mneme
