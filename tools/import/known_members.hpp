#pragma once
/// Lines of a format whose authors may add keys of their own: those become metadata.

#include <span>
#include <string>

#include "mneme/types.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::importing {

/// A member that is text; "" where there is none.
std::string text_member(const protocol::json& object, const char* key);
/// The same of one that has to be there; wrong_type where it is something else.
result<std::string> needed_text(const protocol::json& object, const char* key);

/// The members of the JSON object `line` that `keys` names, their shape checked. The others go to
/// `other` where they are scalars or lists of scalars.
result<protocol::json> known_members(const protocol::json& line,
                                     std::span<const protocol::key_shape> keys,
                                     metadata_map& other);

} // namespace mneme::importing
