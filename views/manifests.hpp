#pragma once
/// Snapshots, as the store keeps them.

#include <optional>

#include "messages/codec/entry.hpp"
#include "storage/kv_store.hpp"

namespace mneme {

/// The snapshot with this root whose entry is `at` or before; nullopt if there is none.
result<std::optional<manifest>> find_manifest(kv_store& store, const digest& overall_root,
                                              seq_no at);

} // namespace mneme
