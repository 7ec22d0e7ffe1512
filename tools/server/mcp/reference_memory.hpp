#pragma once
/// The nine tools of the reference memory server (a knowledge graph of entities, relations and
/// observations) over topics: an entity is a topic, its observations are the list value of the
/// field `observations`, a relation is a related_to edge. Prompts made for that server keep
/// working.

#include <mutex>
#include <string>
#include <string_view>

#include "tools/server/access/door.hpp"

namespace mneme::server {

class reference_memory {
public:
  explicit reference_memory(door& to) : to_(to) {}

  static const json& tools(); ///< descriptions of the nine
  static bool has(std::string_view name);
  static bool is_read(std::string_view name);

  /// What the reference server would answer as structured content; an error is the engine's.
  result<json> call(const client& who, std::string_view name, const json& arguments);

private:
  door& to_;
  std::mutex writing_; ///< a change of observations or relations reads first
};

} // namespace mneme::server
