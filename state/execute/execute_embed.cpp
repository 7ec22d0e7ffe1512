#include "state/execute/execute_embed.hpp"

#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "messages/validate/validate.hpp"
#include "state/execute/execute.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

result<void> place(const late_vector& item, const overlay& state, vector_space& space) {
  if (auto ok = validate_vector(item.values); !ok) return ok;
  const auto dim = static_cast<std::uint32_t>(item.values.size());
  space = space_of_vectors(std::move(space), state.space(), dim);
  if (space.dim == dim) return {};
  return fail(errc::dim_mismatch, "the embedder gave a vector of " + std::to_string(dim)
                                      + " numbers; this world's have " + std::to_string(space.dim));
}

/// The head to give a vector to; nullopt if there is none any more.
result<std::optional<head>> waiting_head(const late_vector& item, overlay& state) {
  auto h = state.head(item.id);
  if (!h) return propagate(h);
  const bool fits = h->has_value() && !(*h)->tombstone && !(*h)->erased
                    && (*h)->current_version == item.version
                    // The head may tell of one by a former embedder.
                    && (!(*h)->embedding || state.vector_of(item.id).empty());
  if (!fits) return std::optional<head>{};
  if ((*h)->type != memory_type::topic) return h;
  auto text = embedded_topic_text(state, **h);
  if (!text) return propagate(text);
  if (item.text != sha256_of(*text)) return std::optional<head>{};
  return h;
}

} // namespace

result<std::vector<entry>> execute_embed(std::span<const late_vector> items, overlay& state,
                                         vector_space space, timestamp now, seq_no current,
                                         number_room& room) {
  std::vector<entry> entries;
  dense_numbers taken;
  const auto run = [&]() -> result<void> {
    for (const auto& item : items) {
      if (auto ok = place(item, state, space); !ok) return ok;
      auto found = waiting_head(item, state);
      if (!found) return propagate(found);
      if (!found->has_value()) continue;
      head h = std::move(**found);
      h.embedding = embedding_ref{.dim = space.dim, .version = h.current_version};
      spaced_vector vector{.space = space, .values = item.values};
      state.put(h);
      state.put_vector(h.id, vector);
      const state_leaf leaf = leaf_of(h);
      entries.push_back(seal_entry({.seq = {current.value + entries.size() + 1},
                                    .kind = entry_kind::embed,
                                    .created_at = now,
                                    .created_by = {},
                                    .leaves = {leaf},
                                    .payload_hash = {}},
                                   embed_payload{std::move(h), std::move(vector)}));
      taken += state.most_taken_by(entries.back().payload);
      if (auto ok = room.check(taken); !ok) return ok;
    }
    return {};
  };
  if (auto done = run(); !done) {
    state.drop_layer();
    return propagate(done);
  }
  room.take(taken);
  state.keep_layer();
  return entries;
}

} // namespace mneme
