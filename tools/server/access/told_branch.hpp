#pragma once
/// A branch that another process has open is told to erase through the socket in its directory.

#include "mneme/erasure.hpp"

namespace mneme::server {

/// A branch_eraser (mneme/erasure.hpp).
result<erase_result> erase_where_open(const std::string& directory, const erase_request& request);

} // namespace mneme::server
