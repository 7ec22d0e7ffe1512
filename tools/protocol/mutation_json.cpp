#include "tools/protocol/mutation_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/data_json.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array write_table = {
    key_shape{"type", &shapes::text, true},
    key_shape{"data", &shapes::data, true},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"id", &shapes::text},
    key_shape{"tags", &shapes::texts},
    key_shape{"importance", &shapes::integer},
    key_shape{"visibility", &shapes::text},
    key_shape{"frames", &shapes::frames},
    key_shape{"metadata", &shapes::metadata},
    key_shape{"lifecycle", &shapes::lifecycle},
    key_shape{"hashtags", &shapes::texts},
    key_shape{"mode", &shapes::text},
    key_shape{"forms", &shapes::forms},
    key_shape{"vector", &shapes::vector},
    key_shape{"valid_from", &shapes::time},
    key_shape{"valid_until", &shapes::time},
    key_shape{"expires_at", &shapes::time},
    key_shape{"confidence", &shapes::number},
    key_shape{"trust", &shapes::number},
    key_shape{"source_class", &shapes::text},
    key_shape{"provenance", &shapes::provenance},
    key_shape{"created_by", &shapes::text},
    key_shape{"supersedes", &shapes::texts},
    key_shape{"similar", &shapes::boolean},
    key_shape{"payload", &shapes::text},
    key_shape{"created_at", &shapes::time}, // the last: importers only
};

constexpr std::array put_table = {
    key_shape{"namespace", &shapes::text, true},
    key_shape{"key", &shapes::text, true},
    key_shape{"type", &shapes::text, true},
    key_shape{"data", &shapes::data, true},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"tags", &shapes::texts},
    key_shape{"importance", &shapes::integer},
    key_shape{"visibility", &shapes::text},
    key_shape{"frames", &shapes::frames},
    key_shape{"metadata", &shapes::metadata},
    key_shape{"lifecycle", &shapes::lifecycle},
    key_shape{"hashtags", &shapes::texts},
    key_shape{"mode", &shapes::text},
    key_shape{"forms", &shapes::forms},
    key_shape{"vector", &shapes::vector},
    key_shape{"valid_from", &shapes::time},
    key_shape{"valid_until", &shapes::time},
    key_shape{"expires_at", &shapes::time},
    key_shape{"confidence", &shapes::number},
    key_shape{"trust", &shapes::number},
    key_shape{"source_class", &shapes::text},
    key_shape{"provenance", &shapes::provenance},
    key_shape{"created_by", &shapes::text},
    key_shape{"payload", &shapes::text},
    key_shape{"expect_version", &shapes::integer},
};

constexpr std::array delete_by_table = {
    key_shape{"namespace", &shapes::text, true},
    key_shape{"key", &shapes::text, true},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"reason", &shapes::text},
    key_shape{"by", &shapes::text},
    key_shape{"expect_version", &shapes::integer},
};

constexpr std::array sweep_table = {
    key_shape{"actor", &shapes::text}, key_shape{"deadline_ms", &shapes::integer},
    key_shape{"reason", &shapes::text}, key_shape{"by", &shapes::text},
    key_shape{"limit", &shapes::integer}};

constexpr std::array replace_members = {key_shape{"old", &shapes::text, true},
                                        key_shape{"new", &shapes::text, true},
                                        key_shape{"field", &shapes::text}};
constexpr shape replace_shape{
    .kind = shape_kind::object, .name = "{old,new,field}", .keys = replace_members};

constexpr std::array update_table = {
    key_shape{"id", &shapes::text},
    key_shape{"uri", &shapes::text},
    key_shape{"data", &shapes::data},
    key_shape{"replace", &replace_shape},
    key_shape{"type", &shapes::text},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"forms", &shapes::forms},
    key_shape{"vector", &shapes::vector},
    key_shape{"valid_from", &shapes::time},
    key_shape{"valid_until", &shapes::time},
    key_shape{"expires_at", &shapes::time},
    key_shape{"confidence", &shapes::number},
    key_shape{"trust", &shapes::number},
    key_shape{"source_class", &shapes::text},
    key_shape{"provenance", &shapes::provenance},
    key_shape{"created_by", &shapes::text},
    key_shape{"expect_version", &shapes::integer},
    key_shape{"payload", &shapes::text},
};

constexpr std::array update_head_table = {
    key_shape{"id", &shapes::text},
    key_shape{"uri", &shapes::text},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"tags", &shapes::texts},
    key_shape{"frames", &shapes::frames},
    key_shape{"importance", &shapes::integer},
    key_shape{"visibility", &shapes::text},
    key_shape{"lifecycle", &shapes::lifecycle},
    key_shape{"metadata", &shapes::metadata},
    key_shape{"affirm", &shapes::boolean},
    key_shape{"by", &shapes::text},
    key_shape{"expect_version", &shapes::integer},
};

constexpr std::array tombstone_table = {
    key_shape{"id", &shapes::text},
    key_shape{"uri", &shapes::text},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"reason", &shapes::text},
    key_shape{"by", &shapes::text},
    key_shape{"cause", &shapes::text},
    key_shape{"superseded_by", &shapes::text},
    key_shape{"expect_version", &shapes::integer},
};

constexpr std::array restore_table = {
    key_shape{"id", &shapes::text},
    key_shape{"uri", &shapes::text},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"by", &shapes::text},
    key_shape{"expect_version", &shapes::integer},
};

constexpr std::array add_edge_table = {
    key_shape{"src", &shapes::text, true},  key_shape{"type", &shapes::text, true},
    key_shape{"dst", &shapes::text, true},  key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},     key_shape{"deadline_ms", &shapes::integer},
    key_shape{"weight", &shapes::number},   key_shape{"kind", &shapes::text},
    key_shape{"data", &shapes::text},       key_shape{"by", &shapes::text},
    key_shape{"created_at", &shapes::time}, // the last: importers only
};

constexpr std::array remove_edge_table = {
    key_shape{"src", &shapes::text, true}, key_shape{"type", &shapes::text, true},
    key_shape{"dst", &shapes::text, true}, key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"reason", &shapes::text},    key_shape{"by", &shapes::text},
};

/// What write and update have in common.
template <class Request>
void read_content(value_reader& in, const std::optional<memory_type>& type, Request& r) {
  if (type) // data cannot be read without one
    in.object("data", [&](value_reader& data) { r.data = read_data(*type, data); });
  r.actor = in.text_or("actor", "");
  r.forms = read_forms(in);
  r.vector = in.vector("vector");
  r.valid_from = in.time("valid_from");
  r.valid_until = in.time("valid_until");
  r.expires_at = in.time("expires_at");
  r.confidence = in.number("confidence").value_or(1.0);
  r.provenance = read_provenance(in);
  read_trust(in, r.provenance);
  r.created_by = in.text("created_by");
  r.payload = in.text_or("payload", "");
  if (in.find("payload") != nullptr && !json::accept(r.payload))
    in.fail_key("payload", errc::bad_value, "a payload is JSON, as text");
}

write_request read_new_memory(value_reader& in) {
  write_request r;
  const auto type = in.name<memory_type>("type");
  r.type = type.value_or(memory_type::note);
  read_content(in, type, r);
  r.id = in.id("id");
  r.tags = in.texts("tags").value_or(std::vector<std::string>{});
  r.importance = in.integer("importance").value_or(5);
  r.visibility = in.name<visibility>("visibility").value_or(visibility::private_);
  r.frames = read_frames(in).value_or(std::vector<intent_frame>{});
  if (const json* metadata = in.find("metadata")) r.metadata = read_metadata(*metadata);
  r.lifecycle = read_lifecycle(in);
  r.created_at = in.time("created_at");
  r.hashtags = in.texts("hashtags").value_or(std::vector<std::string>{});
  r.mode = in.name<memory_mode>("mode");
  in.items("supersedes", [&](const json& item, const json_path& here) {
    auto uri = parse_memory_uri(item.get_ref<const std::string&>());
    if (uri)
      r.supersedes.push_back(*uri);
    else
      in.fail_at(here, uri.error().code, uri.error().message);
  });
  r.similar = in.flag("similar");
  return r;
}

memory_key read_key(value_reader& in) {
  return {.name_space = in.text_or("namespace", ""), .name = in.text_or("key", "")};
}

} // namespace

std::span<const key_shape> write_keys() noexcept {
  return std::span(write_table).first(write_table.size() - 1);
}
std::span<const key_shape> write_import_keys() noexcept {
  return write_table;
}
std::span<const key_shape> put_keys() noexcept {
  return put_table;
}
std::span<const key_shape> delete_by_keys() noexcept {
  return delete_by_table;
}
std::span<const key_shape> sweep_keys() noexcept {
  return sweep_table;
}
std::span<const key_shape> update_keys() noexcept {
  return update_table;
}
std::span<const key_shape> update_head_keys() noexcept {
  return update_head_table;
}
std::span<const key_shape> tombstone_keys() noexcept {
  return tombstone_table;
}
std::span<const key_shape> restore_keys() noexcept {
  return restore_table;
}
std::span<const key_shape> add_edge_keys() noexcept {
  return std::span(add_edge_table).first(add_edge_table.size() - 1);
}
std::span<const key_shape> add_edge_import_keys() noexcept {
  return add_edge_table;
}
std::span<const key_shape> remove_edge_keys() noexcept {
  return remove_edge_table;
}

result<mutation> read_write(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  auto r = read_new_memory(in);
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_put(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  put_request r{.key = read_key(in),
                .content = read_new_memory(in),
                .expect_version = in.version_or_none("expect_version")};
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_delete_by(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  delete_by_request r{.key = read_key(in),
                      .actor = in.text_or("actor", ""),
                      .reason = in.text_or("reason", ""),
                      .by = in.text("by"),
                      .expect_version = in.version_or_none("expect_version")};
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_sweep(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  sweep_request r{.actor = in.text_or("actor", ""),
                  .by = in.text("by"),
                  .reason = in.text("reason"),
                  .limit = in.integer("limit")};
  return finish_write(faults, std::move(r), at);
}

/// An id has been made a uri where the request came in.
std::optional<memory_uri> named_uri(value_reader& in) {
  if (in.find("uri") == nullptr)
    in.fail_key("uri", errc::missing_key, "the key \"uri\" (or \"id\") is missing");
  return in.uri("uri");
}

result<mutation> read_update(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  update_request r;
  const auto uri = named_uri(in);
  r.uri = uri.value_or(memory_uri{});
  r.type = in.name<memory_type>("type");
  // Data of another type than the memory's is answered by the engine (type_data_mismatch).
  const bool is_typed = in.find("type") != nullptr ? r.type.has_value() : uri.has_value();
  read_content(in, is_typed ? std::optional(r.type.value_or(r.uri.type)) : std::nullopt, r);
  r.expect_version = in.version("expect_version");
  in.object("replace", [&](value_reader& span) {
    r.replace = text_replacement{.from = span.text_or("old", ""),
                                 .to = span.text_or("new", ""),
                                 .field = span.text_or("field", "")};
  });
  // Also where it says what is so by default.
  if (r.replace)
    for (const char* kept : {"confidence", "trust", "source_class", "provenance"})
      if (in.find(kept) != nullptr)
        in.fail_key(kept, errc::bad_value, "replace keeps the " + std::string(kept));
  if (!r.replace && in.find("data") == nullptr)
    in.fail_key("data", errc::missing_key, "the key \"data\" is missing");
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_update_head(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  update_head_request r;
  r.uri = named_uri(in).value_or(memory_uri{});
  r.actor = in.text_or("actor", "");
  r.tags = in.texts("tags");
  r.frames = read_frames(in);
  r.importance = in.integer("importance");
  r.visibility = in.name<visibility>("visibility");
  r.lifecycle = read_lifecycle(in);
  if (const json* metadata = in.find("metadata")) r.metadata = read_metadata(*metadata);
  r.affirm = in.flag("affirm");
  r.by = in.text("by");
  r.expect_version = in.version("expect_version");
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_tombstone(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  tombstone_request r;
  r.uri = named_uri(in).value_or(memory_uri{});
  r.actor = in.text_or("actor", "");
  r.reason = in.text_or("reason", "");
  r.by = in.text("by");
  r.cause = in.name<tombstone_cause>("cause").value_or(tombstone_cause::deleted);
  if (r.cause == tombstone_cause::erased)
    in.fail_key("cause", errc::bad_value, "cause is superseded, wrong, deleted or expired");
  r.superseded_by = in.id_or_uri("superseded_by");
  r.expect_version = in.version("expect_version");
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_restore(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  const bool has_id = in.find("id") != nullptr;
  const bool has_uri = in.find("uri") != nullptr;
  if (has_id && has_uri) in.fail_key("uri", errc::bad_value, "give id or uri, not both");
  if (!has_id && !has_uri)
    in.fail_key("id", errc::missing_key, "the key \"id\" (or \"uri\") is missing");
  const char* const key = has_id ? "id" : "uri";
  const auto id = in.id_or_uri(key);
  std::optional<memory_uri> named;
  if (const auto uri = parse_memory_uri(in.text(key).value_or("")); uri) named = *uri;
  restore_request r{.id = id.value_or(memory_id{}),
                    .actor = in.text_or("actor", ""),
                    .by = in.text("by"),
                    .expect_version = in.version("expect_version"),
                    .named = named};
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_add_edge(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  add_edge_request r;
  r.type = in.edge_type_byte("type");
  r.src = in.id_or_uri("src").value_or(memory_id{});
  r.dst = in.id_or_uri("dst").value_or(memory_id{});
  r.actor = in.text_or("actor", "");
  r.weight = static_cast<float>(in.number("weight").value_or(1.0));
  r.kind = in.text_or("kind", "");
  r.data = in.bytes("data").value_or("");
  r.by = in.text("by");
  r.created_at = in.time("created_at");
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_remove_edge(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  remove_edge_request r;
  r.type = in.edge_type_byte("type");
  r.src = in.id_or_uri("src").value_or(memory_id{});
  r.dst = in.id_or_uri("dst").value_or(memory_id{});
  r.actor = in.text_or("actor", "");
  r.reason = in.text_or("reason", "");
  r.by = in.text("by");
  return finish_write(faults, std::move(r), at);
}

} // namespace mneme::protocol
