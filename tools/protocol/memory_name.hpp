#pragma once
/// A memory is named by its id or by a uri, wherever a request names one that is there: what wants
/// a uri takes `id`, or an id as `uri`, too, and means the version that is current then.

#include <optional>
#include <string>

#include "mneme/engine.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

/// Does the request, or one in a list of it, want a uri and give an id?
bool names_by_id(const json& request);
/// Puts a uri in place of every such id, as who acts sees it: not_found and erased as get answers.
/// Precondition: the shape was checked.
result<void> resolve_names(engine& target, json& request,
                           const std::optional<std::string>& in_sight_of, const json_path& at);

} // namespace mneme::protocol
