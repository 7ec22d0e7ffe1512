#include "state/inspection/stats.hpp"

#include <utility>

namespace mneme {

namespace {

std::string why_stopped(const world& w) {
  if (std::string known = w.stopped.get(); !known.empty()) return known;
  // A read may have met the damage, of which the committer hears with the next write.
  if (const auto cause = w.store->stopped())
    return "the store has stopped (" + cause->message + ")";
  const auto late = w.generation()->why_not_whole();
  return late ? late->message : "";
}

} // namespace

world_stats read_stats(world& w) {
  static_cast<void>(w.wait_for_late()); // what it says of a failure, why_stopped() does
  const world_counts counts = w.published_counts();
  const auto indexes = w.generation();
  world_stats s;
  s.world = w.info.id;
  s.world_name = w.info.name;
  s.embedder = w.info.embedder;
  s.language = w.info.language;
  if (w.embedder != nullptr) s.space = w.embedder->space();
  if (s.space.dim == 0 && indexes->is_whole()) s.space = indexes->vectors->space_at(counts.seq);
  s.embedder_problem = w.report.vectors_problem;
  if (w.embedder != nullptr && w.embedder->remote() != nullptr) {
    auto now = w.embedding.get();
    s.embeddings_pending = counts.live.unembedded;
    s.embeddings_refused = now.refused;
    s.embedder_problem = std::move(now.problem);
  }
  s.seq = counts.seq;
  s.checkpoint_seq = {w.checkpoint_seq};
  s.queued = w.queued;
  s.rows = counts.rows;
  s.edges = counts.edges;
  s.vectors = counts.vectors;
  if (indexes->is_whole()) s.vector_builds_failed = indexes->vectors->failed_builds();
  s.fields = counts.fields;
  s.journal_bytes = w.journal->bytes();
  s.journal_segments = w.journal->segment_count();
  for (std::uint8_t t = 1; t <= memory_type_count; ++t) {
    const std::uint64_t n = counts.live.by_type[t];
    if (n > 0) s.memories_by_type.emplace_back(static_cast<memory_type>(t), n);
    s.memories += n;
  }
  s.stopped = why_stopped(w);
  s.disk_full = w.why_disk_full();
  if (w.standing != nullptr) s.log = w.standing->status(counts.seq);
  return s;
}

} // namespace mneme
