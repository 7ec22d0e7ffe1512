#pragma once
/// The address of a log as it is given to a command or a library, which keep it in the world's
/// directory.

#include <string_view>

#include "mneme/error.hpp"

namespace mneme::server {

/// bad_value: it holds a password, which is kept in no directory.
result<void> check_log_address(std::string_view address);

} // namespace mneme::server
