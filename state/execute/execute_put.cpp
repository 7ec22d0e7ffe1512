// Memories by a host's own keys: put and deleted.

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

/// Version 0 is that of what is not there, or tombstoned.
result<void> check_version(const std::optional<head>& there,
                           const std::optional<std::uint32_t>& expected) {
  const std::uint32_t current = there && !there->tombstone ? there->current_version : 0;
  if (!expected || *expected == current) return {};
  return fail(errc::version_conflict,
              fmt::format("expected version {}, the current one is {}", *expected, current),
              "expect_version");
}

/// The tombstone goes, and what came with it, as a restore of its own.
result<head> revived(execution& x, const head& h, const put_request& r) {
  const restore_request back{.id = h.id, .actor = r.content.actor, .by = r.content.created_by};
  if (auto ok = run(x, back, prepared{}); !ok) return propagate(ok);
  x.out.results.pop_back(); // of a part: none of the command's
  auto found = x.state.head(h.id);
  if (!found) return propagate(found);
  ensure(found->has_value() && !(*found)->tombstone, "what was restored is there");
  return std::move(**found);
}

/// As if the memory were new, but for what it keeps for good.
void take_head(head& h, const write_request& r) {
  h.visibility = r.visibility;
  h.declared_importance = static_cast<std::uint8_t>(r.importance);
  h.tags = normalise_tags(r.tags);
  h.frames = r.frames;
  h.metadata = r.metadata;
  h.lifecycle = r.lifecycle;
}

/// Its content; what it says is in what was prepared of it.
update_request content_of(const head& h, const write_request& r) {
  return {.uri = {h.type, h.id, h.current_version},
          .type = {},
          .data = {},
          .actor = r.actor,
          .forms = r.forms,
          .valid_from = r.valid_from,
          .valid_until = r.valid_until,
          .expires_at = r.expires_at,
          .confidence = r.confidence,
          .provenance = r.provenance,
          .vector = {},
          .created_by = r.created_by,
          .expect_version = {},
          .created_at = {},
          .replace = {},
          .payload = r.payload};
}

result<void> put_again(execution& x, head h, const put_request& r, prepared p) {
  if (h.type != r.content.type)
    return fail(errc::type_data_mismatch,
                fmt::format("the key's memory {} is a {}", to_string(h.id), to_string(h.type)),
                "type");
  if (r.content.id && *r.content.id != h.id)
    return fail(errc::bad_value, "the key's memory is " + to_string(h.id), "id");
  if (r.content.valid_until && *r.content.valid_until <= r.content.valid_from.value_or(p.now))
    return fail(errc::bad_interval, "valid_until must be later than valid_from", "valid_until");
  const bool revives = h.tombstone.has_value();
  if (revives) {
    auto back = revived(x, h, r);
    if (!back) return propagate(back);
    h = std::move(*back);
  }
  ensure(h.key == r.key && !h.erased, "the key is the memory's");
  take_head(h, r.content);
  h.embedding.reset(); // no content has the vector of another one
  const update_request content = content_of(h, r.content);
  if (auto ok = append_version(x, std::move(h), content, std::move(p)); !ok) return ok;
  ensure(x.out.results.back().changed, "a put writes a version");
  x.out.results.back().put = revives ? put_outcome::revived : put_outcome::updated;
  return {};
}

} // namespace

result<void> run(execution& x, const put_request& r, prepared p) {
  auto there = x.state.keyed(r.key);
  if (!there) return propagate(there);
  if (auto ok = check_version(*there, r.expect_version); !ok) return ok;
  if (there->has_value()) return put_again(x, std::move(**there), r, std::move(p));
  if (auto ok = run_part(x, r.content, p); !ok) return ok;
  x.out.results.back().put = put_outcome::created;
  return {};
}

result<void> run(execution& x, const delete_by_request& r, const prepared&) {
  auto there = x.state.keyed(r.key);
  if (!there) return propagate(there);
  if (!there->has_value() || (*there)->tombstone) {
    std::optional<memory_uri> uri;
    if (there->has_value()) uri = {(*there)->type, (*there)->id, (*there)->current_version};
    x.out.results.push_back(unchanged(x, uri));
    return {};
  }
  if (auto ok = check_version(*there, r.expect_version); !ok) return ok;
  const head& h = **there;
  return run_part(x, tombstone_request{.uri = {h.type, h.id, h.current_version},
                                       .actor = r.actor,
                                       .reason = r.reason,
                                       .by = r.by,
                                       .superseded_by = {},
                                       .expect_version = {}});
}

} // namespace mneme
