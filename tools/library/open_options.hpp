#pragma once
/// What a host in another language says of the world that it opens.

#include <memory>

#include "mneme/engine.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::library {

struct open_options {
  engine_options engine;
  std::shared_ptr<manual_clock> clock; ///< null: the system's
  bool is_shared = false;              ///< with other processes of the same user
};

/// Of the object that mneme_open() takes (mneme/mneme.h). missing_key without a directory and
/// in_memory; bad_value for both, or an empty directory.
result<open_options> read_open_options(const protocol::json& options);

} // namespace mneme::library
