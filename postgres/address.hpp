#pragma once
/// Where a log is: a database, and the log's name in it. Pure.

#include <string>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

struct postgres_address {
  std::string database; ///< as libpq takes it
  std::string log;
};

/// Of "postgresql://…#NAME" or "postgres://…#NAME". bad_value; the message has no password in it.
result<postgres_address> parse_postgres_address(std::string_view text);

} // namespace mneme
