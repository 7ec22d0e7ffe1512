#pragma once
/// Which memory a read is about: one that it names by id, or by the host's own key.

#include "storage/kv_store.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// `id`, or that of the memory that has the key. One that the asker may not see is refused as one
/// that is not there is.
result<memory_id> named_memory(const read_views& views, kv_reader& reader, const memory_id& id,
                               const std::optional<memory_key>& key, const asker& who, seq_no at);

} // namespace mneme
