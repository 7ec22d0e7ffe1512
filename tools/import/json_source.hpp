#pragma once
/// Input files of importers that are one JSON document.

#include <string>

#include "mneme/error.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::importing {

/// Errors begin with the path.
result<protocol::json> read_json_source(const std::string& path);

} // namespace mneme::importing
