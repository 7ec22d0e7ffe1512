// What Mem0 exports: a Note each, as those who come by Mem0's wire have them.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/import/derived_id.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/json_source.hpp"
#include "tools/import/known_members.hpp"
#include "tools/import/local_time.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/server/clients/mem0/mem0_expiry.hpp"
#include "tools/server/clients/mem0/mem0_owners.hpp"

namespace mneme::importing {

namespace {

using protocol::json;

/// What is a list of scalars, or one, stays; the rest of an object is nobody's to search.
metadata_map metadata_of(const json& item) {
  metadata_map out;
  const auto found = item.find("metadata");
  if (found == item.end() || !found->is_object()) return out;
  for (const auto& [key, value] : found->get_ref<const json::object_t&>()) {
    if (value.is_string()) out[key] = value.get<std::string>();
    if (value.is_boolean()) out[key] = value.get<bool>();
    if (value.is_number_integer()) out[key] = value.get<std::int64_t>();
    if (value.is_number_float()) out[key] = value.get<double>();
  }
  return out;
}

/// What Mem0's model has put it under: nobody does that here, and they would be lost.
void add_categories(const json& item, metadata_map& to) {
  std::vector<scalar> names;
  if (const auto found = item.find("categories"); found != item.end() && found->is_array())
    for (const json& name : *found)
      if (name.is_string()) names.emplace_back(name.get<std::string>());
  if (!names.empty()) to.try_emplace("categories", std::move(names));
}

/// As the wire keeps what its clients say beside the text.
std::string payload_of(const json& item) {
  json payload = json::object();
  const auto metadata = item.find("metadata");
  if (metadata != item.end() && metadata->is_object()) payload["metadata"] = *metadata;
  for (const auto& [from, to] :
       {std::pair{"role", "role"}, std::pair{"actor_id", "name"},
        std::pair{"timestamp", "timestamp"}, std::pair{"expiration_date", "expiration_date"}})
    if (const std::string text = text_member(item, from); !text.empty()) payload[to] = text;
  return protocol::print(payload);
}

/// What is not flat is in the payload alone, and filters have to look there.
bool is_partial(const json& item, const metadata_map& shown) {
  const auto metadata = item.find("metadata");
  if (metadata == item.end() || !metadata->is_object()) return false;
  return std::ranges::any_of(metadata->items(), [&](const auto& member) {
    return !member.value().is_null() && !shown.contains(member.key());
  });
}

server::mem0::mem0_owners owners_of(const json& item) {
  server::mem0::mem0_owners owners;
  for (std::size_t i = 0; i < owners.names.size(); ++i)
    owners.names[i] =
        text_member(item, fmt::format("{}_id", server::mem0::mem0_kind_names[i]).c_str());
  return owners;
}

result<write_request> note_of(const json& item, const std::string& actor) {
  if (!item.is_object()) return fail(errc::wrong_type, "a memory is an object");
  const std::string id = text_member(item, "id");
  const std::string text = text_member(item, "memory");
  if (id.empty()) return fail(errc::missing_key, "the key \"id\" is missing", "id");
  if (text.empty()) return fail(errc::missing_key, "the key \"memory\" is missing", "memory");
  write_request r;
  r.type = memory_type::note;
  r.data = {{"statement", text}};
  r.metadata = metadata_of(item);
  r.payload = payload_of(item);
  if (is_partial(item, r.metadata)) r.metadata["mem0:partial"] = true;
  r.metadata["source_id"] = id;
  add_categories(item, r.metadata);
  r.actor = actor;
  for (const char* key : {"user_id", "agent_id", "run_id", "app_id"}) {
    const std::string name = text_member(item, key);
    if (name.empty()) continue;
    if (r.actor.empty()) r.actor = name;
    r.metadata[key] = name;
  }
  r.provenance.source = provenance_source::imported;
  r.id = derived_id("mem0", r.actor, id, undated);
  if (const std::string date = text_member(item, "expiration_date"); !date.empty()) {
    r.expires_at = server::mem0::mem0_end_of(date);
    if (!r.expires_at)
      return fail(errc::bad_time, "an expiration_date is a day, such as 2026-01-31",
                  "expiration_date");
  }
  const std::string created = text_member(item, "created_at");
  if (created.empty()) return r;
  auto at = parse_local_time(created);
  if (!at) return fail(at.error().code, at.error().message, "created_at");
  r.created_at = *at;
  r.id = derived_id("mem0", r.actor, id, *at);
  return r;
}

/// Under a key of the namespace that clients of the wire put theirs into. What has no owner, and
/// what an import of before wrote, is a note like any other.
result<void> put_note(engine& target, import_sink& sink, const json& item, write_request note,
                      const std::string& where) {
  constexpr source_keys of_note{
      .tags = false, .frames = false, .importance = false, .visibility = false, .lifecycle = false};
  const auto owners = owners_of(item);
  auto name_space = server::mem0::mem0_namespace(owners);
  const auto there = target.get(*note.id);
  if (owners.empty() || !name_space || there || there.error().code == errc::erased)
    return sink.put(std::move(note), of_note, where);
  note.id.reset();
  note.tags = server::mem0::mem0_tags(owners);
  source_keys of_wire = of_note;
  of_wire.tags = true;
  return sink.put({.name_space = *name_space, .name = "import/" + text_member(item, "id")},
                  std::move(note), of_wire, where);
}

/// The list, wherever the document has it.
result<json> memories_of(json document) {
  if (document.is_object())
    for (const char* key : {"results", "memories"})
      if (document.contains(key)) document = json(document[key]);
  if (!document.is_array())
    return fail(errc::wrong_type, "an export of Mem0 is a list of memories, or has it as results");
  return document;
}

} // namespace

result<void> import_mem0(engine& target, const import_request& request, import_report& report) {
  auto document = read_json_source(request.path);
  if (!document) return propagate(document);
  auto list = memories_of(std::move(*document));
  if (!list) return propagate(list);
  import_sink sink(target, report, manner_of(request));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string where = fmt::format("{}[{}]", request.path, i);
    auto note = note_of((*list)[i], request.actor);
    if (!note) return std::unexpected(located(std::move(note.error()), where));
    if (request.progress) request.progress(i, list->size(), report);
    if (auto ok = put_note(target, sink, (*list)[i], std::move(*note), where); !ok) return ok;
  }
  return sink.flush();
}

} // namespace mneme::importing
