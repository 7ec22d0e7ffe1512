#include "state/inspection/stats.hpp"

#include "storage/key_layout.hpp"
#include "views/unembedded.hpp"

namespace mneme {

namespace {

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

} // namespace mneme
