// Export: one header line, one line per hashtag (in the order of assignment), one per memory (id
// order), one per edge (key order). No time of day and nothing of this machine is in it, so that
// the same world gives the same bytes.

#include <nlohmann/json.hpp>

#include "tools/import/export_format.hpp"
#include "tools/import/import.hpp"
#include "tools/import/record_json.hpp"

namespace mneme::importing {

namespace {

json header_json(const world_stats& stats, const root_set& roots) {
  return {{export_key, export_format},       {"world", stats.world_name},
          {"world_id", to_hex(stats.world)}, {"seq", roots.seq.value},
          {"root", to_hex(roots.overall)},   {"vector_model", stats.space.model},
          {"vector_dim", stats.space.dim}};
}

json line_of(const memory_record& m) {
  json versions = json::array();
  for (const auto& v : m.versions) versions.push_back(version_record_json(v));
  json line{{"head", head_record_json(m.head)}, {"versions", std::move(versions)}};
  if (!m.vector.empty()) {
    json numbers = json::array();
    for (const float x : m.vector) numbers.push_back(protocol::shortest(x));
    line["vector"] = std::move(numbers);
  }
  for (const auto& f : m.fields) line["fields"].push_back(field_record_json(f));
  return line;
}

} // namespace

result<export_counts> export_world(engine& source,
                                   const std::function<bool(std::string_view)>& write_line) {
  auto stats = source.stats();
  if (!stats) return propagate(stats);
  auto roots = source.root();
  if (!roots) return propagate(roots);
  export_counts counts;
  if (!write_line(protocol::print(header_json(*stats, *roots)))) return counts;
  auto tags = source.tags();
  if (!tags) return propagate(tags);
  for (const auto& t : *tags)
    if (!write_line(protocol::print(json{{"tag", t.tag}, {"anchor", t.anchor}}))) return counts;
  bool going = true;
  auto memories = source.for_each_memory([&](const memory_record& m) {
    // An erased memory has no content left that could be restored.
    if (m.head.erased) return true;
    ++counts.memories;
    counts.versions += m.versions.size();
    going = write_line(protocol::print(line_of(m)));
    return going;
  });
  if (!memories) return propagate(memories);
  if (!going) return counts;
  auto edges = source.for_each_edge_record([&](const edge_record& e) {
    ++counts.edges;
    return write_line(protocol::print(json{{"edge", edge_record_json(e)}}));
  });
  if (!edges) return propagate(edges);
  return counts;
}

} // namespace mneme::importing
