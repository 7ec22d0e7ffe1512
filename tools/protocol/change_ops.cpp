#include "tools/protocol/change_ops.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/read_ops.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array changes_table = {
    key_shape{"since", &shapes::integer},       key_shape{"limit", &shapes::integer},
    key_shape{"wait_ms", &shapes::integer},     key_shape{"kinds", &shapes::texts},
    key_shape{"made_by", &shapes::texts},       key_shape{"types", &shapes::texts},
    key_shape{"owners", &shapes::texts},        key_shape{"namespaces", &shapes::texts},
    key_shape{"tags", &shapes::texts},          key_shape{"hashtags", &shapes::texts},
    key_shape{"ids", &shapes::texts},           key_shape{"include_uses", &shapes::boolean},
    key_shape{"with_record", &shapes::boolean}, key_shape{"include_unsynced", &shapes::boolean},
    key_shape{"actor", &shapes::text},          key_shape{"scope", &shapes::scope},
    key_shape{"deadline_ms", &shapes::integer}};

std::vector<change_kind> read_kinds(value_reader& in) {
  std::vector<change_kind> kinds;
  in.items("kinds", [&](const json& item, const json_path& at) {
    const auto& text = item.get_ref<const std::string&>();
    if (const auto kind = parse_enum<change_kind>(text))
      kinds.push_back(*kind);
    else
      in.fail_at(at, errc::bad_value, "\"" + text + "\" is no kind of change");
  });
  return kinds;
}

std::vector<memory_id> ids_in(value_reader& in) {
  std::vector<memory_id> ids;
  in.items("ids", [&](const json& item, const json_path& at) {
    const auto& text = item.get_ref<const std::string&>();
    if (auto id = parse_memory_id(text))
      ids.push_back(*id);
    else if (auto uri = parse_memory_uri(text))
      ids.push_back(uri->id);
    else
      in.fail_at(at, id.error().code, id.error().message);
  });
  return ids;
}

result<changes_request> read_changes(const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  changes_request r;
  r.since = in.seq("since");
  r.limit = in.integer("limit").value_or(r.limit);
  r.wait_ms = in.integer("wait_ms").value_or(r.wait_ms);
  r.filter.kinds = read_kinds(in);
  r.filter.made_by = in.texts("made_by").value_or(r.filter.made_by);
  r.filter.types = read_types(in);
  r.filter.owners = in.texts("owners").value_or(r.filter.owners);
  r.filter.namespaces = in.texts("namespaces").value_or(r.filter.namespaces);
  r.filter.tags = in.texts("tags").value_or(r.filter.tags);
  r.filter.hashtags = in.texts("hashtags").value_or(r.filter.hashtags);
  r.filter.ids = ids_in(in);
  r.filter.include_uses = in.flag("include_uses");
  r.with_record = in.flag("with_record");
  r.include_unsynced = in.flag("include_unsynced");
  const read_options options = read_asker(in, document);
  r.actor = options.actor;
  r.scope = options.scope;
  r.deadline_ms = read_deadline(in);
  return finish(faults, std::move(r));
}

void put_memory(json& into, const change& c) {
  if (!c.id) return;
  into["id"] = to_string(*c.id);
  into["type"] = to_string(c.type);
  if (c.version > 0) {
    into["version"] = c.version;
    into["uri"] = to_string(memory_uri{c.type, *c.id, c.version});
  }
  if (!c.key) return;
  into["namespace"] = c.key->name_space;
  into["key"] = c.key->name;
}

/// What the other memory is to that which changed.
const char* other_key(change_kind kind) {
  return kind == change_kind::merged ? "into" : "superseded_by";
}

} // namespace

std::span<const key_shape> changes_keys() noexcept {
  return changes_table;
}

json change_json(const change& c) {
  json told{{"seq", c.seq.value},
            {"at", to_string(c.at)},
            {"actor", c.made_by},
            {"kind", to_string(c.kind)}};
  put_memory(told, c);
  if (!c.fields.empty()) told["fields"] = c.fields;
  if (c.edge)
    told["edge"] = {{"src", to_string(c.edge->src)},
                    {"type", to_string(c.edge->type)},
                    {"dst", to_string(c.edge->dst)}};
  if (c.cause) told["cause"] = to_string(*c.cause);
  if (c.other) told[other_key(c.kind)] = to_string(*c.other);
  if (!c.name.empty()) told["tag"] = c.name;
  if (is_use(c.kind) && !c.id) told["ids"] = ids_json(c.used);
  if (c.content_erased) told["erased"] = true;
  if (c.record) told["record"] = memory_json(*c.record);
  return told;
}

result<json> run_changes(session& s, const json& request) {
  auto r = read_changes(request);
  if (!r) return propagate(r);
  const auto deadline_ms = r->deadline_ms;
  auto page = s.target().changes(std::move(*r));
  if (!page) return propagate(page);
  if (auto ok = hold(s, page->changes); !ok) return propagate(ok);
  const request_deadline time(s, deadline_ms); // waiting does not count
  auto changes = rows_json(page->changes, change_json, time);
  if (!changes) return propagate(changes);
  return json{{"changes", std::move(*changes)},
              {"next", page->next.value},
              {"seq", page->seq.value},
              {"more", page->more}};
}

} // namespace mneme::protocol
