#pragma once
/// A log that several processes share: what a world's journal is kept in where it is to outlive its
/// directory (docs/SCALE.md).

#include <functional>
#include <memory>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

class log_store;

/// Makes a connection to the log of an address; connects to nothing yet. bad_value.
using log_factory = std::function<result<std::shared_ptr<log_store>>(std::string_view address)>;

} // namespace mneme
