#pragma once
/// Topics of the personas of a Generative Agents simulation: what personas.jsonl says of them, and
/// what their memories count.

#include <string>
#include <vector>

#include "tools/import/agent_memory.hpp"
#include "tools/import/import_topics.hpp"

namespace mneme::importing {

/// By name: those of `folder`/personas.jsonl, if there is such a file, and those that have
/// memories.
result<std::vector<topic_source>> persona_topics(const std::string& folder,
                                                 const std::string& simulation,
                                                 const std::vector<const agent_memory*>& memories,
                                                 import_report& report);

/// What colours a memory: its persona, its keywords and what it is about, its text, its month.
colour_source colour_of(const agent_memory& m);

} // namespace mneme::importing
