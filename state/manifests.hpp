#pragma once
/// Snapshots, as the store keeps them.

#include <optional>

#include "messages/entry.hpp"
#include "storage/kv_store.hpp"

namespace mneme {

/// The snapshot with this root; nullopt if there is none.
result<std::optional<manifest>> find_manifest(kv_store& store, const digest& overall_root);

} // namespace mneme
