#pragma once
/// A log in PostgreSQL whose patience is given.

#include <memory>

#include "journal/log/log_store.hpp"
#include "postgres/address.hpp"
#include "postgres/connection.hpp"

namespace mneme {

std::shared_ptr<log_store> postgres_log_at(const postgres_address& at,
                                           const connection_patience& patience);

} // namespace mneme
