#include "query/records/whole_world.hpp"

#include <algorithm>

#include "query/records/edge_reads.hpp"
#include "query/records/read_for.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

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

} // namespace

result<void> read_all_memories(const read_views& views,
                               const std::function<bool(const memory_record&)>& visit) {
  if (auto ok = views.wait_for_late(); !ok) return ok;
  const seq_no at = views.published;
  auto reader = views.store->reader();
  if (!reader) return propagate(reader);
  std::vector<memory_id> ids;
  ids.reserve(views.nodes->size());
  for (std::uint32_t i = 0; i < views.nodes->size(); ++i)
    if (views.attributes->row_of({i}, at).value != no_number) ids.push_back(views.nodes->id({i}));
  std::ranges::sort(ids);
  for (const auto& id : ids) {
    auto h = read_head(**reader, id, at);
    if (!h) return propagate(h);
    if (!h->has_value()) continue;
    memory_record record{.head = std::move(**h), .versions = {}, .vector = {}, .fields = {}};
    for (std::uint32_t n = 1; n <= record.head.current_version; ++n) {
      auto is_trimmed = read_trimmed(**reader, id, n);
      if (!is_trimmed) return propagate(is_trimmed);
      if (*is_trimmed) continue;
      auto v = read_version(**reader, id, n);
      if (!v) return propagate(v);
      if (v->has_value()) record.versions.push_back(std::move(**v));
    }
    const row_no row = views.attributes->row_of(views.nodes->find(id), at);
    const auto values = views.vectors->get(views.attributes->slot(row));
    record.vector.assign(values.begin(), values.end());
    if (record.head.type == memory_type::topic)
      if (auto ok = add_fields(**reader, at, record); !ok) return ok;
    if (!visit(record)) break;
  }
  return {};
}

namespace {

result<void> visit_edges(const read_views& views, seq_no at,
                         const std::function<bool(const edge_record&)>& visit) {
  auto reader = views.store->reader();
  if (!reader) return propagate(reader);
  std::vector<memory_id> ids;
  ids.reserve(views.nodes->size());
  for (std::uint32_t i = 0; i < views.nodes->size(); ++i) ids.push_back(views.nodes->id({i}));
  std::ranges::sort(ids);
  const edge_filter all{.types = {}, .include_tombstoned = true};
  const asker host;
  const deadline never;
  edge_scan scan{views, **reader, all, at, host, visit, never};
  for (const auto& id : ids) {
    if (auto ok = scan.one_way(id, edge_direction::out); !ok || scan.stopped) return ok;
  }
  return {};
}

} // namespace

result<void> read_all_edges(const read_views& views,
                            const std::function<bool(const edge_record&)>& visit) {
  const seq_no at = views.published;
  return read_inside_window(views, at, [&] { return visit_edges(views, at, visit); });
}

} // namespace mneme
