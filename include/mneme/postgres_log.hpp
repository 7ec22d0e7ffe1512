#pragma once
/// A log in PostgreSQL: library mneme::postgres_log, which needs libpq. A host that links to it
/// opens worlds on such logs with
///   options.logs = mneme::make_postgres_log;

#include "mneme/log.hpp"

namespace mneme {

/// Of "postgresql://…#NAME", any URI that libpq takes and the log's name in that database ("main"
/// where there is none; letters, digits, '_', '-' and '.'). Connects when it is first asked for
/// something, and again after a failure. bad_value for another address.
result<std::shared_ptr<log_store>> make_postgres_log(std::string_view address);

} // namespace mneme
