#pragma once
/// What a key allows, applied to a request before it runs: the client's actor in every place that
/// names one, reads that leave no trace for a read-only key, the key's scope, and no proof about
/// what the actor cannot see. What writes may name is bounded where they are executed.

#include <optional>

#include "mneme/engine.hpp"
#include "tools/server/access/client.hpp"
#include "tools/server/answer.hpp"

namespace mneme::server {

/// The refusal, or nothing and `request` narrowed to what `who` may do. `op` is what the request is
/// run as where it names none; empty: it has to name its own. A request without a good op
/// is left to the line protocol to refuse. An item of a list that is refused refuses the whole
/// list.
std::optional<answer> narrow(json& request, std::string_view op, const client& who);

/// Whether requests of this op change nothing, whatever they say but for a find's `late_binding`; a
/// tick may hold writes.
bool is_read(std::string_view op);

/// Who must see what the client's writes name (engine::apply()); nobody for the host, and for a key
/// with a scope, which bounds them.
std::optional<std::string> sight_of(const client& who);

/// Takes out of an answer what counts memories that `who` may not see: how many rows a query looked
/// at, and its plan.
void withhold(json& answer, const client& who);

} // namespace mneme::server
