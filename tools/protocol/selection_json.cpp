#include "tools/protocol/selection_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/mutation_json.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array forget_table = {
    key_shape{"words", &shapes::text, true},    key_shape{"types", &shapes::texts},
    key_shape{"tags", &shapes::texts},          key_shape{"limit", &shapes::integer},
    key_shape{"dry_run", &shapes::boolean},     key_shape{"reason", &shapes::text},
    key_shape{"cause", &shapes::text},          key_shape{"by", &shapes::text},
    key_shape{"actor", &shapes::text},          key_shape{"scope", &shapes::scope},
    key_shape{"vector", &shapes::vector},       key_shape{"now", &shapes::time},
    key_shape{"deadline_ms", &shapes::integer},
};

/// A write; who acts stands beside it.
result<void> check_nested_write(const json& value, const json&, const json_path& at) {
  if (!value.is_object()) return wrong_type("a write, an object with type and data", value, at);
  for (const char* key : {"actor", "created_by", "scope", "deadline_ms", "op"})
    if (const auto own = value.find(key); own != value.end() && !own->is_null())
      return fail(errc::bad_value, std::string(key) + " stands beside the write, not in it",
                  at.key(key).text());
  return check_members(value, write_keys(), false, at);
}
constexpr shape nested_write{.kind = shape_kind::custom,
                             .name = "write",
                             .check = check_nested_write,
                             .json_schema = R"({"type":"object","required":["type","data"]})"};

constexpr std::array supersede_table = {
    key_shape{"write", &nested_write, true}, key_shape{"words", &shapes::text},
    key_shape{"types", &shapes::texts},      key_shape{"tags", &shapes::texts},
    key_shape{"limit", &shapes::integer},    key_shape{"dry_run", &shapes::boolean},
    key_shape{"by", &shapes::text},          key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},      key_shape{"vector", &shapes::vector},
    key_shape{"now", &shapes::time},         key_shape{"deadline_ms", &shapes::integer},
};

select_request read_selection(value_reader& in, const json& request) {
  select_request r;
  r.words = in.text_or("words", "");
  r.types = read_types(in);
  r.tags = in.texts("tags").value_or(std::vector<std::string>{});
  r.limit = in.integer("limit").value_or(r.limit);
  r.vector = in.vector("vector");
  r.actor = in.text("actor");
  r.now = in.time("now");
  r.deadline_ms = in.integer("deadline_ms");
  if (auto within = scope_of(request))
    r.scope = std::move(*within);
  else
    in.faults().add(within.error());
  return r;
}

json selection_list(const std::vector<selected_memory>& selected) {
  json list = json::array();
  for (const auto& m : selected) {
    json one{{"id", to_string(m.uri.id)},     {"uri", to_string(m.uri)},
             {"type", to_string(m.uri.type)}, {"why", to_string(m.why)},
             {"because", m.because},          {"text", m.text}};
    put_standing(one, m.standing, m.trust_told, m.source_class);
    list.push_back(std::move(one));
  }
  return list;
}

void add_notes(json& answer, const std::string& note, const std::string& problem) {
  if (!note.empty()) answer["note"] = note;
  if (!problem.empty()) answer["embedder_problem"] = problem;
}

} // namespace

std::span<const key_shape> forget_matching_keys() noexcept {
  return forget_table;
}
std::span<const key_shape> supersede_matching_keys() noexcept {
  return supersede_table;
}

result<forget_matching_request> read_forget_matching(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  forget_matching_request r;
  r.select = read_selection(in, request);
  r.reason = in.text_or("reason", "");
  r.cause = in.name<tombstone_cause>("cause").value_or(tombstone_cause::deleted);
  if (r.cause == tombstone_cause::erased)
    in.fail_key("cause", errc::bad_value, "cause is superseded, wrong, deleted or expired");
  r.by = in.text("by");
  r.dry_run = in.flag("dry_run");
  return finish(faults, std::move(r));
}

result<supersede_matching_request> read_supersede_matching(const json& request,
                                                           const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  supersede_matching_request r;
  r.select = read_selection(in, request);
  r.dry_run = in.flag("dry_run");
  if (faults) return faults.refusal();
  auto write = read_write(request["write"], at.key("write"));
  if (!write) return propagate(write);
  r.write = std::get<write_request>(std::move(*write));
  r.write.actor = r.select.actor.value_or("");
  r.write.created_by = in.text("by");
  return r;
}

namespace {

/// Who acts stands beside the write here.
error beside_write(error e) {
  return with_places(std::move(e), [](std::string_view place) {
    if (place == "write.created_by") return std::string("by");
    return std::string(place == "write.actor" ? "actor" : place);
  });
}

} // namespace

result<json> run_forget_matching(session& s, const json& request) {
  auto r = read_forget_matching(request, {});
  if (!r) return propagate(r);
  const bool dry_run = r->dry_run;
  auto done = s.target().forget_matching(std::move(*r), s.in_sight_of());
  if (!done) return propagate(done);
  json answer{{"selected", selection_list(done->selected)},
              {"forgotten", done->forgotten},
              {"dry_run", dry_run},
              {"seq", done->seq.value}};
  add_notes(answer, done->note, done->embedder_problem);
  return answer;
}

result<json> run_supersede_matching(session& s, const json& request) {
  auto r = read_supersede_matching(request, {});
  if (!r) return propagate(r);
  const bool dry_run = r->dry_run;
  auto done = s.target().supersede_matching(std::move(*r), s.in_sight_of());
  if (!done) return std::unexpected(beside_write(std::move(done.error())));
  json answer{{"superseded", selection_list(done->superseded)},
              {"dry_run", dry_run},
              {"seq", done->seq.value}};
  if (done->uri) {
    answer["uri"] = to_string(*done->uri);
    answer["id"] = to_string(done->uri->id);
    answer["version"] = done->uri->version;
  }
  add_notes(answer, done->note, done->embedder_problem);
  return answer;
}

} // namespace mneme::protocol
