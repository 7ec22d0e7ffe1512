#pragma once
/// One memory of a Generative Agents simulation, as a line of memories.jsonl has it, and what it
/// becomes here: an event an Event, a thought a Belief, a chat a Note. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mneme/requests.hpp"
#include "tools/import/import_report.hpp"

namespace mneme::importing {

enum class agent_memory_kind : std::uint8_t { event, thought, chat };

struct agent_memory {
  std::string scope; ///< the persona
  std::string id;    ///< unique within the persona
  agent_memory_kind kind{};
  timestamp created;
  std::optional<timestamp> expiration;
  std::string subject;
  std::string predicate;
  std::string object;
  std::string text;
  std::int64_t poignancy = 5; ///< 0..10
  std::vector<std::string> keywords;
  std::vector<std::string> evidence;                         ///< ids of the same persona
  std::vector<std::pair<std::string, std::string>> dialogue; ///< who, what
  std::string embedding_key;                                 ///< default: the text
  metadata_map other; ///< number, depth, and what else the line says
};

/// Reads one line. An error names the key.
result<agent_memory> read_agent_memory(std::string_view line);

/// The id that the memory gets in a world: of the simulation, the persona, its own id and time.
memory_id agent_memory_id(std::string_view simulation, const agent_memory& m);
memory_type agent_memory_type(agent_memory_kind kind);

/// The request that writes it. `evidence` are the uris that it rests on. Keywords that cannot be
/// tags are counted in `report`.
write_request to_request(const agent_memory& m, std::string_view simulation,
                         const std::vector<std::string>& evidence, import_report& report);

} // namespace mneme::importing
