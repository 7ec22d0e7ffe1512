#include "query/find/near_target.hpp"

#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "messages/validate/validate.hpp"
#include "query/find/find_checks.hpp"
#include "query/query_text.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

result<void> check_dim(const std::vector<float>& v, std::uint32_t dim, const char* key) {
  if (dim != 0 && v.size() != dim)
    return fail(errc::dim_mismatch,
                fmt::format("the vector has {} numbers, the world's space has {}", v.size(), dim),
                key);
  return {};
}

result<std::vector<float>> of_text(const std::string& text, std::uint32_t dim,
                                   const query_context& context, const read_views& views) {
  if (!views.embedder) return fail(errc::no_embedder, "the world has no embedder", "near");
  auto v = embedded_query(text, dim, context, views);
  if (!v) return fail(v.error().code, v.error().message, "near");
  if (v->empty()) return fail(errc::no_vector, "the text holds nothing to embed", "near");
  if (auto ok = validate_vector(*v); !ok) return fail(ok.error().code, ok.error().message, "near");
  if (auto ok = check_dim(*v, dim, "near"); !ok) return propagate(ok);
  return v;
}

result<std::vector<float>> of_vector(std::vector<float> v, std::uint32_t dim) {
  if (auto ok = check_dim(v, dim, "near_vector"); !ok) return propagate(ok);
  return v;
}

/// A seq at or before `at` at which `number` was the current version: the newest such head.
result<std::optional<seq_no>> when_current(kv_reader& reader, const memory_id& id,
                                           std::uint32_t number, seq_no at) {
  std::optional<seq_no> found;
  std::optional<error> damage;
  const auto visit = [&](std::string_view key, std::string_view value) {
    auto h = decode_head(value);
    if (!h) {
      damage = std::move(h.error());
      return false;
    }
    if (h->current_version != number) return h->current_version > number;
    std::uint64_t complement = 0;
    for (const char c : key.substr(16))
      complement = (complement << 8) | static_cast<std::uint8_t>(c);
    found = seq_no{~complement};
    return false;
  };
  auto scanned = reader.scan(kv_table::heads, keys::head(id, at),
                             keys::prefix_end(std::string(id.raw())), visit);
  if (!scanned) return propagate(scanned);
  if (damage) return std::unexpected<error>(std::move(*damage));
  return found;
}

result<std::vector<float>> of_uri(const memory_uri& uri, const asker& who, seq_no at,
                                  const read_views& views) {
  const auto missing = [&] {
    return fail(errc::not_found, fmt::format("no memory {}", to_string(uri)), "near_uri");
  };
  auto reader = views.store->reader();
  if (!reader) return propagate(reader);
  auto found = read_head_or_stub(**reader, uri.id, at);
  if (!found) return propagate(found);
  if (!*found && who.sees_all() && views.is_erased_elsewhere(uri.id))
    return fail(errc::erased, "the memory was erased in another branch", "near_uri");
  if (!*found) return missing();
  const head& h = **found;
  if (!who.may_see(h) || h.type != uri.type) return missing();
  if (h.erased) return fail(errc::erased, "the memory was erased", "near_uri");
  if (uri.version == 0 || uri.version > h.current_version) return missing();
  seq_no seen_at = at;
  if (uri.version != h.current_version) {
    auto trimmed_by = read_trimmed(**reader, uri.id, uri.version);
    if (!trimmed_by) return propagate(trimmed_by);
    if (*trimmed_by)
      return fail(errc::trimmed, fmt::format("what {} said was dropped", to_string(uri)),
                  "near_uri");
    auto when = when_current(**reader, uri.id, uri.version, at);
    if (!when) return propagate(when);
    if (!*when) return missing();
    seen_at = **when;
  }
  const auto node = views.nodes->find(uri.id);
  const auto row = node.value == no_number ? row_no{} : views.attributes->row_of(node, seen_at);
  std::span<const float> v;
  if (row.value != no_number) v = views.vectors->get(views.attributes->slot(row));
  if (v.empty())
    return fail(errc::no_vector, fmt::format("{} has no vector", to_string(uri)), "near_uri");
  return std::vector<float>(v.begin(), v.end());
}

} // namespace

result<void> check_knows_vectors(seq_no at, const read_views& views, const char* key) {
  // Where nothing had to be embedded anew the present itself is before that.
  if (at >= views.vectors_since || at == views.published) return {};
  return fail(
      errc::no_vector,
      fmt::format("the world has had its embedder since entry {}, and does not know any more "
                  "what was near at seq {}: a fork --at-seq that does",
                  views.vectors_since.value, at.value),
      key);
}

std::uint32_t asked_dimension(const std::optional<seq_no>& at_seq, const query_context& context,
                              const read_views& views) {
  const std::uint32_t dim = views.vectors->space_at(at_seq ? views.published : context.at).dim;
  return dim == 0 && views.embedder ? views.embedder->space().dim : dim;
}

result<std::vector<float>> resolve_near(const find_request& r, const asker& who,
                                        const query_context& context, const read_views& views) {
  if (!has_near(r)) return std::vector<float>{};
  if (auto ok = check_knows_vectors(context.at, views,
                                    r.near          ? "near"
                                    : r.near_vector ? "near_vector"
                                                    : "near_uri");
      !ok)
    return propagate(ok);
  const std::uint32_t dim = asked_dimension(r.at_seq, context, views);
  if (r.near) return of_text(*r.near, dim, context, views);
  if (r.near_uri) return of_uri(*r.near_uri, who, context.at, views);
  return of_vector(*r.near_vector, dim);
}

} // namespace mneme
