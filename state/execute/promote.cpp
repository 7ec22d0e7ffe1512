#include "state/execute/promote.hpp"

#include <utility>

namespace mneme {

namespace {

/// The memory that the request calls `key`, as the host sees it.
result<head> named_head(batch_state& batch, const memory_id& id, const char* key) {
  auto h = batch.records.head(id);
  if (!h) return std::unexpected<error>({h.error().code, h.error().message, key});
  if (!h->has_value()) return asker().hidden(id, key);
  if ((*h)->erased) return fail(errc::erased, "memory " + to_string(id) + " was erased", key);
  return std::move(**h);
}

} // namespace

result<update_request> promotion_of(const promote_request& r, batch_state& batch) {
  auto chunk = named_head(batch, r.chunk, "chunk");
  if (!chunk) return propagate(chunk);
  if (chunk->type != memory_type::chunk)
    return fail(errc::type_data_mismatch, "only a Chunk is promoted", "chunk");
  auto target = named_head(batch, r.memory, "memory");
  if (!target) return propagate(target);
  if (target->type == memory_type::chunk)
    return fail(errc::type_data_mismatch, "a Chunk is promoted to a memory of another type",
                "memory");
  if (target->tombstone)
    return fail(errc::tombstoned, "memory " + to_string(r.memory) + " was tombstoned", "memory");
  auto current = batch.pending.version_of(r.chunk, chunk->current_version);
  if (!current) return propagate(current);
  if (!current->has_value()) return asker().hidden(r.chunk, "chunk");
  version& v = **current;
  update_request update{.uri = {memory_type::chunk, r.chunk, v.number},
                        .type = {},
                        .data = std::move(v.data),
                        .actor = r.actor,
                        .forms = {},
                        .valid_from = v.valid_from,
                        .valid_until = v.valid_until,
                        .expires_at = v.expires_at,
                        .confidence = v.confidence,
                        .provenance = std::move(v.provenance),
                        .vector = {},
                        .created_by = {},
                        .expect_version = v.number,
                        .created_at = {}};
  if (v.short_overridden) update.forms.short_form = std::move(v.forms.short_form);
  if (v.medium_overridden) update.forms.medium_form = std::move(v.forms.medium_form);
  update.data.insert_or_assign("promoted_to", r.memory);
  return update;
}

} // namespace mneme
