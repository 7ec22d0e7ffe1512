#include "tools/protocol/topic_json.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/part_json.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

namespace {

result<void> check_any(const json&, const json&, const json_path&) {
  return {};
}
constexpr shape any_value{.kind = shape_kind::custom, .name = "any", .check = check_any};

constexpr std::array field_keys = {
    key_shape{"value", &any_value, true},     key_shape{"field_type", &shapes::text},
    key_shape{"ref_topic_id", &shapes::text}, key_shape{"salience", &shapes::number},
    key_shape{"valid_from", &shapes::time},   key_shape{"valid_until", &shapes::time},
    key_shape{"why_changed", &shapes::text},  key_shape{"impact_expected", &shapes::text},
    key_shape{"operation", &shapes::text},    key_shape{"provenance", &shapes::provenance},
    key_shape{"trust", &shapes::number},      key_shape{"source_class", &shapes::text},
};
constexpr shape field_shape{.kind = shape_kind::object,
                            .name = "{value, field_type, ref_topic_id, salience, valid_from, "
                                    "valid_until, why_changed, impact_expected, operation, "
                                    "provenance, trust, source_class}",
                            .keys = field_keys,
                            .or_plain = true};
constexpr shape fields_shape{
    .kind = shape_kind::map, .name = "{name: value | {value, …}}", .item = &field_shape};

constexpr std::array link_keys = {key_shape{"topic_id", &shapes::text, true},
                                  key_shape{"type", &shapes::text},
                                  key_shape{"kind", &shapes::text}};
constexpr shape link_shape{.kind = shape_kind::object, .keys = link_keys};
constexpr shape links_shape{
    .kind = shape_kind::list, .name = "[{topic_id, type, kind}…]", .item = &link_shape};

constexpr std::array ingest_table = {
    key_shape{"placement", &shapes::text, true},
    key_shape{"topic_id", &shapes::text},
    key_shape{"title", &shapes::text},
    key_shape{"summary", &shapes::text},
    key_shape{"topic_kind", &shapes::text},
    key_shape{"salience", &shapes::number},
    key_shape{"vector", &shapes::vector},
    key_shape{"actor", &shapes::text},
    key_shape{"visibility", &shapes::text},
    key_shape{"trust", &shapes::number},
    key_shape{"source_class", &shapes::text},
    key_shape{"fields", &fields_shape},
    key_shape{"links", &links_shape},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
};

constexpr std::array retrieve_table = {
    key_shape{"q", &shapes::text},
    key_shape{"query", &shapes::text},
    key_shape{"stages", &shapes::texts},
    key_shape{"explain", &shapes::boolean},
    key_shape{"top_k", &shapes::integer},
    key_shape{"topic_ids", &shapes::texts},
    key_shape{"field_names", &shapes::texts},
    key_shape{"vector", &shapes::vector},
    key_shape{"as_of", &shapes::time},
    key_shape{"include_ended", &shapes::boolean},
    key_shape{"min_trust", &shapes::number},
    key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time},
    key_shape{"now", &shapes::time},
    key_shape{"expand_refs", &shapes::boolean},
    key_shape{"touch", &shapes::boolean},
    key_shape{"history_limit", &shapes::integer},
    key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer},
    receipt_key,
};

constexpr std::array acting_table = {key_shape{"actor", &shapes::text},
                                     key_shape{"scope", &shapes::scope},
                                     key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array unarchive_table = {
    key_shape{"id", &shapes::text, true}, key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope}, key_shape{"deadline_ms", &shapes::integer}};

/// In the order of ingest_placement.
constexpr std::string_view placement_names[] = {"new_topic", "extend_topic", "version_field"};

field_input read_field(const std::string& name, value_reader& in) {
  field_input f;
  f.name = name;
  f.value = read_json_value(*in.find("value"));
  // Labels: one that is not known is that of plain text.
  if (const auto type = in.text("field_type"))
    f.type = parse_enum<topic_field_type>(*type).value_or(topic_field_type::string);
  f.ref_topic_id = in.id_or_uri("ref_topic_id");
  f.salience = in.number("salience");
  f.valid_from = in.time("valid_from");
  f.valid_until = in.time("valid_until");
  f.why_changed = in.text_or("why_changed", "");
  f.impact_expected = in.text_or("impact_expected", "");
  f.operation = in.text_or("operation", "");
  f.provenance = read_provenance(in);
  read_trust(in, f.provenance);
  return f;
}

std::vector<field_input> read_fields(value_reader& in, const json_path& at) {
  std::vector<field_input> fields;
  const json* object = in.find("fields");
  if (object == nullptr) return fields;
  const json_path all = at.key("fields");
  for (const auto& [name, value] : object->get_ref<const json::object_t&>()) {
    if (value.is_null()) continue;
    if (!value.is_object()) { // of whom nothing is said but the value
      field_input plain;
      plain.name = name;
      plain.value = read_json_value(value);
      fields.push_back(std::move(plain));
      continue;
    }
    const json_path here = all.key(name);
    value_reader field(value, here, in.faults());
    fields.push_back(read_field(name, field));
  }
  return fields;
}

std::vector<topic_link> read_links(value_reader& in) {
  std::vector<topic_link> links;
  in.items("links", [&](const json& item, const json_path& at) {
    value_reader link(item, at, in.faults());
    topic_link l;
    l.topic_id = link.id_or_uri("topic_id").value_or(memory_id{});
    if (link.find("type") != nullptr) l.type = link.edge_type_byte("type");
    l.kind = link.text_or("kind", "");
    links.push_back(std::move(l));
  });
  return links;
}

std::optional<std::vector<retrieve_stage>> read_stages(value_reader& in) {
  if (in.find("stages") == nullptr) return std::nullopt;
  std::vector<retrieve_stage> stages;
  in.items("stages", [&](const json& item, const json_path& at) {
    const auto& name = item.get_ref<const std::string&>();
    for (const auto stage :
         {retrieve_stage::semantic, retrieve_stage::structural, retrieve_stage::temporal}) {
      if (to_string(stage) != name) continue;
      stages.push_back(stage);
      return;
    }
    in.fail_at(at, errc::bad_stage,
               fmt::format("\"{}\" is not a stage (semantic, structural, temporal)", name));
  });
  return stages;
}

std::optional<std::vector<memory_id>> read_ids(value_reader& in, std::string_view key) {
  if (in.find(key) == nullptr) return std::nullopt;
  std::vector<memory_id> ids;
  in.items(key, [&](const json& item, const json_path& at) {
    auto id = parse_memory_id(item.get_ref<const std::string&>());
    if (id)
      ids.push_back(*id);
    else
      in.fail_at(at, id.error().code, id.error().message);
  });
  return ids;
}

} // namespace

std::span<const key_shape> ingest_keys() noexcept {
  return ingest_table;
}
std::span<const key_shape> retrieve_keys() noexcept {
  return retrieve_table;
}
std::span<const key_shape> acting_keys() noexcept {
  return acting_table;
}
std::span<const key_shape> unarchive_keys() noexcept {
  return unarchive_table;
}

json_value read_json_value(const json& value) {
  if (value.is_boolean()) return {value.get<bool>()};
  if (value.is_number_integer()) return {value.get<std::int64_t>()};
  if (value.is_number()) return {value.get<double>()};
  if (value.is_string()) return {value.get<std::string>()};
  if (value.is_array()) {
    std::vector<json_value> list;
    for (const auto& item : value) list.push_back(read_json_value(item));
    return {std::move(list)};
  }
  if (!value.is_object()) return {};
  std::vector<json_member> members;
  for (const auto& [name, member] : value.get_ref<const json::object_t&>())
    members.push_back({name, read_json_value(member)});
  std::ranges::sort(members, {}, &json_member::name);
  return {std::move(members)};
}

result<mutation> read_ingest(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  ingest_request r;
  r.placement = in.name_among<ingest_placement>("placement", placement_names)
                    .value_or(ingest_placement::new_topic);
  r.topic_id = in.id_or_uri("topic_id");
  r.title = in.text("title");
  r.summary = in.text("summary");
  r.topic_kind = in.text("topic_kind");
  r.salience = in.number("salience");
  r.vector = in.vector("vector");
  r.actor = in.text_or("actor", "");
  r.visibility = in.name<visibility>("visibility");
  r.trust = in.number("trust");
  r.source_class = in.name<source_class>("source_class");
  r.fields = read_fields(in, at);
  r.links = read_links(in);
  return finish_write(faults, std::move(r), at);
}

result<mutation> read_revise(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  return mutation(revise_request{.actor = in.text_or("actor", "")});
}

result<mutation> read_forget(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  return mutation(forget_request{.actor = in.text_or("actor", "")});
}

result<mutation> read_unarchive(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  unarchive_request r{.id = in.id_or_uri("id").value_or(memory_id{}),
                      .actor = in.text_or("actor", "")};
  return finish(faults, mutation(std::move(r)));
}

result<retrieve_request> read_retrieve(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  retrieve_request r;
  r.stages = read_stages(in);
  if (in.find("q") != nullptr && in.find("query") != nullptr)
    in.fail_key("query", errc::bad_value, "q and query are the same: give one of them");
  if (in.find("q") == nullptr && in.find("query") == nullptr)
    in.fail_key("q", errc::missing_key, "the key \"q\" (or \"query\") is missing");
  r.q = in.text_or(in.find("q") != nullptr ? "q" : "query", "");
  r.explain = in.flag("explain");
  r.top_k = in.integer("top_k").value_or(r.top_k);
  r.topic_ids = read_ids(in, "topic_ids");
  r.field_names = in.texts("field_names");
  r.vector = in.vector("vector");
  r.as_of = in.time("as_of");
  r.include_ended = in.flag("include_ended");
  r.min_trust = in.number("min_trust");
  r.at_seq = in.seq("at_seq");
  r.now = in.time("now");
  r.expand_refs = in.flag("expand_refs");
  if (in.find("touch") != nullptr) r.touch = in.flag("touch");
  r.actor = in.text("actor");
  r.scope = read_scope(in);
  r.history_limit = in.integer("history_limit").value_or(r.history_limit);
  r.deadline_ms = in.integer("deadline_ms");
  return finish(faults, std::move(r));
}

} // namespace mneme::protocol
