#include "tools/import/record_json.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/base64.hpp"
#include "tools/protocol/data_json.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/topic_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::importing {

namespace {

using protocol::json_path;
using protocol::key_shape;
using protocol::shape;
using protocol::shape_kind;
using protocol::value_reader;
namespace shapes = protocol::shapes;

constexpr std::array colour_keys = {
    key_shape{"hashtags", &shapes::texts, true}, key_shape{"L", &shapes::number, true},
    key_shape{"a", &shapes::number, true}, key_shape{"b", &shapes::number, true},
    key_shape{"mode", &shapes::text, true}};
constexpr shape colour_shape{.kind = shape_kind::object, .keys = colour_keys};
constexpr std::array tombstone_keys = {
    key_shape{"reason", &shapes::text, true}, key_shape{"cause", &shapes::text, true},
    key_shape{"superseded_by", &shapes::text}, key_shape{"at", &shapes::time, true},
    key_shape{"by", &shapes::text, true}};
constexpr shape tombstone_shape{.kind = shape_kind::object, .keys = tombstone_keys};
constexpr std::array embedding_keys = {key_shape{"dim", &shapes::integer, true},
                                       key_shape{"version", &shapes::integer, true}};
constexpr shape embedding_shape{.kind = shape_kind::object, .keys = embedding_keys};

constexpr std::array head_keys = {key_shape{"id", &shapes::text, true},
                                  key_shape{"type", &shapes::text, true},
                                  key_shape{"current_version", &shapes::integer, true},
                                  key_shape{"actor_scope", &shapes::text, true},
                                  key_shape{"visibility", &shapes::text, true},
                                  key_shape{"declared_importance", &shapes::integer, true},
                                  key_shape{"tags", &shapes::texts, true},
                                  key_shape{"frames", &shapes::frames, true},
                                  key_shape{"metadata", &shapes::metadata, true},
                                  key_shape{"lifecycle", &shapes::lifecycle},
                                  key_shape{"colour", &colour_shape},
                                  key_shape{"tombstone", &tombstone_shape},
                                  key_shape{"embedding", &embedding_shape},
                                  key_shape{"created_at", &shapes::time, true},
                                  key_shape{"last_updated_at", &shapes::time, true},
                                  key_shape{"version_hash", &shapes::text, true},
                                  key_shape{"nonce", &shapes::text, true},
                                  key_shape{"namespace", &shapes::text},
                                  key_shape{"key", &shapes::text}};

constexpr std::array own_forms_keys = {key_shape{"short", &shapes::boolean, true},
                                       key_shape{"medium", &shapes::boolean, true}};
constexpr shape own_forms_shape{.kind = shape_kind::object, .keys = own_forms_keys};

constexpr std::array field_keys = {key_shape{"topic", &shapes::text, true},
                                   key_shape{"name", &shapes::text, true},
                                   key_shape{"type", &shapes::text, true},
                                   key_shape{"ref_topic_id", &shapes::text},
                                   key_shape{"revisions", &shapes::integer, true},
                                   key_shape{"newest_hash", &shapes::text, true},
                                   key_shape{"current", &shapes::integer, true},
                                   key_shape{"salience_e9", &shapes::integer, true}};
constexpr shape field_shape{.kind = shape_kind::object, .keys = field_keys};

result<void> accept_any(const json&, const json&, const json_path&) {
  return {};
}
/// Not a required key: its null is a value.
constexpr shape any_value{.kind = shape_kind::custom, .check = accept_any};
constexpr std::array revision_keys = {key_shape{"number", &shapes::integer, true},
                                      key_shape{"value", &any_value},
                                      key_shape{"valid_from", &shapes::time, true},
                                      key_shape{"valid_until", &shapes::time},
                                      key_shape{"why_changed", &shapes::text, true},
                                      key_shape{"impact_expected", &shapes::text, true},
                                      key_shape{"operation", &shapes::text, true},
                                      key_shape{"provenance", &shapes::provenance, true},
                                      key_shape{"created_at", &shapes::time, true},
                                      key_shape{"created_by", &shapes::text, true},
                                      key_shape{"merged_from", &shapes::text},
                                      key_shape{"nonce", &shapes::text, true},
                                      key_shape{"hash", &shapes::text, true}};
constexpr shape revision_shape{.kind = shape_kind::object, .keys = revision_keys};
constexpr shape revision_list{.kind = shape_kind::list, .item = &revision_shape};
constexpr std::array field_record_keys = {key_shape{"field", &field_shape, true},
                                          key_shape{"revisions", &revision_list, true}};

constexpr std::array version_keys = {key_shape{"id", &shapes::text, true},
                                     key_shape{"version", &shapes::integer, true},
                                     key_shape{"type", &shapes::text, true},
                                     key_shape{"data", &shapes::data, true},
                                     key_shape{"created_at", &shapes::time, true},
                                     key_shape{"created_by", &shapes::text, true},
                                     key_shape{"expires_at", &shapes::time},
                                     key_shape{"confidence", &shapes::number, true},
                                     key_shape{"provenance", &shapes::provenance, true},
                                     key_shape{"forms", &shapes::forms, true},
                                     key_shape{"forms_override", &own_forms_shape, true},
                                     key_shape{"valid_from", &shapes::time, true},
                                     key_shape{"valid_until", &shapes::time},
                                     key_shape{"nonce", &shapes::text, true},
                                     key_shape{"hash", &shapes::text, true},
                                     key_shape{"payload", &shapes::text}};

constexpr std::array edge_keys = {key_shape{"src", &shapes::text, true},
                                  key_shape{"type", &shapes::text, true},
                                  key_shape{"dst", &shapes::text, true},
                                  key_shape{"created_at", &shapes::time, true},
                                  key_shape{"created_by", &shapes::text, true},
                                  key_shape{"weight", &shapes::number, true},
                                  key_shape{"data", &shapes::text, true},
                                  key_shape{"kind", &shapes::text, true},
                                  key_shape{"tombstoned", &shapes::boolean, true},
                                  key_shape{"tombstoned_at", &shapes::time},
                                  key_shape{"tombstoned_reason", &shapes::text, true},
                                  key_shape{"tombstoned_by", &shapes::text, true},
                                  key_shape{"nonce", &shapes::text, true}};

json nonce_json(const nonce& n) {
  return protocol::to_base64({reinterpret_cast<const char*>(n.data()), n.size()});
}

nonce read_nonce(value_reader& in) {
  nonce n{};
  const std::string bytes = in.bytes("nonce").value_or(std::string(n.size(), '\0'));
  if (bytes.size() != n.size())
    in.fail_key("nonce", errc::bad_value, "a nonce has 16 bytes");
  else
    std::ranges::copy(bytes, n.begin());
  return n;
}

json tombstone_json(const std::optional<tombstone>& t) {
  if (!t) return nullptr;
  return {{"reason", t->reason},
          {"cause", to_string(t->cause)},
          {"superseded_by", t->superseded_by ? json(to_string(*t->superseded_by)) : json(nullptr)},
          {"at", to_string(t->at)},
          {"by", t->by}};
}

std::optional<tombstone> read_tombstone(value_reader& in) {
  std::optional<tombstone> read;
  in.object("tombstone", [&](value_reader& t) {
    read = tombstone{.reason = t.text_or("reason", ""),
                     .cause = t.name<tombstone_cause>("cause").value_or(tombstone_cause::deleted),
                     .superseded_by = t.id("superseded_by"),
                     .at = t.time("at").value_or(timestamp{}),
                     .by = t.text_or("by", "")};
  });
  return read;
}

std::optional<colour> read_colour(value_reader& in) {
  std::optional<colour> read;
  in.object("colour", [&](value_reader& c) {
    read = colour{.hashtags = c.texts("hashtags").value_or(std::vector<std::string>{}),
                  .L = c.number("L").value_or(0),
                  .a = c.number("a").value_or(0),
                  .b = c.number("b").value_or(0),
                  .mode = c.text_or("mode", "")};
  });
  return read;
}

std::optional<embedding_ref> read_embedding(value_reader& in) {
  std::optional<embedding_ref> read;
  in.object("embedding", [&](value_reader& e) {
    read = embedding_ref{.dim = e.version("dim").value_or(1),
                         .version = e.version("version").value_or(1)};
  });
  return read;
}

} // namespace

json head_record_json(const head& h) {
  json colour = nullptr;
  if (h.colour)
    colour = {{"hashtags", h.colour->hashtags},
              {"L", h.colour->L},
              {"a", h.colour->a},
              {"b", h.colour->b},
              {"mode", h.colour->mode}};
  json embedding = nullptr;
  if (h.embedding) embedding = {{"dim", h.embedding->dim}, {"version", h.embedding->version}};
  json record{{"id", to_string(h.id)},
              {"type", to_string(h.type)},
              {"current_version", h.current_version},
              {"actor_scope", h.actor_scope},
              {"visibility", to_string(h.visibility)},
              {"declared_importance", h.declared_importance},
              {"tags", h.tags},
              {"frames", protocol::frames_json(h.frames)},
              {"metadata", protocol::metadata_json(h.metadata)},
              {"lifecycle", protocol::lifecycle_json(h.lifecycle)},
              {"colour", std::move(colour)},
              {"tombstone", tombstone_json(h.tombstone)},
              {"embedding", std::move(embedding)},
              {"created_at", to_string(h.created_at)},
              {"last_updated_at", to_string(h.last_updated_at)},
              {"version_hash", to_hex(h.version_hash)},
              {"nonce", nonce_json(h.nonce)}};
  protocol::put_key(record, h);
  return record;
}

json version_record_json(const version& v) {
  json record{{"id", to_string(v.id)},
              {"version", v.number},
              {"type", to_string(v.type)},
              {"data", protocol::data_json(v.type, v.data)},
              {"created_at", to_string(v.created_at)},
              {"created_by", v.created_by},
              {"expires_at", protocol::time_json(v.expires_at)},
              {"confidence", v.confidence},
              {"provenance", protocol::provenance_json(v.provenance)},
              {"forms", {{"short", v.forms.short_form}, {"medium", v.forms.medium_form}}},
              {"forms_override", {{"short", v.short_overridden}, {"medium", v.medium_overridden}}},
              {"valid_from", to_string(v.valid_from)},
              {"valid_until", protocol::time_json(v.valid_until)},
              {"nonce", nonce_json(v.nonce)},
              {"hash", to_hex(v.hash)}};
  if (!v.payload.empty()) record["payload"] = v.payload;
  return record;
}

json edge_record_json(const edge_record& e) {
  return {{"src", to_string(e.key.src)},
          {"type", to_string(e.key.type)},
          {"dst", to_string(e.key.dst)},
          {"created_at", to_string(e.created_at)},
          {"created_by", e.created_by},
          {"weight", protocol::shortest(e.weight)},
          {"data", protocol::to_base64(e.data)},
          {"kind", e.kind},
          {"tombstoned", e.tombstoned},
          {"tombstoned_at", protocol::time_json(e.tombstoned_at)},
          {"tombstoned_reason", e.tombstoned_reason},
          {"tombstoned_by", e.tombstoned_by},
          {"nonce", nonce_json(e.nonce)}};
}

namespace {

json revision_json(const field_revision& r) {
  return {{"number", r.number},
          {"value", protocol::json_of(r.value)},
          {"valid_from", to_string(r.valid_from)},
          {"valid_until", protocol::time_json(r.valid_until)},
          {"why_changed", r.why_changed},
          {"impact_expected", r.impact_expected},
          {"operation", r.operation},
          {"provenance", protocol::provenance_json(r.provenance)},
          {"created_at", to_string(r.created_at)},
          {"created_by", r.created_by},
          {"merged_from", r.merged_from ? json(to_string(*r.merged_from)) : json(nullptr)},
          {"nonce", nonce_json(r.nonce)},
          {"hash", to_hex(r.hash)}};
}

field_revision read_revision(value_reader& in, const field_head& of) {
  field_revision r;
  r.topic = of.topic;
  r.field = of.name;
  r.number = in.version("number").value_or(1);
  if (const json* value = in.find("value")) r.value = protocol::read_json_value(*value);
  r.valid_from = in.time("valid_from").value_or(timestamp{});
  r.valid_until = in.time("valid_until");
  r.why_changed = in.text_or("why_changed", "");
  r.impact_expected = in.text_or("impact_expected", "");
  r.operation = in.text_or("operation", "");
  r.provenance = protocol::read_provenance(in);
  r.created_at = in.time("created_at").value_or(timestamp{});
  r.created_by = in.text_or("created_by", "");
  r.merged_from = in.id("merged_from");
  r.nonce = read_nonce(in);
  r.hash = in.hash("hash").value_or(digest{});
  return r;
}

} // namespace

json field_record_json(const field_record& f) {
  const field_head& h = f.field.head;
  json revisions = json::array();
  for (const auto& r : f.revisions) revisions.push_back(revision_json(r));
  return {{"field",
           {{"topic", to_string(h.topic)},
            {"name", h.name},
            {"type", to_string(h.type)},
            {"ref_topic_id", h.ref_topic_id ? json(to_string(*h.ref_topic_id)) : json(nullptr)},
            {"revisions", h.revisions},
            {"newest_hash", to_hex(h.newest_hash)},
            {"current", f.field.current},
            {"salience_e9", f.field.salience_e9}}},
          {"revisions", std::move(revisions)}};
}

result<put_field_record_request> read_field_record(const json& value, const json_path& at) {
  if (auto ok = protocol::check_members(value, field_record_keys, false, at); !ok)
    return propagate(ok);
  fault_list faults;
  value_reader in(value, at, faults);
  put_field_record_request restore;
  in.object("field", [&](value_reader& f) {
    field_head& h = restore.field.head;
    h.topic = f.id("topic").value_or(memory_id{});
    h.name = f.text_or("name", "");
    h.type = f.name<topic_field_type>("type").value_or(topic_field_type::string);
    h.ref_topic_id = f.id("ref_topic_id");
    h.revisions = f.version("revisions").value_or(1);
    h.newest_hash = f.hash("newest_hash").value_or(digest{});
    restore.field.current = f.version("current").value_or(1);
    restore.field.salience_e9 = f.integer("salience_e9").value_or(salience_one_e9);
  });
  in.items("revisions", [&](const json& item, const json_path& here) {
    value_reader revision(item, here, faults);
    restore.revisions.push_back(read_revision(revision, restore.field.head));
  });
  return protocol::finish(faults, std::move(restore));
}

result<head> read_head_record(const json& value, const json_path& at) {
  if (auto ok = protocol::check_members(value, head_keys, false, at); !ok) return propagate(ok);
  fault_list faults;
  value_reader in(value, at, faults);
  head h;
  h.id = in.id("id").value_or(memory_id{});
  h.type = in.name<memory_type>("type").value_or(memory_type::note);
  h.current_version = in.version("current_version").value_or(1);
  h.actor_scope = in.text_or("actor_scope", "");
  h.visibility = in.name<visibility>("visibility").value_or(visibility::private_);
  const auto importance = in.integer("declared_importance").value_or(5);
  if (importance < 0 || importance > 10)
    in.fail_key("declared_importance", errc::out_of_range, "importance is from 0 to 10");
  h.declared_importance = static_cast<std::uint8_t>(importance);
  h.tags = in.texts("tags").value_or(std::vector<std::string>{});
  h.frames = protocol::read_frames(in).value_or(std::vector<intent_frame>{});
  h.metadata = protocol::read_metadata(*in.find("metadata"));
  h.lifecycle = protocol::read_lifecycle(in);
  h.colour = read_colour(in);
  h.tombstone = read_tombstone(in);
  h.embedding = read_embedding(in);
  h.created_at = in.time("created_at").value_or(timestamp{});
  h.last_updated_at = in.time("last_updated_at").value_or(timestamp{});
  h.version_hash = in.hash("version_hash").value_or(digest{});
  h.nonce = read_nonce(in);
  if (in.find("namespace") != nullptr || in.find("key") != nullptr)
    h.key = memory_key{.name_space = in.text_or("namespace", ""), .name = in.text_or("key", "")};
  return protocol::finish(faults, std::move(h));
}

result<version> read_version_record(const json& value, const json_path& at) {
  if (auto ok = protocol::check_members(value, version_keys, false, at); !ok) return propagate(ok);
  fault_list faults;
  value_reader in(value, at, faults);
  version v;
  v.id = in.id("id").value_or(memory_id{});
  v.number = in.version("version").value_or(1);
  const auto type = in.name<memory_type>("type");
  if (faults) return faults.refusal(); // data cannot be read without a type
  v.type = *type;
  in.object("data", [&](value_reader& data) { v.data = protocol::read_data(v.type, data); });
  v.created_at = in.time("created_at").value_or(timestamp{});
  v.created_by = in.text_or("created_by", "");
  v.expires_at = in.time("expires_at");
  v.confidence = in.number("confidence").value_or(1.0);
  v.provenance = protocol::read_provenance(in);
  const forms_override forms = protocol::read_forms(in);
  v.forms = {.short_form = forms.short_form.value_or(""),
             .medium_form = forms.medium_form.value_or("")};
  in.object("forms_override", [&](value_reader& own) {
    v.short_overridden = own.flag("short");
    v.medium_overridden = own.flag("medium");
  });
  v.valid_from = in.time("valid_from").value_or(timestamp{});
  v.valid_until = in.time("valid_until");
  v.nonce = read_nonce(in);
  v.hash = in.hash("hash").value_or(digest{});
  v.payload = in.text_or("payload", "");
  return protocol::finish(faults, std::move(v));
}

result<edge_record> read_edge_record(const json& value, const json_path& at) {
  if (auto ok = protocol::check_members(value, edge_keys, false, at); !ok) return propagate(ok);
  fault_list faults;
  value_reader in(value, at, faults);
  edge_record e;
  const auto type = static_cast<edge_type>(in.edge_type_byte("type"));
  e.key = {.src = in.id("src").value_or(memory_id{}),
           .type = type,
           .dst = in.id("dst").value_or(memory_id{})};
  e.created_at = in.time("created_at").value_or(timestamp{});
  e.created_by = in.text_or("created_by", "");
  e.weight = static_cast<float>(in.number("weight").value_or(1.0));
  e.data = in.bytes("data").value_or("");
  e.kind = in.text_or("kind", "");
  e.tombstoned = in.flag("tombstoned");
  e.tombstoned_at = in.time("tombstoned_at");
  e.tombstoned_reason = in.text_or("tombstoned_reason", "");
  e.tombstoned_by = in.text_or("tombstoned_by", "");
  e.nonce = read_nonce(in);
  return protocol::finish(faults, std::move(e));
}

} // namespace mneme::importing
