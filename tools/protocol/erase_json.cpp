#include "tools/protocol/erase_json.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array erase_table = {key_shape{"ids", &shapes::texts},
                                    key_shape{"owned_by", &shapes::text},
                                    key_shape{"source", &shapes::text},
                                    key_shape{"field", &shapes::text},
                                    key_shape{"with_derived", &shapes::boolean},
                                    key_shape{"reason", &shapes::text, true},
                                    key_shape{"by", &shapes::text, true},
                                    key_shape{"dry_run", &shapes::boolean},
                                    key_shape{"with_branches", &shapes::boolean},
                                    key_shape{"deadline_ms", &shapes::integer}};

/// Of a memory that went, why.
constexpr std::string_view because_named = "named";

/// Ids, or the ids of uris.
std::vector<memory_id> ids_to_erase(value_reader& in) {
  std::vector<memory_id> ids;
  const auto texts = in.texts("ids");
  if (!texts) return ids;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const std::string& text = (*texts)[i];
    if (const auto uri = parse_memory_uri(text)) {
      ids.push_back(uri->id);
    } else if (const auto id = parse_memory_id(text)) {
      ids.push_back(*id);
    } else {
      in.fail_key("ids", errc::bad_id, text + " is neither an id nor a uri");
      break;
    }
  }
  return ids;
}

/// What is named by a uri is erased only if the uri is that of one of its versions.
result<void> check_uris(session& s, const json& request) {
  if (!is_given(request, "ids")) return {};
  const json& ids = request["ids"];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto uri = parse_memory_uri(ids[i].get<std::string>());
    if (!uri) continue;
    const auto known = s.target().get(uri->id);
    if (!known) continue; // of what is not there, or was erased, the answer tells
    const auto version = s.target().resolve(*uri);
    if (!version && version.error().code == errc::not_found)
      return fail(errc::not_found,
                  fmt::format("there is no {}: the memory of this id is a {} of {} versions",
                              to_string(*uri), to_string(known->head->type),
                              known->head->current_version),
                  fmt::format("ids[{}]", i));
  }
  return {};
}

json fields_json(const std::vector<erased_topic_field>& fields) {
  json list = json::array();
  for (const erased_topic_field& f : fields)
    list.push_back({{"id", to_string(f.topic)}, {"field", f.field}});
  return list;
}

json branches_json(const std::vector<branch_erasure>& branches) {
  json list = json::array();
  for (const branch_erasure& b : branches) {
    json item = {{"path", b.path}, {"outcome", to_string(b.outcome)}, {"memories", b.memories}};
    if (b.seq.value != 0) item["seq"] = b.seq.value;
    if (!b.note.empty()) item["note"] = b.note;
    list.push_back(std::move(item));
  }
  return list;
}

json answer_of(const erase_request& r, const erase_result& done) {
  json memories = json::array();
  json ids = json::array();
  for (const erased_memory& m : done.erased) {
    ids.push_back(to_string(m.id));
    memories.push_back({{"id", to_string(m.id)},
                        {"type", to_string(m.type)},
                        {"actor", m.actor},
                        {"because", m.named ? because_named : "derived"}});
  }
  json answer = {{"erased", r.dry_run ? json::array() : std::move(ids)},
                 {"memories", std::move(memories)},
                 {"not_found", ids_json(done.not_found)},
                 {"erased_before", ids_json(done.erased_before)},
                 {"entries", done.entries},
                 {"edges", done.edges},
                 {"branches", done.branches},
                 {"dry_run", r.dry_run},
                 {"changed", done.changed},
                 {"seq", done.seq.value}};
  if (r.field) {
    answer["fields"] = fields_json(done.fields);
    answer["fields_erased_before"] = fields_json(done.fields_erased_before);
  }
  if (r.with_branches) answer["in_branches"] = branches_json(done.in_branches);
  return answer;
}

constexpr std::array memory_table = {
    key_shape{"id", &shapes::text, true}, key_shape{"type", &shapes::text, true},
    key_shape{"actor", &shapes::text, true}, key_shape{"because", &shapes::text, true}};
constexpr shape memory_shape{.kind = shape_kind::object, .keys = memory_table};
constexpr shape memories_shape{.kind = shape_kind::list, .item = &memory_shape};
constexpr std::array field_table = {key_shape{"id", &shapes::text, true},
                                    key_shape{"field", &shapes::text, true}};
constexpr shape field_shape{.kind = shape_kind::object, .keys = field_table};
constexpr shape fields_shape{.kind = shape_kind::list, .item = &field_shape};
/// Of an answer, what is needed of it.
constexpr std::array needed_table = {
    key_shape{"memories", &memories_shape, true}, key_shape{"fields", &fields_shape},
    key_shape{"changed", &shapes::boolean, true}, key_shape{"seq", &shapes::integer, true}};

} // namespace

json erase_request_json(const erase_request& request) {
  json r = {{"ids", ids_json(request.ids)}};
  r["with_derived"] = request.with_derived;
  r["reason"] = request.reason;
  r["by"] = request.by;
  r["dry_run"] = request.dry_run;
  if (request.owned_by) r["owned_by"] = *request.owned_by;
  if (request.source) r["source"] = *request.source;
  if (request.field) r["field"] = *request.field;
  return r;
}

result<erase_result> read_erase_answer(const json& answer) {
  json needed = json::object();
  for (const key_shape& key : needed_table)
    if (const auto found = answer.find(key.name); found != answer.end()) needed[key.name] = *found;
  const json_path document;
  if (auto ok = check_members(needed, needed_table, false, document); !ok)
    return fail(errc::format_unsupported, "an erasure is answered otherwise: " + ok.error().message,
                ok.error().at);
  fault_list faults;
  value_reader in(needed, document, faults);
  erase_result done;
  done.changed = in.flag("changed");
  done.seq = in.seq("seq").value_or(seq_no{});
  in.items("memories", [&](const json& item, const json_path& at) {
    value_reader memory(item, at, faults);
    done.erased.push_back({.id = memory.id("id").value_or(memory_id{}),
                           .type = memory.name<memory_type>("type").value_or(memory_type{}),
                           .actor = memory.text_or("actor", ""),
                           .named = memory.text_or("because", "") == because_named});
  });
  in.items("fields", [&](const json& item, const json_path& at) {
    value_reader field(item, at, faults);
    done.fields.push_back(
        {.topic = field.id("id").value_or(memory_id{}), .field = field.text_or("field", "")});
  });
  return finish(faults, std::move(done));
}

std::span<const key_shape> erase_keys() noexcept {
  return erase_table;
}

result<json> run_erase(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  erase_request r;
  r.ids = ids_to_erase(in);
  r.owned_by = in.text("owned_by");
  r.source = in.text("source");
  r.field = in.text("field");
  r.with_derived = in.flag("with_derived");
  r.reason = in.text_or("reason", "");
  r.by = in.text_or("by", "");
  r.dry_run = in.flag("dry_run");
  r.with_branches = in.flag("with_branches");
  if (faults) return faults.refusal();
  if (auto ok = check_uris(s, request); !ok) return propagate(ok);
  auto done = s.target().erase(r, deadline_of(request));
  if (!done) return propagate(done);
  return answer_of(r, *done);
}

} // namespace mneme::protocol
