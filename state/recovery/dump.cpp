#include "state/recovery/dump.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/hash.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string vector_bytes(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Fields with all their revisions, and the audit log.
result<void> dump_topic(kv_reader& reader, const memory_id& id, seq_no at, std::string& out) {
  auto fields = read_fields(reader, id, at);
  if (!fields) return propagate(fields);
  for (const auto& f : *fields) {
    out += fmt::format("  field {}\n", hex(encode(f)));
    auto revisions = read_revisions(reader, f.head);
    if (!revisions) return propagate(revisions);
    for (const auto& r : *revisions) out += fmt::format("    revision {}\n", hex(encode(r)));
  }
  auto events = read_events(reader, id, at);
  if (!events) return propagate(events);
  for (const auto& e : *events) out += fmt::format("  event {}\n", hex(encode(e)));
  return {};
}

result<void> dump_memory(world& w, kv_reader& reader, const memory_id& id, seq_no at,
                         std::string& out) {
  auto h = read_head(reader, id, at);
  if (!h) return propagate(h);
  if (!h->has_value()) return {};
  out += fmt::format("memory {} {}\n", to_string(id), hex(encode(**h)));
  if ((*h)->erased)
    return {}; // of what it was used for before, a copy of the journal knows nothing
  for (std::uint32_t n = 1; n <= (*h)->current_version; ++n) {
    // Its row may be there until the trim is done.
    auto is_trimmed = read_trimmed(reader, id, n);
    if (!is_trimmed) return propagate(is_trimmed);
    if (*is_trimmed) continue;
    auto v = read_version(reader, id, n);
    if (!v) return propagate(v);
    if (v->has_value()) out += fmt::format("  version {} {}\n", n, hex(encode(**v)));
  }
  const node_no node = w.nodes.find(id);
  const activation a = w.attributes().activation_of(node, at);
  out += fmt::format("  activation {} {} {} {} {}\n", a.last_used.ns, a.access_count, a.citations,
                     a.importance, a.topic_salience_e9);
  if (const auto s = w.attributes().colours().signals_of(node, at))
    out += fmt::format("  signals {} {} {} {} {}\n", s->strength_e9, s->last_accessed.ns,
                       s->last_decay_at ? s->last_decay_at->ns : -1, s->ascended, s->rotten);
  const row_no row = w.attributes().row_of(node, at);
  if (row.value != no_number) {
    const auto values = w.vectors().get(w.attributes().slot(row));
    out += fmt::format("  vector {} {}\n", values.size(), to_hex(sha256_of(vector_bytes(values))));
  }
  if ((*h)->type == memory_type::topic) return dump_topic(reader, id, at, out);
  return {};
}

result<void> dump_edges(world& w, kv_reader& reader, const memory_id& id, seq_no at,
                        std::string& out) {
  result<void> ok;
  const node_no node = w.nodes.find(id);
  w.graph.neighbours(node, edge_direction::out, at, true, [&](const neighbour& n) {
    auto e = read_edge(reader, {id, n.type, w.nodes.id(n.node)}, at);
    if (!e || !e->has_value()) {
      ok = e ? fail(errc::corrupt, "an edge of the graph is not in the store") : propagate(e);
      return false;
    }
    out += fmt::format("  out {}\n", hex(encode(**e)));
    return true;
  });
  if (!ok) return ok;
  w.graph.neighbours(node, edge_direction::in, at, true, [&](const neighbour& n) {
    out += fmt::format("  in {} {}{}\n", to_string(n.type), to_string(w.nodes.id(n.node)),
                       n.tombstoned ? " tombstoned" : "");
    return true;
  });
  return {};
}

void add_row(std::string_view name, std::string_view key, std::string_view value,
             std::string& out) {
  out += fmt::format("{} {} {}\n", name, hex(key), hex(value));
}

/// What each actor learned last; what was before a trim may have dropped.
result<void> dump_weights(kv_reader& reader, std::string& out) {
  std::string last;
  return reader.scan(kv_table::weights, "", "", [&](std::string_view key, std::string_view value) {
    const std::string_view whose = key.substr(0, key.size() - sizeof(seq_no::value));
    if (whose != last) add_row("weights", key, value, out);
    last = whose;
    return true;
  });
}

result<void> dump_compacts(kv_reader& reader, std::string& out) {
  return reader.scan(kv_table::compacts, "", "", [&](std::string_view key, std::string_view value) {
    add_row("compact", key, value, out);
    return true;
  });
}

} // namespace

result<std::string> canonical_dump(world& w) {
  if (auto ok = w.wait_for_late(); !ok) return propagate(ok);
  const seq_no at = w.published_seq();
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  std::vector<memory_id> ids;
  ids.reserve(w.nodes.size());
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) ids.push_back(w.nodes.id({i}));
  std::ranges::sort(ids);
  std::string out = fmt::format("seq {} root {}\n", at.value, to_hex(w.published_roots().overall));
  for (const auto& t : w.attributes().colours().tags().all(at))
    out += fmt::format("tag {} {}\n", t.tag, t.anchor);
  if (const auto set = w.attributes().search_at(at))
    out += fmt::format("search {} {} {} {}\n", set->since.value, set->at.ns, set->by, set->weights);
  for (const auto& id : ids) {
    if (auto ok = dump_memory(w, **reader, id, at, out); !ok) return propagate(ok);
    if (auto ok = dump_edges(w, **reader, id, at, out); !ok) return propagate(ok);
  }
  if (auto ok = dump_weights(**reader, out); !ok) return propagate(ok);
  if (auto ok = dump_compacts(**reader, out); !ok) return propagate(ok);
  return out;
}

} // namespace mneme
