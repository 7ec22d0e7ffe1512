#pragma once
/// A store that many read and nobody writes, as one of them has it: a store of its own that cannot
/// be written to. A session of the shared one is borrowed for each call, so that any number of them
/// hold none while they rest.

#include "storage/kv_store.hpp"

namespace mneme {

/// `shared` lives while the answer and its readers do, for which the owner is kept; it stands at
/// `at`.
std::unique_ptr<kv_store> make_lent_store(std::shared_ptr<kv_store> shared, seq_no at);

} // namespace mneme
