#include "tools/server/http/metrics.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace mneme::server {

namespace {

namespace fs = std::filesystem;

std::string head(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

std::string counter(std::string_view name, std::string_view help, std::uint64_t value) {
  return head(name, "counter", help) + fmt::format("{} {}\n", name, value);
}

std::string gauge(std::string_view name, std::string_view help, std::uint64_t value) {
  return head(name, "gauge", help) + fmt::format("{} {}\n", name, value);
}

/// The files of the directory but those of its journal, whose bytes the engine counts: tables and
/// images, as many in a large world as in a small one.
std::uint64_t bytes_beside_journal(const fs::path& directory) {
  const fs::path journal = directory / "journal";
  std::uint64_t bytes = 0;
  std::error_code problem;
  for (auto it = fs::recursive_directory_iterator(directory, problem);
       !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
    if (it->path() == journal) {
      it.disable_recursion_pending();
      continue;
    }
    std::error_code gone; // a file may be replaced meanwhile
    const auto size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

std::string sizes(const world_stats& s, const std::string& directory) {
  std::string text = gauge("mneme_seq", "Last entry of the journal", s.seq.value)
                     + gauge("mneme_checkpoint_seq", "Entry that the newest checkpoint holds",
                             s.checkpoint_seq.value)
                     + gauge("mneme_journal_bytes", "Bytes of the journal", s.journal_bytes)
                     + gauge("mneme_journal_segments", "Files of the journal", s.journal_segments);
  if (!directory.empty())
    text += gauge("mneme_store_bytes", "Bytes of the world's directory, journal included",
                  s.journal_bytes + bytes_beside_journal(directory));
  text +=
      gauge("mneme_memories", "Live memories", s.memories)
      + gauge("mneme_index_rows", "Rows of the attribute index", s.rows)
      + gauge("mneme_index_edges", "Live edges of the graph index", s.edges)
      + gauge("mneme_index_vectors", "Vectors of the vector index", s.vectors)
      + counter("mneme_vector_builds_failed_total",
                "Graphs over vectors that could not be built since the world was opened",
                s.vector_builds_failed)
      + gauge("mneme_index_fields", "Fields of topics", s.fields)
      + gauge("mneme_stopped", "1: the engine takes no more writes until it is opened again",
              s.stopped.empty() ? 0 : 1)
      + gauge("mneme_disk_full", "1: the newest write found no room; the next one tries again",
              s.disk_full.empty() ? 0 : 1)
      + gauge("mneme_embeddings_pending", "Memories that wait for a vector", s.embeddings_pending);
  if (s.log)
    text +=
        gauge("mneme_log_epoch", "Newest epoch of the world's log that was heard of", s.log->epoch)
        + gauge("mneme_log_leads", "1: this process leads the log; 0: it follows",
                s.log->role == log_role::leader ? 1 : 0)
        + gauge("mneme_log_away", "1: the log cannot be reached, or takes nothing",
                s.log->away_ms ? 1 : 0)
        + (s.log->lag_seqs
               ? gauge("mneme_log_lag_seqs", "Entries that the log has and this copy has not",
                       *s.log->lag_seqs)
               : std::string())
        + gauge("mneme_log_lag_ms", "So old may be what this copy shows", s.log->lag_ms);
  text += head("mneme_memories_by_type", "gauge", "Live memories by type");
  for (const auto& [type, count] : s.memories_by_type)
    text += fmt::format("mneme_memories_by_type{{type=\"{}\"}} {}\n", to_string(type), count);
  return text;
}

} // namespace

void metrics::answered(std::string_view door, int status, std::int64_t took_ns) {
  const double seconds = static_cast<double>(took_ns) / 1e9;
  std::size_t bucket = 0;
  while (bucket < bounds.size() && seconds > bounds[bucket]) ++bucket;
  const std::scoped_lock lock(mutex_);
  ++requests_[{std::string(door), status}];
  auto found = latencies_.find(door);
  if (found == latencies_.end()) found = latencies_.emplace(door, latency{}).first;
  ++found->second.buckets[bucket];
  ++found->second.count;
  found->second.sum_s += seconds;
}

void metrics::refused_connection(std::string_view why) {
  const std::scoped_lock lock(mutex_);
  ++refused_[std::string(why)];
}

result<std::string> metrics::text(engine& target, const std::string& directory) {
  auto stats = target.stats();
  if (!stats) return propagate(stats);
  std::string out = gauge("mneme_connections", "Connections that are open", open_connections)
                    + gauge("mneme_requests_running",
                            "Requests that the engine works on or has queued", running_requests)
                    + gauge("mneme_queue", "Commands that wait for the committer", stats->queued)
                    + sizes(*stats, directory);
  const std::scoped_lock lock(mutex_);
  out += head("mneme_requests_total", "counter", "Requests answered, by door and HTTP status");
  for (const auto& [key, count] : requests_)
    out += fmt::format("mneme_requests_total{{door=\"{}\",status=\"{}\"}} {}\n", key.first,
                       key.second, count);
  out += head("mneme_connections_refused_total", "counter",
              "Connections that were turned away or broken off, by reason");
  for (const auto& [why, count] : refused_)
    out += fmt::format("mneme_connections_refused_total{{reason=\"{}\"}} {}\n", why, count);
  out += head("mneme_request_seconds", "histogram", "Time from request to answer, by door");
  for (const auto& [door, l] : latencies_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < l.buckets.size(); ++i) {
      below += l.buckets[i];
      out += fmt::format("mneme_request_seconds_bucket{{door=\"{}\",le=\"{}\"}} {}\n", door,
                         i < bounds.size() ? fmt::format("{}", bounds[i]) : "+Inf", below);
    }
    out += fmt::format("mneme_request_seconds_sum{{door=\"{}\"}} {}\n", door, l.sum_s)
           + fmt::format("mneme_request_seconds_count{{door=\"{}\"}} {}\n", door, l.count);
  }
  return out;
}

} // namespace mneme::server
