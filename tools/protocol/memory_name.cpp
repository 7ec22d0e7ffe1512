#include "tools/protocol/memory_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array<std::string_view, 3> ops_by_uri = {"update", "update_head", "tombstone"};
/// Of a batch, which is taken or refused as a whole. Those of a tick are resolved one by one.
constexpr const char* items_of_batch = "items";

bool is_text(const json& request, const char* key) {
  return is_given(request, key) && request[key].is_string();
}

bool is_uri(std::string_view text) {
  return text.starts_with("mneme:");
}

bool is_id(const json& text) {
  return parse_memory_id(text.get_ref<const std::string&>()).has_value();
}

bool wants_uri(const json& request) {
  return is_text(request, "op")
         && std::ranges::find(ops_by_uri, request["op"].get_ref<const std::string&>())
                != ops_by_uri.end();
}

/// The key that has an id, or null.
const char* key_of_id(const json& request) {
  if (!wants_uri(request)) return nullptr;
  if (is_text(request, "id")) return "id";
  return is_text(request, "uri") && is_id(request["uri"]) ? "uri" : nullptr;
}

/// Whether somebody asks for a memory back, who has to see it: its id is enough for that, so that
/// no uri is looked up.
bool restores_as_somebody(const json& request) {
  return is_text(request, "op") && request["op"] == "restore" && is_text(request, "actor")
         && !request["actor"].get_ref<const std::string&>().empty();
}

} // namespace

bool names_by_id(const json& request) {
  if (!request.is_object()) return false;
  if (key_of_id(request) != nullptr || restores_as_somebody(request)) return true;
  const auto items = request.find(items_of_batch);
  return items != request.end() && items->is_array() && std::ranges::any_of(*items, names_by_id);
}

error named_as_asked(error e, const json& request, const json_path& at) {
  if (!request.is_object()) return e;
  const char* const key = key_of_id(request);
  if (key != nullptr && key == std::string_view("id") && !is_given(request, "uri"))
    e = with_places(std::move(e), [&](std::string_view place) {
      return place == at.key("uri").text() ? at.key("id").text() : std::string(place);
    });
  const auto items = request.find(items_of_batch);
  if (items == request.end() || !items->is_array()) return e;
  const json_path list = at.key(items_of_batch);
  for (std::size_t i = 0; i < items->size(); ++i)
    e = named_as_asked(std::move(e), (*items)[i], list.item(i));
  return e;
}

result<memory_id> id_named(std::string_view text) {
  if (!is_uri(text)) return parse_memory_id(text);
  auto uri = parse_memory_uri(text);
  if (!uri) return propagate(uri);
  return uri->id;
}

result<std::string> name_resolver::uri_of(const memory_id& id, const json& request) {
  if (const auto made = made_.find(id); made != made_.end())
    return to_string(memory_uri{made->second, id, 1});
  read_options who{.actor = in_sight_of_, .at_seq = {}};
  if (!who.actor && is_text(request, "actor")) who.actor = request["actor"];
  auto found = target_.get(id, who);
  if (!found) return propagate(found);
  return to_string(memory_uri{found->head->type, id, found->head->current_version});
}

void name_resolver::check_seen(const json& request, const json_path& at, fault_list& faults) {
  if (in_sight_of_) return; // which the engine holds every write to
  for (const char* key : {"id", "uri"}) {
    if (!is_text(request, key)) continue;
    const auto id = id_named(request[key].get_ref<const std::string&>());
    if (!id) continue; // said by who reads the request
    if (auto seen = uri_of(*id, request); !seen)
      faults.add({seen.error().code, seen.error().message, at.key(key).text(), {}});
  }
}

result<std::string> name_resolver::uri_named(const std::string& name, const json& request) {
  if (is_uri(name)) return name;
  const auto id = parse_memory_id(name);
  if (!id) return std::unexpected(id.error());
  return uri_of(*id, request);
}

void name_resolver::resolve_one(json& request, const json_path& at, fault_list& faults) {
  if (restores_as_somebody(request)) return check_seen(request, at, faults);
  const char* key = key_of_id(request);
  if (key == nullptr) return;
  const std::string place = at.key("uri").text();
  if (is_given(request, "id") && is_given(request, "uri")) {
    faults.add({errc::bad_value, "give id or uri, not both", place, {}});
    request.erase("id");
    return;
  }
  json name = std::move(request[key]);
  request.erase(key);
  auto uri = uri_named(name.get_ref<const std::string&>(), request);
  if (!uri) faults.add({uri.error().code, uri.error().message, place, {}});
  request["uri"] = uri ? json(std::move(*uri)) : std::move(name);
}

void name_resolver::note_made(const json& request) {
  const bool is_topic = request.is_object() && is_text(request, "topic_id");
  const char* const key = is_topic ? "topic_id" : "id";
  if (!request.is_object() || !is_text(request, key)) return;
  const auto id = parse_memory_id(request[key].get_ref<const std::string&>());
  std::optional<memory_type> type;
  if (is_topic) type = memory_type::topic;
  if (!is_topic && is_text(request, "type"))
    type = parse_enum<memory_type>(request["type"].get_ref<const std::string&>());
  if (id && type) made_.insert_or_assign(*id, *type);
}

void name_resolver::resolve(json& request, const json_path& at, fault_list& faults) {
  if (!request.is_object()) return;
  resolve_one(request, at, faults);
  const auto list = request.find(items_of_batch);
  if (list == request.end() || !list->is_array()) {
    note_made(request);
    return;
  }
  const json_path items = at.key(items_of_batch);
  for (std::size_t i = 0; i < list->size(); ++i) resolve((*list)[i], items.item(i), faults);
}

} // namespace mneme::protocol
