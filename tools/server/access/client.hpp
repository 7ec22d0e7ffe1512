#pragma once
/// Who is asking through a server, and what the key that was shown allows.

#include <string>

#include "tools/protocol/json_text.hpp"

namespace mneme::server {

struct client {
  /// Empty: the host, which sees and may do all that the command can.
  std::string actor{};
  bool read_only = false;
  /// Text of a signed scope that every request is narrowed to; empty: none.
  std::string scope{};
  /// Of the key that was shown; empty where the server has no keys.
  std::string key_id{};

  [[nodiscard]] bool is_host() const { return actor.empty(); }
};

} // namespace mneme::server
