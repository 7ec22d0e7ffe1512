// Restores: what a tombstone took out of the answers, or a sweep of topics, comes back.

#include "state/apply/entry_parts.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

/// The head that is asked for, whatever its type.
result<head> restorable_head(execution& x, const restore_request& r) {
  auto found = x.state.head(r.id);
  if (!found) return propagate(found);
  const bool is_erased = x.state.is_erased(r.id);
  if (!found->has_value() && !is_erased)
    return fail(errc::not_found, "there is no memory " + to_string(r.id), "id");
  if (is_erased)
    return fail(errc::erased, "memory " + to_string(r.id) + " was erased: nothing of it is left",
                "id");
  head h = std::move(**found);
  if (r.named && r.named->type != h.type)
    return fail(errc::type_data_mismatch,
                "memory " + to_string(r.id) + " is a " + std::string(to_string(h.type)), "uri");
  if (r.named && (r.named->version == 0 || r.named->version > h.current_version))
    return fail(errc::not_found, "there is no " + to_string(*r.named), "uri");
  return with_version(std::move(h), r.expect_version);
}

/// When what it says was over, if it is.
std::optional<timestamp> end_of(const version& v, timestamp now) {
  std::optional<timestamp> end = v.valid_until;
  if (v.expires_at && (!end || *v.expires_at < *end)) end = v.expires_at;
  return end && *end <= now ? end : std::nullopt;
}

/// Takes the tombstone off, and the edge that came with it.
result<void> undo(execution& x, head& h, const restore_request& r) {
  const std::string by = r.by.value_or(r.actor);
  auto edge = x.state.edge_of_tombstone(h);
  if (!edge) return propagate(edge);
  h.tombstone.reset();
  h.last_updated_at = x.now;
  x.state.put(h);
  // Nothing was written of its fields meanwhile, unless an import did.
  if (h.type == memory_type::topic) x.changed_texts[h.id].keeps_vector = true;
  append_entry(x, entry_kind::restore, by, {leaf_of(h)}, head_payload{h});
  if (!*edge) return {};
  const remove_edge_request gone{.src = (*edge)->src,
                                 .type = static_cast<std::uint8_t>((*edge)->type),
                                 .dst = (*edge)->dst,
                                 .actor = r.actor,
                                 .reason = "restored",
                                 .by = by};
  auto done = run_part(x, gone);
  if (done) x.out.results.pop_back(); // of a part: none of the command's
  return done;
}

/// As `unarchive` does.
void open_topic(execution& x, head& h, const restore_request& r) {
  h.lifecycle->status = lifecycle_status::open;
  h.last_updated_at = x.now;
  x.state.put(h);
  append_entry(x, entry_kind::topic_unarchive, r.by.value_or(r.actor), {leaf_of(h)},
               head_payload{h});
}

} // namespace

result<void> run(execution& x, const restore_request& r, const prepared&) {
  auto found = restorable_head(x, r);
  if (!found) return propagate(found);
  head h = std::move(*found);
  const bool opens = !h.tombstone && h.type == memory_type::topic && is_archived(h);
  if (!h.tombstone && !opens) {
    x.out.results.push_back(unchanged(x, memory_uri{h.type, h.id, h.current_version}));
    return {};
  }
  auto content = current_version(x, h);
  if (!content) return propagate(content);
  restored_memory back{.ended = end_of(*content, x.now)};
  if (opens) {
    open_topic(x, h, r);
  } else {
    back.newer = h.tombstone->superseded_by;
    if (auto ok = undo(x, h, r); !ok) return ok;
  }
  if (!back.newer) {
    auto newer = x.state.superseded_by(h, r.actor);
    if (!newer) return propagate(newer);
    back.newer = *newer;
  }
  back.archived = is_archived(h);
  mutation_result done = changed_memory(x, h);
  done.restored = back;
  x.out.results.push_back(std::move(done));
  return {};
}

} // namespace mneme
