#pragma once
/// Where an import that is told to bring back what was erased here puts it: an erased id stays
/// taken, so each has a next one that follows from it, and every later import finds there what was
/// brought.

#include <map>
#include <string>

#include "mneme/engine.hpp"

namespace mneme::importing {

/// Where the world has, or would get, what a source knows by an id.
struct place_here {
  memory_id id;
  bool is_erased = false; ///< and is not to come back
};

class returned_ids {
public:
  /// Borrows the engine.
  returned_ids(engine& target, bool brings_back) : engine_(target), brings_back_(brings_back) {}

  [[nodiscard]] bool brings_back() const { return brings_back_; }
  /// `id`, or if it was erased the first after it that was not: where that is there, or is to be.
  result<place_here> place_of(const memory_id& id);
  result<memory_id> of(const memory_id& id);

  /// The same in what names memories: ids, and texts that are a uri as a whole.
  result<void> rename(memory_id& id);
  result<void> rename(std::string& text);
  result<void> rename(provenance& of);
  result<void> rename(memory_data& data);
  result<void> rename(json_value& value);

private:
  engine& engine_;
  bool brings_back_;
  std::map<memory_id, memory_id> known_; ///< of those that were erased
};

} // namespace mneme::importing
