// A folder of a Generative Agents simulation: memories.jsonl, and vectors.bin with
// vectors.keys.jsonl where it has vectors of its own, personas.jsonl where it tells of them.

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/import/agent_memory.hpp"
#include "tools/import/agent_topics.hpp"
#include "tools/import/agent_vectors.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/json_source.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::importing {

namespace {

namespace fs = std::filesystem;

struct placed_memory {
  agent_memory memory;
  std::string where;
  std::uint64_t position = 0;
  std::uint64_t file_size = 0;
};

/// All memories first: one may rest on evidence that comes later.
struct simulation {
  std::string name;
  std::vector<placed_memory> memories;
  std::map<std::pair<std::string, std::string>, std::size_t> by_id; ///< (persona, id)
};

/// What the simulation was started from, which tells it from others with the same personas.
result<std::string> simulation_name(const std::string& folder) {
  const std::string path = (fs::path(folder) / "meta.json").string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::string();
  auto meta = read_json_source(path);
  if (!meta) return propagate(meta);
  if (!meta->is_object()) return fail(errc::wrong_type, path + ": an object is expected");
  const auto code = meta->find("fork_sim_code");
  return code != meta->end() && code->is_string() ? code->get<std::string>() : std::string();
}

result<simulation> read_simulation(const std::string& folder, const std::string& file) {
  simulation s;
  auto name = simulation_name(folder);
  if (!name) return propagate(name);
  s.name = std::move(*name);
  const auto visit = [&](const source_line& line) -> result<void> {
    auto m = read_agent_memory(line.text);
    if (!m) return std::unexpected(located(std::move(m.error()), line.where));
    const auto [known, is_new] = s.by_id.try_emplace({m->scope, m->id}, s.memories.size());
    if (!is_new)
      return fail(errc::already_exists,
                  fmt::format("{}: {} of {} is at {} too", line.where, m->id, m->scope,
                              s.memories[known->second].where),
                  "id");
    s.memories.push_back({std::move(*m), line.where, line.position, line.file_size});
    return {};
  };
  if (auto ok = for_each_line(file, visit); !ok) return propagate(ok);
  return s;
}

/// The folder's vectors, if this world can hold them: one has one space, that of its embedder, or
/// that of the first vector where there is no embedder.
result<std::optional<agent_vectors>> fitting_vectors(engine& target, const std::string& folder,
                                                     import_report& report) {
  auto vectors = agent_vectors::read(folder);
  if (!vectors || !*vectors) return vectors;
  auto stats = target.stats();
  if (!stats) return propagate(stats);
  const bool embeds_by_itself = stats->embedder.starts_with("hash");
  if (!embeds_by_itself && (stats->space.dim == 0 || stats->space.dim == (*vectors)->dim()))
    return vectors;
  report.left_out["vectors (this world's are of another space)"] += (*vectors)->size();
  report.notes.push_back(
      fmt::format("{}: its vectors of {} numbers are left out, since this world's embedder is {} "
                  "({} numbers); a world made with --embedder none takes them",
                  folder, (*vectors)->dim(), stats->embedder, stats->space.dim));
  return std::optional<agent_vectors>{};
}

class agent_import {
public:
  agent_import(engine& target, const simulation& s, const std::optional<agent_vectors>& vectors,
               const import_request& request, import_report& report)
      : engine_(target),
        simulation_(s),
        vectors_(vectors),
        report_(report),
        sink_(target, report, manner_of(request)) {}

  result<void> put(const placed_memory& placed) {
    std::vector<std::string> evidence;
    for (const std::size_t i : evidence_of(placed, true)) {
      const agent_memory& m = simulation_.memories[i].memory;
      evidence.push_back(to_string(
          memory_uri{agent_memory_type(m.kind), agent_memory_id(simulation_.name, m), 1}));
    }
    write_request r = to_request(placed.memory, simulation_.name, evidence, report_);
    if (vectors_) {
      r.vector = vectors_->find(placed.memory.scope, placed.memory.embedding_key);
      if (!r.vector) ++report_.left_out["memories' vectors (the folder has none for them)"];
    }
    return sink_.put(std::move(r), {}, placed.where, colour_of(placed.memory));
  }

  result<void> put_evidence(const placed_memory& placed) {
    for (const std::size_t i : evidence_of(placed, false)) {
      add_edge_request edge{.src = agent_memory_id(simulation_.name, placed.memory),
                            .type = static_cast<std::uint8_t>(edge_type::derived_from),
                            .dst =
                                agent_memory_id(simulation_.name, simulation_.memories[i].memory),
                            .actor = placed.memory.scope,
                            .weight = 1.0F,
                            .kind = "evidence",
                            .data = {},
                            .by = {},
                            .created_at = placed.memory.created};
      if (auto ok = sink_.put(std::move(edge), placed.where); !ok) return ok;
    }
    return {};
  }

  result<void> put_personas(const std::string& folder) {
    std::vector<const agent_memory*> memories;
    memories.reserve(simulation_.memories.size());
    for (const auto& placed : simulation_.memories) memories.push_back(&placed.memory);
    auto topics = persona_topics(folder, simulation_.name, memories, report_);
    if (!topics) return propagate(topics);
    for (auto& topic : *topics) {
      const std::string where = "persona " + topic.title;
      if (auto ok = put_topic(engine_, sink_, report_, std::move(topic), where); !ok) return ok;
    }
    return {};
  }

  /// Says how many of them no longer hold, so that nobody looks for them in vain.
  void note_expired() {
    const timestamp now = engine_.now();
    const auto expired = std::ranges::count_if(simulation_.memories, [&](const auto& placed) {
      return placed.memory.expiration && *placed.memory.expiration <= now;
    });
    if (expired == 0) return;
    report_.notes.push_back(
        fmt::format("expired, and found with include_ended alone: {}",
                    expired == 1 ? "1 memory" : fmt::format("{} memories", expired)));
  }

  result<void> flush() { return sink_.flush(); }

private:
  /// Indexes of the memories that this one rests on, in its order.
  std::vector<std::size_t> evidence_of(const placed_memory& placed, bool count_missing) {
    std::vector<std::size_t> found;
    for (const auto& id : placed.memory.evidence) {
      const auto other = simulation_.by_id.find({placed.memory.scope, id});
      if (other != simulation_.by_id.end() && id != placed.memory.id)
        found.push_back(other->second);
      else if (count_missing)
        ++report_.left_out["evidence that is not among the memories"];
    }
    return found;
  }

  engine& engine_;
  const simulation& simulation_;
  const std::optional<agent_vectors>& vectors_;
  import_report& report_;
  import_sink sink_;
};

} // namespace

result<void> import_generative_agents(engine& target, const import_request& request,
                                      import_report& report) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(request.path, ignored);
  const std::string file =
      is_folder ? (fs::path(request.path) / "memories.jsonl").string() : request.path;
  const std::string folder = is_folder ? request.path : fs::path(file).parent_path().string();
  auto all = read_simulation(folder, file);
  if (!all) return propagate(all);
  auto vectors = fitting_vectors(target, folder, report);
  if (!vectors) return propagate(vectors);
  agent_import into(target, *all, *vectors, request, report);
  for (const auto& placed : all->memories) {
    if (auto ok = into.put(placed); !ok) return ok;
    if (request.progress) request.progress(placed.position, placed.file_size, report);
  }
  for (const auto& placed : all->memories)
    if (auto ok = into.put_evidence(placed); !ok) return ok;
  if (auto ok = into.put_personas(folder); !ok) return ok;
  into.note_expired();
  return into.flush();
}

} // namespace mneme::importing
