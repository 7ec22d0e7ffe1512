#pragma once
/// What attest and compact share: memories by the text of their uris, entries.

#include "state/execute/agent_commands.hpp"

namespace mneme {

/// Memories that a request names by uri, as the batch being built has them.
class cited_memories {
public:
  /// Both must outlive it.
  cited_memories(batch_state& batch, const asker& who) : batch_(batch), who_(who) {}

  /// The head, and the uri read; nullopt if the uri is malformed or of another type, or the memory
  /// or version missing, hidden, tombstoned or erased.
  result<std::optional<head>> find(const std::string& text, memory_uri& uri);

private:
  batch_state& batch_;
  const asker& who_;
};

/// Appends an entry without leaves.
void append_agent_entry(batch_state& batch, entry_kind kind, const std::string& actor,
                        entry_payload payload);

} // namespace mneme
